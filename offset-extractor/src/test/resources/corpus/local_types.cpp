/* Types that are local to functions. */

struct Held {
    long held;
};

namespace n {
struct Class {
    int method();
};
template <typename T> long instance(T value) {
    struct Local {
        T value;
    };
    Local local{value};
    return sizeof local;
}
}

int first() {
    struct Local {
        int one;
    };
    struct Held {
        char in_function;
    };
    Local local{1};
    Held held{2};
    return local.one + held.in_function;
}

int second() {
    struct Local {
        int one;
    };
    Local local{1};
    {
        struct Block {
            struct Inner {
                short deep;
            } inner;
        };
        Block block{{3}};
        return local.one + block.inner.deep;
    }
}

int n::Class::method() {
    struct Local {
        char many[9];
    };
    Local local{};
    return local.many[0];
}

template <typename T> struct Shared {
    static T common;
    T own;
};
template <typename T> T Shared<T>::common = 5;

struct Elsewhere {
    static int missing;
    int here;
};

struct Virtual {
    virtual ~Virtual() = default;
    int number;
};

Held held;
Virtual object;
Shared<int> ints;
Shared<long> longs;
Elsewhere elsewhere;
long statics = Shared<int>::common + Shared<long>::common;
long used = n::instance(1) + n::instance('c');
