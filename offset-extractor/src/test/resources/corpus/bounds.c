/* Prints items with their offsets and sizes: arrays whose upper bounds are read wrongly as signed numbers, or have none. */
#include <stddef.h>
#include <stdio.h>

struct largest {
    char bytes[0x100000000];
    int after;
};

struct below {
    unsigned char bytes[0xffffffff];
    char after;
};

struct half {
    char bytes[0x80000000];
    short rows[0x8000][0x10001];
};

struct flexible {
    int count;
    struct {
        short key;
        long value;
    } entries[];
};

struct none {
    char first;
    int nothing[0];
    char last;
};

struct byte {
    char bytes[256];
    char shorts[65536];
};

struct largest *largest;
struct below *below;
struct half *half;
struct flexible *flexible;
struct none *none;
struct byte *byte;

#define TYPE(type) printf(#type " 0 %zu\n", sizeof(struct type))
#define MEMBER(type, member) \
    printf(#type "." #member " %zu %zu\n", offsetof(struct type, member), sizeof(((struct type *)0)->member))

int main(void) {
    TYPE(largest);
    MEMBER(largest, bytes);
    MEMBER(largest, bytes[4294967295]);
    MEMBER(largest, after);
    TYPE(below);
    MEMBER(below, bytes);
    MEMBER(below, bytes[4294967294]);
    MEMBER(below, after);
    TYPE(half);
    MEMBER(half, bytes[2147483647]);
    MEMBER(half, rows);
    MEMBER(half, rows[32767]);
    MEMBER(half, rows[32767][65536]);
    TYPE(flexible);
    printf("flexible.entries %zu 0\n", offsetof(struct flexible, entries));
    MEMBER(flexible, entries[0]);
    MEMBER(flexible, entries[5].value);
    TYPE(none);
    MEMBER(none, nothing);
    MEMBER(none, last);
    TYPE(byte);
    MEMBER(byte, bytes);
    MEMBER(byte, bytes[255]);
    MEMBER(byte, shorts);
    MEMBER(byte, shorts[65535]);
    return 0;
}
