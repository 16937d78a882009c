/* Types that compilers and people spell in different ways. */

template <typename T> struct Box {
    T value;
};

template <typename K, typename V> struct Pair {
    K key;
    V value;
};

namespace n {
struct Held {
    int x;
};
}

namespace {
struct Hidden {
    long x;
};
}

Box<unsigned long> number;
Pair<short, unsigned char> pair;
Box<const char *> text;
Box<const n::Held *> pointer;
Box<Hidden> hidden;
Box<const Hidden *> hidden_pointer;

long use() {
    return hidden.value.x + hidden_pointer.value->x;
}
