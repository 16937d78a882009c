// Layouts that C++ has and C has not: base classes, overlapping tail padding, virtual bases, empty bases and members,
// static members, bit-fields across bases, nested and local types, templates, unnamed types.
namespace shapes {
struct empty {};
struct other_empty {};
struct tail {
    virtual ~tail();
    int first;
    char last;
};
struct in_tail : tail {
    char behind;
    short more;
};
struct from_empty : empty, other_empty {
    empty nested;
    int value;
};
struct no_unique {
    [[no_unique_address]] empty nothing;
    [[no_unique_address]] tail reused;
    char in_its_tail;
};
struct base_bits {
    unsigned a : 3;
    unsigned b : 7;
};
struct derived_bits : base_bits {
    unsigned c : 4;
    unsigned : 0;
    long d : 40;
    bool e : 1;
};
struct virtual_base {
    long x;
};
struct left : virtual virtual_base {
    int l;
};
struct right : virtual virtual_base {
    int r;
};
struct diamond : left, right {
    int d;
    static int shared;
    static constexpr int constant = 4;
};
union either {
    tail *pointer;
    struct {
        int a, b;
    };
    struct {
        char bytes[5];
    } named;
    double number;
};
enum class small : unsigned char { zero, most = 255 };
enum class negative : signed char { least = -128, most = 127 };
enum wide : unsigned long { huge = ~0UL };
template <typename T, int N> struct array {
    T elements[N];
    T two[N][N + 1];
    struct iterator {
        array *owner;
        int at;
    };
    iterator last;
};
class pointers {
    int tail::*data;
    void (tail::*function)();
    int &reference;
    int &&temporary;
    void (*plain)(int, ...);
    decltype(nullptr) null;
    int flexible[];
};
struct alignas(64) aligned {
    char c;
    alignas(16) char d;
};
struct __attribute__((packed)) packed {
    char c;
    long l;
    unsigned bits : 5;
    long more : 33;
};
tail::~tail() {}
int diamond::shared;
tail a_tail;
in_tail an_in_tail;
from_empty a_from_empty;
no_unique a_no_unique;
derived_bits a_derived_bits;
diamond a_diamond;
either an_either;
small a_small;
negative a_negative;
wide a_wide;
array<short, 3> an_array;
array<array<either, 2>, 2> a_nested_array;
pointers *some_pointers;
aligned an_aligned;
packed a_packed;
}  // namespace shapes

int local(int n) {
    struct on_stack {
        int a;
        unsigned b : 3;
    } value = {n, 1};
    auto closure = [value, &n](int m) { return value.a + n + m; };
    return closure(n);
}
