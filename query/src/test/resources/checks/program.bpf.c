/* Relocations of every kind against the types of target.c. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define CORE __attribute__((preserve_access_index))

enum color { RED = 1, GREEN = 2, BLUE = 3 };
enum color___other { GREEN___other = 7, PURPLE = 8 };
enum gone { NONE };
typedef enum { ONE = 1, TWO } numeral;
typedef struct { int x, y; } CORE point;
typedef struct { int z; } CORE point3;

struct inner { int first; long second[4]; } CORE;
struct inner___x { int second; } CORE;
struct both { int as_int; } CORE;
union both___union { int as_int; double as_float; } CORE;
struct absent { int member; } CORE;

struct node {
    struct node *next;
    struct inner inner;
    enum color color;
    unsigned flag : 3;
    signed low : 5;
    int hidden, deep;
    point at;
    char name[32];
    int number;
    struct inner table[3];
    int missing;
    float ratio;
    int matrix[2][3];
    int flexible[0];
} CORE;

struct node___other {
    int vanished;
    struct inner *number;
    struct { int a; } ratio;
    long wide;
    struct inner next;
    char table;
    int color;
    enum color hidden;
    enum gone another_color;
    enum color___other of_flavour;
    void *name[32];
    unsigned char bytes[16];
    int matrix[6];
    _Bool deep;
} CORE;

char LICENSE[] SEC("license") = "GPL";
volatile long sink;

#define READ(member)                               \
    do {                                           \
        void *p;                                   \
        bpf_core_read(&p, sizeof p, &(member));    \
        sink += (long)p;                           \
    } while (0)

SEC("uprobe")
int probe(void *context)
{
    struct node *n = context;
    struct node___other *other = context;
    READ(n->next);
    READ(n->inner.first);
    READ(n->inner.second[2]);
    READ(n->table[1].second[3]);
    READ(n->color);
    READ(n->hidden);
    READ(n->deep);
    READ(n->at.y);
    READ(n->name[15]);
    READ(n->name[16]);
    READ(n->missing);
    READ(n->matrix[1][2]);
    READ(n->matrix);
    READ(n->flexible[5]);
    READ(other->vanished);
    READ(other->number);
    READ(other->ratio.a);
    READ(other->wide);
    READ(other->next);
    READ(other->table);
    READ(other->color);
    READ(other->hidden);
    READ(other->another_color);
    READ(other->of_flavour);
    READ(other->name);
    READ(other->bytes);
    READ(other->matrix);
    READ(other->deep);
    READ(((struct absent *)context)->member);
    READ(((struct inner___x *)context)->second);
    READ(((struct both *)context)->as_int);
    READ(((union both___union *)context)->as_int);
    READ(((union both___union *)context)->as_float);
    sink += bpf_core_field_size(n->number);
    sink += bpf_core_field_size(n->missing);
    sink += bpf_core_field_exists(n->number);
    sink += bpf_core_field_exists(n->missing);
    sink += bpf_core_field_exists(other->vanished);
    sink += BPF_CORE_READ_BITFIELD_PROBED(n, flag);
    sink += BPF_CORE_READ_BITFIELD_PROBED(n, low);
    sink += bpf_core_type_exists(struct inner);
    sink += bpf_core_type_exists(struct absent);
    sink += bpf_core_type_exists(struct both);
    sink += bpf_core_type_exists(point);
    sink += bpf_core_type_exists(point3);
    sink += bpf_core_type_size(struct inner);
    sink += bpf_core_type_size(struct absent);
    sink += bpf_core_type_id_kernel(struct inner);
    sink += bpf_core_type_id_kernel(struct absent);
    sink += bpf_core_enum_value_exists(enum color, RED);
    sink += bpf_core_enum_value_exists(enum color, BLUE);
    sink += bpf_core_enum_value(enum color, GREEN);
    sink += bpf_core_enum_value(enum color, BLUE);
    sink += bpf_core_enum_value(enum color___other, PURPLE);
    sink += bpf_core_enum_value_exists(enum gone, NONE);
    sink += bpf_core_enum_value(numeral, TWO);
    return 0;
}
