// A module whose types the units that import it only declare.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mod {
struct Inner {
    int a;
    long b;
};
struct Foo {
    virtual ~Foo();
    char c;
    Inner in;
    int bits : 5;
};
template <class T>
struct Box {
    T value;
    int n;
};
enum class Colour : unsigned short { red = 1, green = 7 };
using Table = std::map<std::string, std::vector<Inner>>;
}
