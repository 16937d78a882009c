/* Types whose names people write shorter than compilers do. */

#include <array>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace a {
inline namespace v1 {
template <typename T> struct Held {
    T value;
    struct Inner {
        T more;
    };
};
struct Plain {
    int x;
};
}
namespace b {
struct Deep {
    long y;
};
}
}

namespace c {
struct Deep {
    short z;
};
struct Other {
    a::Held<a::Plain> held;
};
}

std::vector<int> numbers;
std::vector<std::string> texts;
std::map<std::string, std::vector<int>> table;
std::unordered_map<unsigned long, a::Plain> hashed;
std::unique_ptr<c::Other> owner;
std::array<short, 4> four;
std::tuple<int, short> both;
a::Held<const char *> held;
a::Held<int>::Inner inner;
a::b::Deep first;
c::Deep second;
c::Other other;
