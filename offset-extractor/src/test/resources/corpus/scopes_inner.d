module corpus.inner;

struct Impl
{
    int a;
    long b;
    ubyte[3] c;
}

class Base
{
    int id;
    Impl impl;
}

__gshared Impl inner;
