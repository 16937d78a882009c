/* Declarations that are read from the name outwards, and qualifiers that belong to one part of them. */

typedef int row[4];
typedef int compare(const void *, const void *);
typedef const row const_row;

enum state { IDLE, BUSY = 7 };

struct opaque;

struct held {
    char tag;
    double value;
};

struct declarators {
    void (*(*xDlSym)(struct opaque *, void *, const char *))(void);
    int (*(*table)[3])(void);
    int (*const *pointer_to_const)[4];
    void (*volatile handler)(void);
    int (*(*(*deep)(int (*)[2], char *const *))[5])(enum state, ...);
    char *(*names[3])(const struct held *);
    char *strings[2][3];
    int (*row)[4];
    row rows[2];
    compare *by_typedef;
    compare *const ordered[2];
    void (*unprototyped)();
    struct held *(*(*makers)[2])(struct held (*)(void));
    union {
        float (*as_float)(void);
        struct {
            unsigned short (*const small)[7];
        } inner[2];
    };
};

struct qualified {
    const int numbers[3];
    char *const words[2];
    const char *const texts[2][3];
    const volatile long clock[2];
    const_row typed;
    const struct held all[2];
    struct held *const volatile last;
    int *restrict only;
    _Atomic int atomic;
    int *_Atomic atomic_pointer;
    const enum state states[2];
    unsigned flags : 3;
    const unsigned fixed : 5;
    char tail[];
};

typedef struct {
    const unsigned char bytes[16];
    void (*release)(void *);
} unnamed;

struct user {
    unnamed by_value;
    const unnamed *by_pointer;
};

struct declarators declarators;
struct qualified *qualified;
struct user user;
