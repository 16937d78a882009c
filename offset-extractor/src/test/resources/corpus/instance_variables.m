// Instance variables, which a non-fragile runtime places, beside structs, which it does not.
struct pair {
    int first;
    long second;
    unsigned low : 3, high : 4;
};

@interface Base {
    Class isa;
@public
    int number;
    char letter;
}
@end

@implementation Base
@end

@interface Derived : Base {
@public
    short small;
    double real;
    id object;
    unsigned bits : 3;
    unsigned more : 7;
    struct pair pairs[2];
}
@end

@implementation Derived
@end

@interface Last : Derived {
@public
    Derived *other;
    union {
        int whole;
        char parts[4];
    } either;
}
@end

@implementation Last
@end

@interface Root {
    Class isa;
}
@end

@implementation Root
@end

struct holder {
    Last *last;
    Root *root;
    id any;
    SEL selector;
    Class class;
} holder;

int sum(Derived *derived) {
    return derived->small + derived->more + holder.last->either.whole;
}
