/* Types in the forms that a debugger in C meets. */
struct list_head {
    struct list_head *next, *prev;
};
enum colour { RED, GREEN = 5, BLUE = -1 };
enum wide { HUGE_VALUE = 0x1234567890 };
typedef unsigned long counter;
typedef struct {
    int a;
} unnamed;
typedef int (*handler)(int, const char *, ...);
typedef char buffer[8];
struct inner {
    long l;
    char name[16];
};
struct opaque;
struct outer {
    unsigned a : 3, b : 7;
    long long c : 40;
    struct list_head list;
    struct inner in[2][3];
    enum colour colour;
    enum wide wide;
    counter count;
    unnamed same;
    handler call;
    void (*done)(void);
    union {
        int i;
        float f;
        struct {
            signed char low : 4, high : 4;
        };
    };
    const char *volatile text;
    void *anything;
    struct opaque *hidden;
    struct inner **deep;
    _Bool flag;
    double d;
    char *names[4];
    int (*row)[5];
    const volatile struct inner *seen;
    buffer bytes;
    int flexible[];
};
union either {
    struct outer *outer;
    unsigned char raw[8];
};
struct holder {
    struct {
        short s;
    } named;
};
/* clang ignores this. */
#pragma scalar_storage_order big-endian
struct reversed {
    int row[3];
    unsigned short s;
    unsigned low : 5, high : 11;
    double d;
    counter count;
    enum colour colour;
    struct inner *pointer;
};
#pragma scalar_storage_order default
struct reversed reversed = {{5, 6, -7}, 0x1234, 21, 1000, 1.5, 0x123456789, GREEN, 0};
struct outer outer;
union either either;
struct holder holder;
