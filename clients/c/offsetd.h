/* SPDX-License-Identifier: Apache-2.0 */
/* Client of offsetd: struct offsets, sizes and symbols by ELF build-id. Needs libcurl 7.83 and POSIX threads.
 *
 * An answer comes from one place: the server, else a cache on the disk, else a table that the program ships. It has every
 * required item, or there is an error.
 */
#ifndef OFFSETD_H
#define OFFSETD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of a client; 0 or NULL stands for the default. */
struct offsetd_options {
    const char *token;    /* with scope "read", if the server requires one */
    double wait;          /* seconds that a call may wait for a build that is being fetched, or a busy server; 2 */
    size_t max_response;  /* bytes of the largest response; 8 MiB */
    long long max_cache;  /* bytes of all files of the cache; 64 MiB */
};

/* What the caller knows of a program; NULL for what it does not state. */
struct offsetd_program {
    const char *name;    /* of the runtime: "ruby" */
    const char *version; /* of the runtime, as complete as the fallback table has it: "3.4.5" */
    const char *machine; /* as uname -m prints it: "x86_64" */
    const char *tokens;  /* of its variant, for a consensus only, separated by commas: "ruby.yjit=yes" */
};

/* Items of one build. Lists end with NULL; a missing list is empty. */
struct offsetd_query {
    const char *build_id;           /* a GNU build-id, or an alias key */
    const char *const *items;       /* required: without one of them there is no answer. For a type set, those that it requires */
    const char *const *optional;    /* items that the caller can do without; with a name map, names of it */
    const char *name_map;           /* the name map of the only item, a type set; the values are then under its names */
    struct offsetd_program program; /* chooses the entry of the fallback table, and states the program for a consensus */
    int consensus;                  /* accepts an answer by consensus of similar builds */
};

enum offsetd_source {
    OFFSETD_NONE,        /* there is no answer; the error says why */
    OFFSETD_SERVER,
    OFFSETD_REVALIDATED, /* from the cache; the server confirmed that it is current */
    OFFSETD_CACHE,       /* from the cache; the server gave no answer */
    OFFSETD_FALLBACK     /* from the table */
};

enum offsetd_reason {
    OFFSETD_OK,          /* the server answered */
    OFFSETD_FETCHING,    /* the server is fetching or reading the build: ask again after retry_after */
    OFFSETD_NO_BUILD,    /* every source of the server definitely has no such build */
    OFFSETD_UNUSABLE,    /* a file of the build exists and cannot answer */
    OFFSETD_NOT_COVERED, /* the build lacks a required item; the detail says which */
    OFFSETD_REFUSED,     /* the token is missing, wrong or lacks the scope "read" */
    OFFSETD_UNAVAILABLE, /* the server is busy, or it or a source of it failed */
    OFFSETD_UNREACHABLE, /* there was no response */
    OFFSETD_UNEXPECTED,  /* the response is not that of an offsetd */
    OFFSETD_BAD_REQUEST, /* a fault of the caller: do not repeat the request */
    OFFSETD_NO_MEMORY
};

/* Why there is no answer, or why an answer is not the server's. */
struct offsetd_error {
    enum offsetd_reason reason;
    int status;       /* of HTTP; 0 if there was no response */
    long retry_after; /* seconds after which to ask again; -1 if the server did not say */
    char code[48];    /* of the problem, for programs: "build_not_found"; may be empty */
    char detail[256]; /* for people */
};

struct offsetd_answer {
    enum offsetd_source source;
    struct offsetd_error error; /* why the answer is not the server's */
    char machine[32];           /* as uname -m prints it; empty if the server has nothing but pins of the build */
    int big_endian;
    int complete;               /* every requested item was found */
    int stale;                  /* may be outdated: use it, and ask again soon */
    int consensus;              /* the builds that the values rest on if they are not exact; 0 if they are */
    int distinct;               /* their different answers; 1 if they agree in every item */
    int claimed;                /* a part of what the server knows of the build is a claim */
    char *text;
};

/* Answer for one item. Numbers that are unknown are -1; a missing item has no numbers at all. */
struct offsetd_value {
    int found;            /* of a type set: the server knows it; offsetd_covered says whether the build has it */
    char status[24];      /* "found", "consensus", or why the item is missing */
    int64_t offset, size; /* bytes from the start of the outermost type; -1 for bit-fields, whose place is not whole bytes */
    const char *json;     /* the JSON of the item, valid as long as the answer */
    size_t json_length;
    int incomplete;       /* a damaged part of the file, which was left out, may change the value */
};

/* Place of a bit-field: the bytes to load, and the bits in memory order from the start of the outermost type. */
struct offsetd_bit_field {
    int64_t offset, size, bit_offset, bit_size;
};

/* A step of a plan: adds the offset to the address so far, or, with a pointer size, reads a pointer of this size from there, which
 * is the next address. */
struct offsetd_step {
    int64_t offset;
    int pointer_size;
};

/* The way from the address of a variable, or of an object of a type, to a value. The bits of a bit-field count in memory order from
 * where the steps lead to. Texts do not end with NUL. */
struct offsetd_plan {
    int64_t size, bit_offset, bit_size; /* -1 if unknown, and for values that are no bit-fields */
    int is_signed;
    const char *symbol;                 /* of the variable; empty for a type, and if the file has no symbol of it */
    size_t symbol_length;
    uint64_t address;                   /* of the variable; 0 if it is thread-local */
    int in_tls;                         /* the first offset counts from the start of the block of the module */
    const char *byte_order;             /* "big" or "little" if the value has not the byte order of the build, else empty */
    size_t byte_order_length;
};

/* Symbol of a file. The value of a thread-local variable is its offset in the TLS segment. Texts do not end with NUL. */
struct offsetd_symbol {
    const char *name, *type, *binding, *section; /* type "FUNC", "OBJECT", "TLS"; section "UND" if imported */
    size_t name_length, type_length, binding_length, section_length;
    uint64_t value, size; /* size 0 if unknown */
    int imported;         /* another file defines it */
    uint64_t offset;      /* bytes from its start to the address of a place */
    uint64_t file_offset; /* of its first byte in the file of the program; 0 if unknown */
};

/* Segment of thread-local variables (PT_TLS). */
struct offsetd_tls {
    uint64_t address, memory_size, alignment;
};

/* How much of a type set a build has. A group counts as one item. */
struct offsetd_coverage {
    int required_found, required_of, optional_found, optional_of;
};

/* Loaded segment (PT_LOAD) of a program. */
struct offsetd_segment {
    uint64_t offset, vaddr, file_size;
};

/* Address in a program, as struct bpf_stack_build_id has it. */
struct offsetd_frame {
    const char *build_id; /* in hex, also if filled up with zeros; NULL or empty if only an instruction pointer is known */
    uint64_t address;     /* of a return address, the byte before it, which is part of the call */
    int in_file;          /* the address is an offset in the file of the program, not an ELF virtual address */
    const struct offsetd_segment *segments; /* of the program; NULL if unknown. A server that has only the debug file needs those of
                                             * one frame of each build for offsets in files */
    size_t segment_count;
};

/* What a build has at the address of a frame. The detail does not end with NUL. */
struct offsetd_place {
    char status[24];            /* "found", or why something is missing: "not_found", "no_segments", "no_line", ...; empty if
                                 * there is an error */
    const char *detail;         /* of the status, for people; may be empty, NULL if there is an error */
    size_t detail_length;
    struct offsetd_error error; /* why the build has no answer */
    uint64_t address;           /* ELF virtual address; 0 if unknown, and of offsetd_symbolize */
    const char *json;           /* of what is found, valid as long as the places; NULL if there is an error */
};

/* Function that has the code at an address. Texts are as JSON has them, do not end with NUL, and are empty if unknown. */
struct offsetd_function {
    const char *name, *linkage_name, *file; /* the name with the scopes around it; the one that linkers see, if it is another */
    size_t name_length, linkage_name_length, file_length;
    int line, column; /* 0 if unknown */
    int inlined;      /* into the next one */
};

struct offsetd_places {
    size_t count;
    struct offsetd_place *at; /* in the order of the frames */
    char **texts;
};

struct offsetd_client;

/* Returns a client, which threads may share. NULL if a part cannot be right; the error, which may be NULL, says which.
 * The fallback table is a JSON object with answers by build-id, or by runtime, version and machine, such as
 * "ruby 3.4.5 x86_64"; it may be NULL. */
struct offsetd_client *offsetd_new(const char *server, const char *cache_dir, const char *fallback,
                                   const struct offsetd_options *options, struct offsetd_error *error);
void offsetd_free(struct offsetd_client *client);

/* Returns an answer with every required item, or one whose source is OFFSETD_NONE; NULL only if memory is exhausted. */
struct offsetd_answer *offsetd_offsets(struct offsetd_client *client, const struct offsetd_query *query);
/* Puts the answers to queries into a list of the same length. All builds are waited for together. */
void offsetd_batch(struct offsetd_client *client, const struct offsetd_query *queries, size_t count,
                   struct offsetd_answer **answers);
void offsetd_answer_free(struct offsetd_answer *answer);

/* Returns the symbols at frames; NULL only if memory is exhausted. All builds are waited for together; those that take longer have
 * an error with the reason OFFSETD_FETCHING. Neither the cache nor the table is used. */
struct offsetd_places *offsetd_places(struct offsetd_client *client, const struct offsetd_frame *frames, size_t count);
/* Returns the functions at frames, inlined ones too, with their files and lines, as offsetd_places returns symbols. */
struct offsetd_places *offsetd_symbolize(struct offsetd_client *client, const struct offsetd_frame *frames, size_t count);
void offsetd_places_free(struct offsetd_places *places);
/* Puts up to count symbols of a place into a list, the preferred one first, and returns how many it has; -1 if the server does not
 * list all. */
int offsetd_symbols_at(const struct offsetd_place *place, struct offsetd_symbol *symbols, int count);
/* Puts up to count functions of a place into a list, the innermost one first, and returns how many it has. */
int offsetd_functions_at(const struct offsetd_place *place, struct offsetd_function *functions, int count);

/* Returns the value of an item, or of a name of a name map. Its status is "not_answered" if there is none. */
struct offsetd_value offsetd_value(const struct offsetd_answer *answer, const char *item);
/* Returns whether the answer has all items of a list that ends with NULL; for a type set, all that it requires. It decides on
 * optional items that are of use only together. */
int offsetd_covered(const struct offsetd_answer *answer, const char *const *items);

/* Each returns whether the value has one. */
int offsetd_bit_field(const struct offsetd_value *value, struct offsetd_bit_field *field);
/* The value of an enumerator, or of a name of a name map. That of an enumeration of 8 bytes is its bits: uint64_t if it has no
 * sign. */
int offsetd_number(const struct offsetd_value *value, int64_t *number);
/* Returns the number of steps to a value behind pointers, or to a variable or a member of one, also of a name of a name map, and
 * puts up to count of them into a list; 0 for everything else. */
int offsetd_plan(const struct offsetd_value *value, struct offsetd_plan *plan, struct offsetd_step *steps, int count);
int offsetd_tls(const struct offsetd_value *value, struct offsetd_tls *tls);
int offsetd_coverage(const struct offsetd_value *value, struct offsetd_coverage *coverage);
/* Puts up to count symbols into a list, and returns how many the value has; -1 if the server does not list all. */
int offsetd_symbols(const struct offsetd_value *value, struct offsetd_symbol *symbols, int count);
/* Returns the field's bits of a load: the size bytes at offset, as one number in the byte order of the build. */
uint64_t offsetd_extract(const struct offsetd_bit_field *field, uint64_t load, int big_endian);

/* Writes the GNU build-id of an ELF file in hex, and returns whether it has one; -1 with errno if the file cannot be read. The
 * path may be that of a mapped file, /proc/PID/map_files/START-END, which works when the file was replaced. */
int offsetd_build_id(const char *path, char build_id[129]);

/* Returns "server", "revalidated", "cache", "fallback" or "none". */
const char *offsetd_source_name(enum offsetd_source source);
/* Returns "fetching", "no build" and so on; "ok" if the server answered. */
const char *offsetd_reason_name(enum offsetd_reason reason);

#ifdef __cplusplus
}
#endif

#endif
