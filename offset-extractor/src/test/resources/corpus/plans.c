#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

struct leaf {
    char name[16];
    int16_t small;
    unsigned flag : 3;
    signed level : 5;
    int64_t big;
    double ratio;
    union { uint32_t word; uint8_t bytes[4]; };
};
typedef struct { int first; struct leaf *leaf; struct leaf row[3]; } holder_t;
struct opaque;
struct node {
    long before;
    struct node *next;
    const holder_t *const holder;
    struct leaf **table;
    struct leaf *array;
    int (*pair)[2];
    struct { short tag; struct leaf *inside; } *unnamed;
    struct opaque *hidden;
    void *anything;
    void (*call)(void);
    struct leaf inner;
};
static struct leaf leaves[4] = {
    {"zero", -1, 1, -2, -10, 0.5, {100}}, {"one", -2, 2, -3, -20, 1.5, {200}},
    {"two", -3, 3, -4, -30, 2.5, {300}}, {"three", -4, 4, -5, -40, 3.5, {400}}};
static struct leaf *table[2] = {&leaves[2], &leaves[3]};
static holder_t holder = {7, &leaves[1], {{"row", 5, 5, 5, 5, 5.5, {5}}}};
static int pairs[2][2] = {{1, 2}, {3, 4}};
struct node second = {2, 0, &holder, table, leaves, pairs, 0, 0, 0, 0, {"inner"}};
struct node root = {1, &second, &holder, table, leaves, pairs, 0, 0, 0, 0, {"root"}};
struct node *start = &root;
__thread struct node of_thread;
__thread int counter = 3;

__attribute__((noinline)) long handle(struct node *node) { return node->before + (of_thread.next = node)->before + counter; }

int main(void) {
    root.unnamed = 0;
    printf("%p %p %ld\n", (void *)&root, (void *)&start, handle(&root));
    fflush(stdout);
    getchar();
    return 0;
}
