--  Prints items, each with its offset and its size in bytes, or with its first bit and its number of bits.
with Ada.Text_IO; use Ada.Text_IO;
with Layouts; use Layouts;
with System; use System;
with System.Storage_Elements; use System.Storage_Elements;

procedure Layouts_Main is
   function Image (Number : Integer) return String is
      Text : constant String := Integer'Image (Number);
   begin
      return (if Number < 0 then Text else Text (2 .. Text'Last));
   end Image;

   procedure Say (Item : String; Place, Origin : Address; Bits : Natural) is
   begin
      Put_Line (Item & " " & Image (Integer (Place - Origin)) & " " & Image (Bits / 8));
   end Say;

   procedure Say_Bits (Item : String; First, Bits : Natural) is
   begin
      Put_Line (Item & " bits " & Image (First) & " " & Image (Bits));
   end Say_Bits;

   Origin : constant Address := R'Address;
begin
   Say ("layouts__rec", Origin, Origin, Rec'Size);
   Say ("layouts__rec.a", R.A'Address, Origin, 16);
   Say ("layouts__rec.b", R.B'Address, Origin, R.B'Size);
   Say ("layouts__rec.c", R.C'Address, Origin, R.C'Size);
   Say ("layouts__rec.d", R.D'Address, Origin, 32);
   Say ("layouts__rec.e", R.E'Address, Origin, R.E'Size);
   Say ("layouts__rec.e[0]", R.E (Mon)'Address, Origin, 16);
   Say ("layouts__rec.e[6]", R.E (Sun)'Address, Origin, 16);
   Say ("layouts__rec.w", R.W'Address, Origin, R.W'Size);
   Say ("layouts__rec.w[1]", R.W (Tue)'Address, Origin, 32);
   Say ("layouts__rec.w[4]", R.W (Fri)'Address, Origin, 32);
   Say ("layouts__rec.m[2][1]", R.M (2, 1)'Address, Origin, 32);
   Say ("layouts__rec.m[1][3]", R.M (1, 3)'Address, Origin, 32);
   Say ("layouts__rec.f[2][1]", R.F (2, 1)'Address, Origin, 32);
   Say ("layouts__rec.f[1][3]", R.F (1, 3)'Address, Origin, 32);
   Say ("layouts__rec.v", R.V'Address, Origin, R.V'Size);
   Say ("layouts__rec.v[6]", R.V (6)'Address, Origin, 32);
   Say ("layouts__rec.n[-2]", R.N (-2)'Address, Origin, 32);
   Say ("layouts__rec.n[0]", R.N (0)'Address, Origin, 32);
   Say ("layouts__rec.l", R.L'Address, Origin, 32);
   Say_Bits ("layouts__rec.a[13]", R.A'Position * 8 + 12, Bits'Component_Size);
   Say_Bits ("layouts__rec.d[5]", R.D'Position * 8 + 5 * Nibbles'Component_Size, Nibbles'Component_Size);

   Say ("layouts__packed", K'Address, K'Address, Packed'Object_Size);
   Say_Bits ("layouts__packed.q", K.Q'Position * 8 + K.Q'First_Bit, 32);
   Say_Bits ("layouts__packed.r", K.R'Position * 8 + K.R'First_Bit, 7);
   Say_Bits ("layouts__packed.p[606]", K.P'Position * 8 + K.P'First_Bit + 605, 1);

   Say ("layouts__buffer.x", B.X'Address, B'Address, 32);
   Say ("layouts__buffer.s[1]", B.S (1)'Address, B'Address, 8);
   Say ("layouts__buffer.s[7]", B.S (7)'Address, B'Address, 8);
   Put_Line ("layouts__buffer.s " & Image (Integer (B.S'Address - B'Address)) & " -");
   Put_Line ("layouts__buffer 0 -");
end Layouts_Main;
