#include "modules.h"

struct Holder {
    mod::Foo foo;
    mod::Box<int> box;
    mod::Box<mod::Inner> boxes[3];
    mod::Colour colour;
    mod::Table table;
    std::unique_ptr<mod::Foo> owned;
    int z;
};

struct Derived : mod::Foo {
    Holder *holder;
    mod::Inner more[2];
};

mod::Foo::~Foo() = default;

Holder holder;

int last(Derived &derived) {
    return derived.holder->z + derived.bits;
}
