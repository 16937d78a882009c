! Types of the same names in several modules.
module one
  use iso_c_binding
  implicit none
  type :: t
    integer :: a
    real(8) :: b
  end type
  type, bind(c) :: pair
    integer(c_int) :: first
    real(c_double) :: second(3)
  end type
  type, abstract :: shape
    integer :: id
  contains
    procedure(area_of), deferred :: area
  end type
  abstract interface
    real(8) function area_of(this)
      import :: shape
      class(shape), intent(in) :: this
    end function
  end interface
  type(t) :: v1
  type(pair) :: p1
end module

module two
  use one, only: shape, pair
  implicit none
  type :: t
    integer(8) :: z(3)
    character(5) :: name
  end type
  type, extends(shape) :: circle
    real(8) :: radius
    class(shape), pointer :: inside
    type(t), allocatable :: parts(:)
    procedure(callback), pointer, nopass :: call
    type(pair) :: pairs(0:1, 2)
  contains
    procedure :: area
  end type
  abstract interface
    subroutine callback(n)
      integer, intent(in) :: n
    end subroutine
  end interface
  type(t) :: v2
contains
  real(8) function area(this)
    class(circle), intent(in) :: this
    area = 3 * this%radius ** 2
  end function
end module

module three
  implicit none
  private
  type :: t
    logical(1) :: flag
    complex(8) :: q
  end type
  type(t), public :: v3
  type(t), pointer, public :: next(:)
end module

program main
  use one, only: v1, p1
  use two, only: v2, circle
  use three, only: v3, next
  implicit none
  type(circle) :: c
  v1%a = 1; v2%z(1) = 2; v3%flag = .true.; p1%first = 3
  c%radius = 1
  allocate(next(2))
  print *, v1%a, v2%z(1), v3%flag, c%area(), p1%first, size(next)
end program
