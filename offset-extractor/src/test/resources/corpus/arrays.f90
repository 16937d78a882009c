! Arrays as Fortran has them. The program prints items, each with its offset and its size in bytes as the running
! program sees them, "-" for a size that only that knows.
module arrays
  use iso_c_binding
  implicit none
  type, bind(c) :: small
    integer(c_int) :: a(3)
    integer(c_int) :: b
  end type
  type :: box
    integer :: c(2, 3)
    integer :: d(-1:2)
    integer(2) :: z(0:1, 5:6, 3)
    integer, allocatable :: e(:)
    real, pointer :: p(:, :)
    type(small) :: s(2:4)
    complex :: q
    logical(1) :: flag
    character(len=5) :: name
    real(8) :: last
  end type
  type, extends(box) :: child
    integer :: more
  end type
  type(small), target :: g
  type(box), target :: h
  type(child), target :: k
contains
  subroutine say(item, place, origin, bytes)
    character(*), intent(in) :: item
    integer(8), intent(in) :: place, origin
    integer, intent(in) :: bytes
    if (bytes < 0) then
      print '(a, 1x, i0, 1x, a)', item, place - origin, '-'
    else
      print '(a, 1x, i0, 1x, i0)', item, place - origin, bytes
    end if
  end subroutine
end module

program main
  use arrays
  implicit none
  integer(8) :: at
  at = loc(g)
  call say('small', at, at, storage_size(g) / 8)
  call say('small.a', loc(g%a), at, 3 * storage_size(g%a) / 8)
  call say('small.a[1]', loc(g%a(1)), at, 4)
  call say('small.a[3]', loc(g%a(3)), at, 4)
  call say('small.b', loc(g%b), at, 4)
  at = loc(h)
  call say('box', at, at, storage_size(h) / 8)
  call say('box.c', loc(h%c), at, 24)
  call say('box.c[1][1]', loc(h%c(1, 1)), at, 4)
  call say('box.c[2][1]', loc(h%c(2, 1)), at, 4)
  call say('box.c[1][2]', loc(h%c(1, 2)), at, 4)
  call say('box.c[2][3]', loc(h%c(2, 3)), at, 4)
  call say('box.d', loc(h%d), at, 16)
  call say('box.d[-1]', loc(h%d(-1)), at, 4)
  call say('box.d[2]', loc(h%d(2)), at, 4)
  call say('box.z', loc(h%z), at, 24)
  call say('box.z[1][5][2]', loc(h%z(1, 5, 2)), at, 2)
  call say('box.z[0][6][3]', loc(h%z(0, 6, 3)), at, 2)
  call say('box.s', loc(h%s), at, 48)
  call say('box.s[3].b', loc(h%s(3)%b), at, 4)
  call say('box.s[4].a[2]', loc(h%s(4)%a(2)), at, 4)
  call say('box.q', loc(h%q), at, 8)
  call say('box.flag', loc(h%flag), at, 1)
  call say('box.name', loc(h%name), at, 5)
  call say('box.last', loc(h%last), at, 8)
  at = loc(k)
  call say('child', at, at, storage_size(k) / 8)
  call say('child.more', loc(k%more), at, 4)
  call say('child.box.c[2][2]', loc(k%c(2, 2)), at, 4)
  ! What lies in the descriptors, the program alone knows.
  allocate(h%e(7))
  allocate(h%p(2, 2))
  print '(a)', 'box.e[1] computed', 'box.p[1][1] computed'
end program
