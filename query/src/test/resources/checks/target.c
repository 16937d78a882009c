/* Types of a program in user space that program.bpf.c relocates against. */
struct inner { int first; long second[4]; };
union both { int as_int; float as_float; };
enum color { RED = 1, GREEN = 2 };
enum unrelated { BLUE = 9, PURPLE, NONE };
typedef enum { ONE = 1, TWO } numeral;
typedef struct { int x, y; } point;
struct leaf;

struct node {
    struct node *next;
    struct inner inner;
    union both both;
    enum color color, another_color, of_flavour;
    unsigned flag : 3, rest : 13;
    signed low : 5;
    struct { int hidden; union { int deep; char deep_bytes[4]; }; };
    point at;
    char name[16];
    signed char bytes[8];
    int number;
    struct inner table[3];
    float ratio;
    struct leaf *leaf;
    int wide;
    int matrix[2][3];
    int flexible[];
};

struct node *nodes;
enum color colors;
enum unrelated unrelated;
numeral numerals;
