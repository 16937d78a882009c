// Types of the same names in two modules.
module corpus.scopes;

import corpus.inner;

struct Impl
{
    double x;
    union
    {
        int i;
        float f;
    }
    string s;
    int[string] map;
}

interface Shape
{
    double area();
}

class Circle : Shape
{
    double radius;
    Impl mine;
    corpus.inner.Impl theirs;
    override double area() { return radius; }
}

final class Derived : Base
{
    Circle[] circles;
    void delegate(int) call;
    struct Nested
    {
        byte b;
        long l;
    }
    Nested nested;
}

enum Colour : ushort
{
    red = 1,
    green = 7
}

align(1) struct Packed
{
align(1):
    byte b;
    long l;
    short s;
    Colour colour;
}

struct Pair(T)
{
    T first;
    T second;
}

__gshared Packed packed;
__gshared Pair!int ints;
__gshared Pair!(corpus.inner.Impl) impls;
__gshared Derived derived;

int sum()
{
    return derived.id + cast(int) derived.circles[0].area();
}
