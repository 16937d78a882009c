// Prints items with their offsets and sizes.
import std.stdio;

struct Point
{
    int x;
    double y;
}

struct Shape
{
    byte tag;
    Point[3] corners;
    string name;
    int[] list;
    int[string] map;
    void delegate(int) changed;
    union
    {
        long whole;
        int[2] halves;
    }
    ubyte[4][2] grid;
}

class Animal
{
    int legs;
    long weight;
}

class Dog : Animal
{
    byte barks;
    Shape shape;
}

enum Colour : ushort
{
    red = 1,
    green = 7
}

struct Painted
{
    Colour colour;
    bool flag;
    char c;
    wchar w;
    dchar d;
    real exact;
}

Shape shape;
Painted painted;

void say(T)()
{
    static foreach (i; 0 .. T.tupleof.length)
        writefln("%s.%s %d %d", T.stringof, __traits(identifier, T.tupleof[i]), T.tupleof[i].offsetof, typeof(T.tupleof[i]).sizeof);
}

void main()
{
    writefln("Shape 0 %d", Shape.sizeof);
    say!Shape;
    writefln("Shape.corners[2].y %d %d", Shape.corners.offsetof + 2 * Point.sizeof + Point.y.offsetof, double.sizeof);
    writefln("Shape.grid[1][3] %d 1", Shape.grid.offsetof + 7);
    writefln("Painted 0 %d", Painted.sizeof);
    say!Painted;
    say!Animal;
    writefln("Dog 0 %d", __traits(classInstanceSize, Dog));
    say!Dog;
    writefln("Dog.weight %d %d", Animal.weight.offsetof, long.sizeof);
    writefln("Dog.shape.grid[0][2] %d 1", Dog.shape.offsetof + Shape.grid.offsetof + 2);
    new Dog().barks = 1;
}
