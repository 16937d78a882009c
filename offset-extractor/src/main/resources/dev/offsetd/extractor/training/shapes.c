/*
 * What the training run reads: one of each shape that types have in C, in two translation units that share some.
 * Made with gcc 12.2.0 and binutils 2.40 of Debian 12:
 *
 *   gcc -g -gdwarf-5 -O1 -fPIC -fno-asynchronous-unwind-tables -ffile-prefix-map=$PWD=training -c shapes.c
 *   gcc -g -gdwarf-5 -O1 -fPIC -fno-asynchronous-unwind-tables -ffile-prefix-map=$PWD=training -DSECOND \
 *       -c shapes.c -o second.o
 *   gcc -shared -nostdlib -Wl,--build-id shapes.o second.o -o shapes.so
 *   objcopy --remove-section=.comment --compress-debug-sections=zlib shapes.so shapes-zlib.so
 *   objcopy --remove-section=.comment shapes.so
 */
typedef unsigned long size_type;
typedef int (*comparison)(const void *, const void *);

enum state { RUNNING, SLEEPING = 4, STOPPED = 1 << 20 };

struct list {
    struct list *next, *previous;
};

union value {
    long integer;
    double real;
    struct {
        unsigned char tag;
        char text[7];
    } small;
};

struct flags {
    unsigned ready : 1, depth : 7;
    enum state state : 24;
};

struct object {
    struct list links;
    union value value;
    struct flags flags;
    volatile const char *name;
    comparison compare;
    size_type sizes[4][2];
    struct opaque *hidden;
    struct {
        short x, y;
    };
    char rest[];
} __attribute__((aligned(16)));

#ifdef SECOND
struct only_here {
    struct object *first;
    enum state state;
};
struct only_here owner;
static int private_counter;
int second(struct object *object) {
    private_counter += object->flags.depth;
    return object->compare(object, owner.first) + private_counter;
}
#else
struct list head = {&head, &head};
struct object *objects[16];
extern int second(struct object *object);
long first(struct object *object, enum state state) {
    struct local {
        int step;
        struct object *object;
    } local = {state == STOPPED, object};
    object->flags.state = state;
    return second(local.object) + local.step;
}
#endif
