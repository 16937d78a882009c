--  Arrays and subranges as Ada has them.
with Interfaces; use Interfaces;

package Layouts is
   type Bits is array (1 .. 13) of Boolean with Pack;
   type Nibble is mod 16;
   type Nibbles is array (0 .. 7) of Nibble with Pack;
   subtype Percent is Integer range 0 .. 100;
   type Small is range 1 .. 10;
   type Day is (Mon, Tue, Wed, Thu, Fri, Sat, Sun);
   type Hours is array (Day) of Integer_16;
   type Work is array (Day range Tue .. Fri) of Integer_32;
   type Matrix is array (1 .. 2, 1 .. 3) of Integer;
   type Columns is array (1 .. 2, 1 .. 3) of Integer with Convention => Fortran;
   type Vector is array (Integer range <>) of Integer;

   type Rec is record
      A : Bits;
      B : Small;
      C : Percent;
      D : Nibbles;
      E : Hours;
      W : Work;
      M : Matrix;
      F : Columns;
      V : Vector (5 .. 8);
      N : Vector (-2 .. 0);
      L : Integer;
   end record;

   type Wide is array (1 .. 606) of Boolean with Pack;

   type Packed is record
      P : Wide;
      Q : Integer;
      R : Percent;
   end record with Pack;

   type Buffer (Length : Natural) is record
      X : Integer;
      S : String (1 .. Length);
   end record;

   R : aliased Rec;
   K : aliased Packed;
   B : aliased Buffer (7);
end Layouts;
