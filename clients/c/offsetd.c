/* SPDX-License-Identifier: Apache-2.0 */
/* Client of offsetd; offsetd.h describes it. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "offsetd.h"

#include <curl/curl.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* OFFSETD_GRACE: seconds for responses beyond the wait that the server was asked for */
enum { OFFSETD_LONGEST_URL = 4000, OFFSETD_DEPTH = 64, OFFSETD_BATCH = 50, OFFSETD_GRACE = 2, OFFSETD_MOST_NOTES = 1 << 16 };

static const double offsetd_longest_delay = 300;

struct offsetd_client {
    char *server, *folder, *fallback, *token;
    double wait;
    size_t max_response;
    long long max_cache;
    pthread_mutex_t mutex; /* guards what follows */
    int failures;
    double not_before;
    struct offsetd_error last; /* why not_before is in the future */
    unsigned seed;
};

/* ---- text ---- */

struct offsetd_text {
    char *bytes; /* ends with a NUL that is not counted */
    size_t length, limit;
    size_t capacity; /* of bytes, with the NUL */
    int failed; /* memory is exhausted, or the limit was exceeded */
};

static void offsetd_append(struct offsetd_text *text, const char *bytes, size_t length)
{
    if (text->failed || length > text->limit - text->length) {
        text->failed = 1;
        return;
    }
    size_t needed = text->length + length + 1;
    if (needed > text->capacity) {
        size_t capacity = needed + needed / 2; /* a text that is made of single characters takes linear time */
        char *larger = (char *)realloc(text->bytes, capacity);
        if (!larger) {
            text->failed = 1;
            return;
        }
        text->bytes = larger;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

static void offsetd_add(struct offsetd_text *text, const char *string)
{
    offsetd_append(text, string, strlen(string));
}

static struct offsetd_text offsetd_text(size_t limit)
{
    struct offsetd_text text = {NULL, 0, limit, 0, 0};
    offsetd_append(&text, "", 0);
    return text;
}

/* ---- JSON: positions in a text that ends with NUL; NULL where the text is malformed ---- */

static const char *offsetd_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *offsetd_skip_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20 || (*at == '\\' && !*++at))
            return NULL;
        for (int digits = *at == 'u' && at[-1] == '\\' ? 4 : 0; digits; digits--) {
            if (!isxdigit((unsigned char)*++at))
                return NULL;
        }
    }
    return at + 1;
}

/* Returns the end of a value. */
static const char *offsetd_skip(const char *at, int depth)
{
    if (*at == '"')
        return offsetd_skip_string(at);
    if (*at != '{' && *at != '[') {
        size_t length = strcspn(at, ",]} \t\r\n");
        return length && strspn(at, "-+.0123456789aeflnrstuE") >= length ? at + length : NULL;
    }
    char open = *at, close = open == '{' ? '}' : ']';
    at = offsetd_space(at + 1);
    if (*at == close)
        return at + 1;
    while (depth < OFFSETD_DEPTH) {
        if (open == '{') {
            if (!(at = offsetd_skip_string(at)) || *(at = offsetd_space(at)) != ':')
                return NULL;
            at = offsetd_space(at + 1);
        }
        if (!(at = offsetd_skip(at, depth + 1)))
            return NULL;
        at = offsetd_space(at);
        if (*at == close)
            return at + 1;
        if (*at != ',')
            return NULL;
        at = offsetd_space(at + 1);
    }
    return NULL;
}

/* Returns the first element of an array, or the name of the first member of an object, in well-formed JSON; NULL if there is
 * none. */
static const char *offsetd_first(const char *container)
{
    if (!container || (*container != '{' && *container != '['))
        return NULL;
    const char *at = offsetd_space(container + 1);
    return *at == '}' || *at == ']' ? NULL : at;
}

/* Returns the element, or the name of the member, after a value; NULL if there is none. */
static const char *offsetd_next(const char *value)
{
    const char *at = offsetd_space(offsetd_skip(value, 0));
    return *at == ',' ? offsetd_space(at + 1) : NULL;
}

/* Returns the value of the member whose name is at a position. */
static const char *offsetd_value_of(const char *name)
{
    return offsetd_space(offsetd_space(offsetd_skip_string(name)) + 1);
}

/* Returns the character at a position in a JSON string, and moves behind it. An escaped one beyond ASCII is DEL: servers write
 * these as they are. */
static char offsetd_character(const char **at)
{
    static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (**at != '\\')
        return *(*at)++;
    const char *escape = strchr(escapes, (*at)[1]);
    *at += 2;
    if (escape)
        return meanings[escape - escapes];
    unsigned code = 0x7f;
    if ((*at)[-1] == 'u') {
        sscanf(*at, "%4x", &code);
        *at += 4;
    }
    return code && code < 0x7f ? (char)code : 0x7f;
}

/* Returns whether a JSON string is equal to a C string. */
static int offsetd_equals(const char *at, const char *string)
{
    for (at++; *at != '"';) {
        if (offsetd_character(&at) != *string++)
            return 0;
    }
    return *string == '\0';
}

/* Copies a JSON string, cut at the size; an empty one if the value is none. */
static void offsetd_take(const char *value, char *to, size_t size)
{
    size_t length = 0;
    if (value && *value == '"') {
        for (value++; *value != '"' && length + 1 < size;)
            to[length++] = offsetd_character(&value);
    }
    to[length] = '\0';
}

/* Returns the value of a member of an object in well-formed JSON; NULL if there is none. */
static const char *offsetd_member(const char *object, const char *name)
{
    const char *value;
    if (!object || *object != '{')
        return NULL;
    for (const char *at = offsetd_first(object); at; at = offsetd_next(value)) {
        value = offsetd_value_of(at);
        if (offsetd_equals(at, name))
            return value;
    }
    return NULL;
}

static int offsetd_is_true(const char *value)
{
    return value && strncmp(value, "true", 4) == 0;
}

/* Returns whether the value is an answer; its build-id is not compared if that is NULL. */
static int offsetd_is_answer(const char *answer, const char *build_id)
{
    const char *version = offsetd_member(answer, "schemaVersion"), *about = offsetd_member(answer, "buildId");
    const char *offsets = offsetd_member(answer, "offsets");
    return version && version[0] == '1' && !strchr("0123456789.eE", version[1] ? version[1] : 'x') && offsets
           && *offsets == '{' && (!build_id || (about && *about == '"' && offsetd_equals(about, build_id)));
}

/* Returns whether a text is an answer for this build, and nothing else. */
static int offsetd_parse(const char *text, const char *build_id)
{
    const char *start = offsetd_space(text), *end = offsetd_skip(start, 0);
    return end && !*offsetd_space(end) && offsetd_is_answer(start, build_id);
}

/* Reads a number or null, and returns its end; NULL if the value is neither. */
static const char *offsetd_read_number(const char *at, int64_t *number)
{
    *number = -1;
    if (strncmp(at, "null", 4) == 0)
        return at + 4;
    char *end;
    errno = 0;
    long long value = *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : -1;
    if (value < 0 || errno || strchr(".eE", *end))
        return NULL;
    *number = value;
    return end;
}

static int offsetd_count(const char *at)
{
    int64_t number;
    return at && offsetd_read_number(at, &number) && number > 0 && number < 1000000 ? (int)number : 0;
}

/* Returns a member with an address in hex, or with a number that is not negative. */
static uint64_t offsetd_unsigned(const char *object, const char *name)
{
    const char *at = offsetd_member(object, name);
    return at ? strtoull(*at == '"' ? at + 1 : at, NULL, *at == '"' ? 16 : 10) : 0;
}

/* Reads the two numbers of a place, or the four of a bit-field; returns how many there are, or 0 if it is malformed. */
static int offsetd_place(const char *at, int64_t numbers[4])
{
    int count = 0;
    if (*at != '[')
        return 0;
    do {
        at = offsetd_read_number(offsetd_space(at + 1), &numbers[count]);
        at = at ? offsetd_space(at) : NULL;
    } while (at && ++count < 4 && *at == ',');
    if (!at || *at != ']' || numbers[0] < 0)
        return 0;
    return count == 2 || (count == 4 && numbers[1] >= 0 && numbers[2] >= 0 && numbers[3] >= 0) ? count : 0;
}

static struct offsetd_value offsetd_read_value(const char *at, int consensus)
{
    struct offsetd_value value = {0, "not_answered", -1, -1, NULL, 0, 0};
    int64_t numbers[4];
    if (!at)
        return value;
    value.json = at;
    value.json_length = (size_t)(offsetd_skip(at, 0) - at);
    strcpy(value.status, "malformed");
    if (*at == '{' && (offsetd_member(at, "status") || !offsetd_member(at, "steps"))) { /* plans of name maps have no status */
        offsetd_take(offsetd_member(at, "status"), value.status, sizeof value.status);
        value.found = strcmp(value.status, "found") == 0 || strcmp(value.status, "consensus") == 0;
        return value;
    }
    int count = offsetd_place(at, numbers);
    value.found = count || *at == '{' || offsetd_number(&value, numbers);
    if (value.found)
        strcpy(value.status, consensus ? "consensus" : "found");
    if (count == 2) {
        value.offset = numbers[0];
        value.size = numbers[1];
    }
    return value;
}

struct offsetd_value offsetd_value(const struct offsetd_answer *answer, const char *item)
{
    const char *body = answer->text ? offsetd_space(answer->text) : NULL;
    struct offsetd_value value = offsetd_read_value(offsetd_member(offsetd_member(body, "offsets"), item), answer->consensus);
    const char *incomplete = offsetd_member(body, "incompleteItems");
    for (const char *at = offsetd_first(incomplete); at && value.json; at = offsetd_next(at)) {
        char whole[1024];
        offsetd_take(at, whole, sizeof whole);
        size_t length = strlen(whole);
        if (strncmp(item, whole, length) == 0 && (item[length] == '\0' || item[length] == '.'))
            value.incomplete = 1;
    }
    return value;
}

int offsetd_bit_field(const struct offsetd_value *value, struct offsetd_bit_field *field)
{
    int64_t numbers[4];
    if (!value->json || offsetd_place(value->json, numbers) != 4)
        return 0;
    field->offset = numbers[0];
    field->size = numbers[1];
    field->bit_offset = numbers[2];
    field->bit_size = numbers[3];
    return 1;
}

uint64_t offsetd_extract(const struct offsetd_bit_field *field, uint64_t load, int big_endian)
{
    int64_t shift = field->bit_offset % 8;
    if (big_endian)
        shift = 8 * field->size - shift - field->bit_size;
    if (shift < 0 || shift > 63)
        return 0;
    return load >> shift & (field->bit_size < 64 ? ((uint64_t)1 << field->bit_size) - 1 : UINT64_MAX);
}

int offsetd_number(const struct offsetd_value *value, int64_t *number)
{
    const char *at = value->json;
    if (!at || *at == '[' || (*at == '{' && (!value->found || !(at = offsetd_member(at, "value")))))
        return 0;
    int hex = *at == '"';
    char *end;
    errno = 0;
    /* A number in hex without a sign may have 64 bits. */
    int64_t read = hex && at[1] != '-' ? (int64_t)strtoull(at + 1, &end, 16) : strtoll(at + hex, &end, hex ? 16 : 10);
    if (errno || end == at + hex || strchr(hex ? "" : ".eE", *end) || (hex && *end != '"'))
        return 0;
    *number = read;
    return 1;
}

int offsetd_tls(const struct offsetd_value *value, struct offsetd_tls *tls)
{
    const char *at = value->found ? offsetd_member(value->json, "tls") : NULL;
    if (!at)
        return 0;
    tls->address = offsetd_unsigned(at, "address");
    tls->memory_size = offsetd_unsigned(at, "memorySize");
    tls->alignment = offsetd_unsigned(at, "alignment");
    return 1;
}

int offsetd_coverage(const struct offsetd_value *value, struct offsetd_coverage *coverage)
{
    const char *at = value->found ? offsetd_member(value->json, "coverage") : NULL;
    const char *required = offsetd_member(at, "required"), *optional = offsetd_member(at, "optional");
    if (!required || !optional)
        return 0;
    coverage->required_found = offsetd_count(offsetd_member(required, "found"));
    coverage->required_of = offsetd_count(offsetd_member(required, "of"));
    coverage->optional_found = offsetd_count(offsetd_member(optional, "found"));
    coverage->optional_of = offsetd_count(offsetd_member(optional, "of"));
    return 1;
}

static const char *offsetd_string(const char *object, const char *name, size_t *length)
{
    const char *at = offsetd_member(object, name);
    *length = at && *at == '"' ? (size_t)(offsetd_skip_string(at) - at) - 2 : 0;
    return *length ? at + 1 : "";
}

/* Puts up to count symbols of an object into a list, and returns how many it has; -1 if not all are listed. */
static int offsetd_list(const char *object, struct offsetd_symbol *symbols, int count)
{
    int found = 0;
    const char *listed = offsetd_member(object, "symbols");
    for (const char *at = offsetd_first(listed); at; at = offsetd_next(at), found++) {
        if (found >= count)
            continue;
        struct offsetd_symbol *symbol = &symbols[found];
        symbol->name = offsetd_string(at, "name", &symbol->name_length);
        symbol->type = offsetd_string(at, "type", &symbol->type_length);
        symbol->binding = offsetd_string(at, "binding", &symbol->binding_length);
        symbol->section = offsetd_string(at, "section", &symbol->section_length);
        symbol->value = offsetd_unsigned(at, "value");
        symbol->size = offsetd_unsigned(at, "size");
        symbol->imported = offsetd_is_true(offsetd_member(at, "imported"));
        symbol->offset = offsetd_unsigned(at, "offset");
        symbol->file_offset = offsetd_unsigned(at, "fileOffset");
    }
    return offsetd_is_true(offsetd_member(object, "truncated")) ? -1 : found;
}

int offsetd_symbols(const struct offsetd_value *value, struct offsetd_symbol *symbols, int count)
{
    return offsetd_list(value->found ? value->json : NULL, symbols, count);
}

int offsetd_symbols_at(const struct offsetd_place *place, struct offsetd_symbol *symbols, int count)
{
    return offsetd_list(place->json, symbols, count);
}

int offsetd_functions_at(const struct offsetd_place *place, struct offsetd_function *functions, int count)
{
    int found = 0;
    for (const char *at = offsetd_first(offsetd_member(place->json, "frames")); at; at = offsetd_next(at), found++) {
        if (found >= count)
            continue;
        struct offsetd_function *function = &functions[found];
        function->name = offsetd_string(at, "function", &function->name_length);
        function->linkage_name = offsetd_string(at, "linkageName", &function->linkage_name_length);
        function->file = offsetd_string(at, "file", &function->file_length);
        function->line = (int)offsetd_unsigned(at, "line");
        function->column = (int)offsetd_unsigned(at, "column");
        function->inlined = offsetd_is_true(offsetd_member(at, "inlined"));
    }
    return found;
}

static int64_t offsetd_known(const char *object, const char *name)
{
    const char *at = offsetd_member(object, name);
    int64_t number;
    return at && offsetd_read_number(at, &number) ? number : -1;
}

/* Returns whether an answer is of a variable. */
static int offsetd_is_variable(const char *object)
{
    return offsetd_member(object, "symbol") || offsetd_member(object, "address");
}

int offsetd_plan(const struct offsetd_value *value, struct offsetd_plan *plan, struct offsetd_step *steps, int count)
{
    const char *json = value->found && value->json && *value->json == '{' ? value->json : NULL;
    const char *listed = json ? offsetd_member(json, "steps") : NULL;
    if (!json || (!listed && (!offsetd_is_variable(json) || !offsetd_member(json, "offset"))))
        return 0;
    plan->size = offsetd_known(json, "size");
    plan->bit_offset = offsetd_known(json, "bitOffset");
    plan->bit_size = offsetd_known(json, "bitSize");
    plan->is_signed = offsetd_is_true(offsetd_member(json, "signed"));
    plan->symbol = offsetd_string(json, "symbol", &plan->symbol_length);
    plan->address = offsetd_unsigned(json, "address");
    plan->in_tls = offsetd_is_true(offsetd_member(json, "threadLocal"));
    plan->byte_order = offsetd_string(json, "byteOrder", &plan->byte_order_length);
    if (!listed) {
        if (plan->bit_offset > 0)
            plan->bit_offset %= 8;
        if (count > 0)
            steps[0] = (struct offsetd_step){strtoll(offsetd_member(json, "offset"), NULL, 10), 0};
        return 1;
    }
    int found = 0;
    for (const char *at = offsetd_first(listed); at; at = offsetd_next(at), found++) {
        const char *offset = offsetd_member(at, "offset");
        if (found < count)
            steps[found] = (struct offsetd_step){offset ? strtoll(offset, NULL, 10) : 0,
                                                 offsetd_count(offsetd_member(at, "pointerSize"))};
    }
    return found;
}

/* ---- what an answer lacks ---- */

struct offsetd_lack {
    int count;
    int definite; /* the build is known not to have one of these; it is not if something hides it */
    char detail[200];
};

static int offsetd_is_definite(const char *status)
{
    return strcmp(status, "type_not_found") == 0 || strcmp(status, "field_not_found") == 0;
}

/* Adds an item; the status of a group is empty. */
static void offsetd_add_lack(struct offsetd_lack *lack, const char *item, const char *status)
{
    size_t length = strlen(lack->detail);
    if (lack->count++ < 3)
        snprintf(lack->detail + length, sizeof lack->detail - length, "%s%.100s%s%s%s", length ? ", " : "", item,
                 *status ? " (" : "", status, *status ? ")" : "");
    lack->definite |= offsetd_is_definite(status);
}

/* Adds the required items that an answer for a type set lacks. */
static void offsetd_add_set(struct offsetd_lack *lack, const char *set, const struct offsetd_value *value)
{
    struct offsetd_coverage coverage;
    char name[101], status[24];
    int before = lack->count;
    if (!offsetd_coverage(value, &coverage)) {
        offsetd_add_lack(lack, set, "malformed");
        return;
    }
    const char *at = offsetd_first(offsetd_member(offsetd_member(value->json, "coverage"), "missing"));
    for (; at; at = offsetd_next(at)) {
        const char *need = offsetd_member(at, "need"), *group = offsetd_member(at, "group");
        if (!need || *need != '"' || !offsetd_equals(need, "required"))
            continue;
        offsetd_take(group ? group : offsetd_member(at, "item"), name, sizeof name);
        offsetd_take(offsetd_member(at, "status"), status, sizeof status);
        offsetd_add_lack(lack, name, status);
        for (const char *item = offsetd_first(offsetd_member(at, "items")); item; item = offsetd_next(item)) {
            offsetd_take(offsetd_member(item, "status"), status, sizeof status);
            lack->definite |= offsetd_is_definite(status);
        }
    }
    if (lack->count == before && coverage.required_found < coverage.required_of)
        offsetd_add_lack(lack, set, "malformed");
}

static int offsetd_is_listed(const char *const *list, const char *name)
{
    for (; list && *list; list++) {
        if (offsetd_equals(name, *list))
            return 1;
    }
    return 0;
}

/* Adds the names of a name map that an answer lacks. */
static void offsetd_add_names(struct offsetd_lack *lack, const struct offsetd_query *query, const char *body)
{
    const char *map = offsetd_member(body, "map"), *named = offsetd_member(map, "name"), *set = offsetd_member(map, "set");
    const char *value;
    char name[101];
    if (!named || !set || !offsetd_equals(named, query->name_map) || !offsetd_equals(set, query->items[0] + 1)) {
        offsetd_add_lack(lack, query->items[0], "not_answered");
        return;
    }
    for (const char *at = offsetd_first(offsetd_member(body, "offsets")); at; at = offsetd_next(value)) {
        value = offsetd_value_of(at);
        struct offsetd_value read = offsetd_read_value(value, 0);
        if (!read.found && !offsetd_is_listed(query->optional, at)) {
            offsetd_take(at, name, sizeof name);
            offsetd_add_lack(lack, name, read.status);
        }
    }
}

/* Adds what the body of an answer lacks of items. */
static void offsetd_add_items(struct offsetd_lack *lack, const char *const *items, const char *body)
{
    const char *offsets = offsetd_member(body, "offsets");
    for (; items && *items; items++) {
        struct offsetd_value value = offsetd_read_value(offsetd_member(offsets, *items), 0);
        if (!value.found)
            offsetd_add_lack(lack, *items, value.status);
        else if (**items == '@')
            offsetd_add_set(lack, *items, &value);
    }
}

static struct offsetd_lack offsetd_missing(const struct offsetd_query *query, const char *body)
{
    struct offsetd_lack lack = {0, 0, ""};
    if (query->name_map)
        offsetd_add_names(&lack, query, body);
    else
        offsetd_add_items(&lack, query->items, body);
    return lack;
}

int offsetd_covered(const struct offsetd_answer *answer, const char *const *items)
{
    struct offsetd_lack lack = {0, 0, ""};
    offsetd_add_items(&lack, items, answer->text ? offsetd_space(answer->text) : NULL);
    return lack.count == 0;
}

/* ---- cache: one file per answer; ../README.md describes the format ---- */

static void offsetd_hash(const char *bytes, size_t length, char hex[17])
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    snprintf(hex, 17, "%016" PRIx64, hash);
}

static struct offsetd_text offsetd_path(const struct offsetd_client *client, const char *name)
{
    struct offsetd_text path = offsetd_text(SIZE_MAX / 2);
    offsetd_add(&path, client->folder);
    offsetd_add(&path, "/");
    offsetd_add(&path, name);
    return path;
}

static struct offsetd_text offsetd_file_of(const struct offsetd_client *client, const char *key)
{
    char name[sizeof "0123456789abcdef.offsetd"];
    offsetd_hash(key, strlen(key), name);
    strcat(name, ".offsetd");
    return offsetd_path(client, name);
}

/* Returns the line at a position and moves behind it; NULL if there is none. */
static char *offsetd_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');
    if (!end)
        return NULL;
    *end = '\0';
    *at = end + 1;
    return line;
}

/* Returns the content of the file of a key, whose ETag and body lie within; its bytes are NULL if there is none. */
static struct offsetd_text offsetd_read(const struct offsetd_client *client, const char *key, char **etag, char **body)
{
    struct offsetd_text path = offsetd_file_of(client, key), stored = offsetd_text((size_t)client->max_cache);
    FILE *file = path.failed ? NULL : fopen(path.bytes, "rb");
    char buffer[4096], hash[17], *first, *sum, *at;
    size_t length;
    while (file && (length = fread(buffer, 1, sizeof buffer, file)) > 0)
        offsetd_append(&stored, buffer, length);
    at = stored.bytes;
    int sound = file && !stored.failed && (first = offsetd_line(&at)) && (*etag = offsetd_line(&at))
                && (sum = offsetd_line(&at)) && strcmp(first, key) == 0;
    if (sound) {
        *body = at;
        length = stored.length - (size_t)(at - stored.bytes);
        offsetd_hash(at, length, hash);
        sound = strcmp(sum, hash) == 0 && strlen(at) == length;
        utimensat(AT_FDCWD, path.bytes, NULL, 0); /* eviction is by last use */
    }
    if (file)
        fclose(file);
    free(path.bytes);
    if (!sound) {
        free(stored.bytes);
        stored.bytes = NULL;
    }
    return stored;
}

struct offsetd_file {
    time_t used;
    long long size;
    char name[sizeof "0123456789abcdef.offsetd"];
};

static int offsetd_by_use(const void *one, const void *other)
{
    time_t a = ((const struct offsetd_file *)one)->used, b = ((const struct offsetd_file *)other)->used;
    return (a > b) - (a < b);
}

/* Removes the least recently used answers until the rest fits, and what killed writers left. */
static void offsetd_evict(const struct offsetd_client *client)
{
    DIR *folder = opendir(client->folder);
    struct offsetd_file *files = NULL;
    size_t count = 0;
    long long total = 0;
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        struct stat info;
        if (fstatat(dirfd(folder), entry->d_name, &info, 0))
            continue; /* another process evicted it */
        size_t length = strlen(entry->d_name);
        if (length == sizeof files->name - 1 && strcmp(entry->d_name + 16, ".offsetd") == 0) {
            struct offsetd_file *more = (struct offsetd_file *)realloc(files, (count + 1) * sizeof *files);
            if (!more)
                break;
            files = more;
            files[count].used = info.st_mtime;
            files[count].size = info.st_size;
            memcpy(files[count++].name, entry->d_name, length + 1);
            total += info.st_size;
        } else if (strncmp(entry->d_name, ".unfinished-", 12) == 0 && info.st_mtime < time(NULL) - 3600)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (total > client->max_cache) {
        qsort(files, count, sizeof *files, offsetd_by_use);
        for (size_t i = 0; i < count && total > client->max_cache; i++) {
            unlinkat(dirfd(folder), files[i].name, 0);
            total -= files[i].size;
        }
    }
    free(files);
    if (folder)
        closedir(folder);
}

/* Stores an answer. A full disk is no error: nothing is stored then. */
static void offsetd_write(const struct offsetd_client *client, const char *key, const char *etag, const char *body,
                          size_t length)
{
    struct offsetd_text path = offsetd_file_of(client, key), unfinished = offsetd_path(client, ".unfinished-XXXXXX");
    char hash[17];
    for (char *slash = client->folder; (slash = strchr(slash + 1, '/'));) { /* the folder and those above it */
        *slash = '\0';
        mkdir(client->folder, 0755);
        *slash = '/';
    }
    mkdir(client->folder, 0755);
    int descriptor = path.failed || unfinished.failed ? -1 : mkstemp(unfinished.bytes);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (file) {
        offsetd_hash(body, length, hash);
        fprintf(file, "%s\n%s\n%s\n", key, etag, hash);
        fwrite(body, 1, length, file);
        int failed = ferror(file);
        if (fclose(file) || failed || rename(unfinished.bytes, path.bytes))
            unlink(unfinished.bytes);
        else
            offsetd_evict(client);
    }
    free(path.bytes);
    free(unfinished.bytes);
}

/* ---- requests ---- */

static double offsetd_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Returns whether the pause ended before the given time. */
static int offsetd_sleep(double pause, double end)
{
    if (pause > end - offsetd_now())
        return 0;
    struct timespec time = {(time_t)pause, (long)((pause - (double)(time_t)pause) * 1e9)};
    while (nanosleep(&time, &time) && errno == EINTR)
        ;
    return 1;
}

/* Returns a number between two; needs the mutex. */
static double offsetd_jitter(struct offsetd_client *client, double least, double most)
{
    client->seed = client->seed * 1103515245u + 12345u;
    return least + (most - least) * ((client->seed >> 16) / 65536.0);
}

/* Returns how long no thread asks the server: exponential, with jitter, and at least as long as it demands. */
static double offsetd_failed(struct offsetd_client *client, const struct offsetd_error *why)
{
    double demanded = why->retry_after < 0 ? 0 : (double)why->retry_after;
    pthread_mutex_lock(&client->mutex);
    double delay = client->failures < 9 ? (double)(1 << client->failures) : offsetd_longest_delay;
    delay = (delay < offsetd_longest_delay ? delay : offsetd_longest_delay) * offsetd_jitter(client, 0.5, 1);
    demanded = (demanded < offsetd_longest_delay ? demanded : offsetd_longest_delay) * offsetd_jitter(client, 1, 1.25);
    if (delay < demanded)
        delay = demanded;
    client->failures++;
    double now = offsetd_now();
    if (client->not_before < now + delay) {
        client->not_before = now + delay;
        client->last = *why;
    }
    delay = client->not_before - now;
    pthread_mutex_unlock(&client->mutex);
    return delay;
}

static double offsetd_succeeded(struct offsetd_client *client, double pause)
{
    pthread_mutex_lock(&client->mutex);
    client->failures = 0;
    pause *= offsetd_jitter(client, 1, 1.25);
    pthread_mutex_unlock(&client->mutex);
    return pause;
}

static void offsetd_say(struct offsetd_error *error, enum offsetd_reason reason, const char *format, ...)
{
    struct offsetd_error said = {reason, 0, -1, "", ""};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(said.detail, sizeof said.detail, format, arguments);
    va_end(arguments);
    if (error)
        *error = said;
}

/* Returns the reason that a status stands for. A source that fails at present may have a build whose problem is incomplete. */
static enum offsetd_reason offsetd_reason_of(int status, const char *code, int incomplete)
{
    if (status == 200 || status == 304)
        return OFFSETD_OK;
    if (status == 202)
        return OFFSETD_FETCHING;
    if (status == 401 || status == 403)
        return OFFSETD_REFUSED;
    if (status == 404)
        return strcmp(code, "build_not_found") != 0 ? OFFSETD_UNEXPECTED : incomplete ? OFFSETD_UNAVAILABLE : OFFSETD_NO_BUILD;
    if (status == 409 || status == 422)
        return OFFSETD_UNUSABLE;
    if (status == 408 || status == 429 || status >= 500)
        return OFFSETD_UNAVAILABLE;
    return status >= 400 && *code ? OFFSETD_BAD_REQUEST : OFFSETD_UNEXPECTED;
}

/* Returns whether a source of the server failed, which says nothing about other builds. A 502 or 504 without a code is that of a
 * proxy whose server is away. */
static int offsetd_is_of_source(const struct offsetd_error *error)
{
    int failed = error->status == 404 || error->status == 502 || error->status == 504;
    return error->reason == OFFSETD_UNAVAILABLE && failed && *error->code;
}

/* Returns the reason that a status stands for, with what a problem says about it; that is NULL if there is none. */
static struct offsetd_error offsetd_problem(int status, const char *problem, long retry_after)
{
    struct offsetd_error error = {OFFSETD_OK, status, retry_after, "", ""};
    offsetd_take(offsetd_member(problem, "code"), error.code, sizeof error.code);
    offsetd_take(offsetd_member(problem, "detail"), error.detail, sizeof error.detail);
    const char *said = offsetd_member(problem, "retryAfter");
    int64_t seconds;
    if (retry_after < 0 && said && offsetd_read_number(said, &seconds))
        error.retry_after = (long)seconds;
    char cause[16];
    offsetd_take(offsetd_member(problem, "cause"), cause, sizeof cause);
    error.reason = offsetd_reason_of(status, error.code, strcmp(cause, "incomplete") == 0);
    return error;
}

struct offsetd_request {
    const char *target, *content, *etag; /* the content is NULL for a GET */
};

struct offsetd_response {
    struct offsetd_error error; /* its status is that of the response */
    char etag[256];
    struct offsetd_text body;
};

static size_t offsetd_receive(char *data, size_t size, size_t count, void *to)
{
    struct offsetd_text *body = (struct offsetd_text *)to;
    offsetd_append(body, data, size * count);
    return body->failed ? 0 : size * count;
}

static struct curl_slist *offsetd_header(struct curl_slist *headers, const char *name, const char *value)
{
    struct offsetd_text line = offsetd_text(SIZE_MAX / 2);
    offsetd_add(&line, name);
    offsetd_add(&line, value);
    struct curl_slist *more = line.failed ? NULL : curl_slist_append(headers, line.bytes);
    free(line.bytes);
    return more ? more : headers;
}

/* Reads the status and the header of a response. */
static void offsetd_understand(CURL *curl, struct offsetd_response *response)
{
    struct curl_header *header;
    long status = 0, retry_after = -1;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    response->etag[0] = '\0';
    if (curl_easy_header(curl, "ETag", 0, CURLH_HEADER, -1, &header) == CURLHE_OK
        && strlen(header->value) < sizeof response->etag)
        strcpy(response->etag, header->value);
    /* The other form of Retry-After, a date, is not read. */
    if (curl_easy_header(curl, "Retry-After", 0, CURLH_HEADER, -1, &header) == CURLHE_OK
        && strspn(header->value, "0123456789") == strlen(header->value) && strlen(header->value) < 9)
        retry_after = atol(header->value);
    const char *problem = response->body.bytes ? offsetd_space(response->body.bytes) : "";
    response->error = offsetd_problem((int)status, offsetd_skip(problem, 0) ? problem : NULL, retry_after);
}

/* Sends a request once. */
static void offsetd_once(const struct offsetd_client *client, const struct offsetd_request *request, double left,
                         struct offsetd_response *response)
{
    CURL *curl = curl_easy_init();
    struct curl_slist *headers = NULL;
    struct offsetd_text url = offsetd_text(SIZE_MAX / 2);
    char wait[32];
    free(response->body.bytes);
    response->body = offsetd_text(client->max_response);
    offsetd_add(&url, client->server);
    offsetd_add(&url, request->target);
    if (!curl || url.failed) {
        offsetd_say(&response->error, OFFSETD_NO_MEMORY, "memory is exhausted");
        curl_easy_cleanup(curl);
        free(url.bytes);
        return;
    }
    snprintf(wait, sizeof wait, "wait=%d", left < 0 ? 0 : left > 30 ? 30 : (int)(left + 0.5));
    headers = offsetd_header(headers, "Prefer: ", wait);
    headers = offsetd_header(headers, "Accept: ", "application/json");
    if (request->content) {
        headers = offsetd_header(headers, "Content-Type: ", "application/json");
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->content);
    }
    if (request->etag && *request->etag)
        headers = offsetd_header(headers, "If-None-Match: ", request->etag);
    if (client->token)
        headers = offsetd_header(headers, "Authorization: Bearer ", client->token);
    curl_easy_setopt(curl, CURLOPT_URL, url.bytes);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "offsetd-c/1");
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, ""); /* every encoding that libcurl decodes */
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)((left + OFFSETD_GRACE) * 1000) + 1); /* 0 would be no limit */
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, offsetd_receive);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &response->body);
    CURLcode result = curl_easy_perform(curl);
    if (result == CURLE_OK)
        offsetd_understand(curl, response);
    else if (response->body.failed)
        offsetd_say(&response->error, OFFSETD_UNEXPECTED, "the response has more than %zu bytes", client->max_response);
    else
        offsetd_say(&response->error, OFFSETD_UNREACHABLE, "%s", curl_easy_strerror(result));
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    free(url.bytes);
}

/* Returns how long the server is not to be asked, and why. */
static double offsetd_backoff(struct offsetd_client *client, struct offsetd_error *last)
{
    pthread_mutex_lock(&client->mutex);
    double pause = client->not_before - offsetd_now();
    *last = client->last;
    pthread_mutex_unlock(&client->mutex);
    return pause;
}

/* Sends a request until there is a result or waiting is over. It does not wait for a server that cannot be reached, and sends
 * nothing when the responses to earlier parts of a batch have taken all of the time. */
static void offsetd_exchange(struct offsetd_client *client, const struct offsetd_request *request, double end,
                             struct offsetd_response *response)
{
    for (;;) {
        struct offsetd_error last;
        double pause = offsetd_backoff(client, &last);
        if (pause > 0 && !offsetd_sleep(pause, end)) {
            response->error = last;
            response->error.retry_after = (long)pause + 1;
            snprintf(response->error.detail, sizeof response->error.detail, "not asked again yet: %.200s", last.detail);
            return;
        }
        double left = end - offsetd_now();
        if (left <= -OFFSETD_GRACE) {
            offsetd_say(&response->error, OFFSETD_UNREACHABLE, "no time was left to ask for this part of the batch");
            return;
        }
        offsetd_once(client, request, left, response);
        enum offsetd_reason reason = response->error.reason;
        if (reason == OFFSETD_FETCHING || offsetd_is_of_source(&response->error)) {
            pause = response->error.retry_after > 0 ? (double)response->error.retry_after : 0.1;
            pause = offsetd_succeeded(client, pause);
        } else if (reason == OFFSETD_UNAVAILABLE) {
            pause = offsetd_failed(client, &response->error);
        } else if (reason == OFFSETD_UNREACHABLE) {
            offsetd_failed(client, &response->error);
            return;
        } else {
            offsetd_succeeded(client, 0);
            return;
        }
        if (!offsetd_sleep(pause, end))
            return;
    }
}

#define OFFSETD_NO_KEY "not a build-id: \"%.100s\"; expected 8 to 64 bytes in hex, or go:, htl: or sha256: and a value"

/* Writes the spelling of a key that the server uses, up to 203 bytes, and returns whether it is one. */
static int offsetd_key(const char *text, char *key)
{
    static const char *const hex = "0123456789abcdef";
    static const char *const of_go = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.=+~";
    size_t length = strlen(text);
    int is_go = strncmp(text, "go:", 3) == 0;
    if (length > 203)
        return 0;
    for (size_t i = 0; i <= length; i++)
        key[i] = !is_go && text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
    if (is_go)
        return length > 3 && strspn(key + 3, of_go) == length - 3;
    if (strncmp(key, "htl:", 4) == 0)
        return length == 36 && strspn(key + 4, hex) == 32;
    if (strncmp(key, "sha256:", 7) == 0)
        return length == 71 && strspn(key + 7, hex) == 64;
    return length >= 16 && length <= 128 && length % 2 == 0 && strspn(key, hex) == length;
}

/* Returns the build-id that an answer must have; NULL for an alias key, because a build may be stored under another key. */
static const char *offsetd_expected(const char *key)
{
    return strchr(key, ':') ? NULL : key;
}

/* Appends a text in the spelling of a form. */
static void offsetd_escape(struct offsetd_text *url, const char *at)
{
    for (; *at; at++) {
        char escaped[4] = {*at, '\0', '\0', '\0'};
        if (*at == ' ')
            escaped[0] = '+';
        else if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~", *at))
            snprintf(escaped, sizeof escaped, "%%%02X", (unsigned char)*at);
        offsetd_add(url, escaped);
    }
}

/* Adds a JSON string. */
static void offsetd_quote(struct offsetd_text *to, const char *text)
{
    offsetd_add(to, "\"");
    for (; *text; text++) {
        char escaped[8] = {*text, '\0'};
        if (*text == '"' || *text == '\\' || (unsigned char)*text < 0x20)
            snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned char)*text);
        offsetd_add(to, escaped);
    }
    offsetd_add(to, "\"");
}

/* Parameters of a request that accepts a consensus; the values of claims that are not made are NULL. */
enum { OFFSETD_CLAIMS = 5 };
static const char *const offsetd_claims[OFFSETD_CLAIMS] = {"fallback", "name", "version", "machine", "tokens"};

static const char *offsetd_claim(const struct offsetd_query *query, int i)
{
    const struct offsetd_program *program = &query->program;
    const char *const values[OFFSETD_CLAIMS] = {"consensus", program->name, program->version, program->machine,
                                                program->tokens};
    return query->consensus && values[i] && *values[i] ? values[i] : NULL;
}

/* Returns the items of the request, required and optional ones, one after the other. */
static const char *offsetd_asked(const struct offsetd_query *query, size_t i)
{
    size_t required = 0;
    for (; query->items[required]; required++) {
        if (required == i)
            return query->items[i];
    }
    for (const char *const *item = query->name_map ? NULL : query->optional; item && *item; item++) {
        if (required++ == i)
            return *item;
    }
    return NULL;
}

/* Returns path and parameters of a request, with or without the items, in an order and spelling that all clients share. */
static struct offsetd_text offsetd_target(const char *build_id, const struct offsetd_query *query, int with_items)
{
    struct offsetd_text url = offsetd_text(SIZE_MAX / 2);
    const char *item, *claim;
    offsetd_add(&url, "/v1/offsets/");
    offsetd_add(&url, build_id);
    offsetd_add(&url, "?");
    if (query->name_map) {
        offsetd_add(&url, "map=");
        offsetd_escape(&url, query->name_map);
        offsetd_add(&url, "&");
    }
    for (size_t i = 0; with_items && (item = offsetd_asked(query, i)); i++) {
        offsetd_add(&url, i ? "%2C" : "types=");
        offsetd_escape(&url, item);
    }
    offsetd_add(&url, with_items ? "&view=" : "view=");
    offsetd_add(&url, query->name_map ? "map" : "flat");
    for (int i = 0; i < OFFSETD_CLAIMS; i++) {
        if ((claim = offsetd_claim(query, i))) {
            offsetd_add(&url, "&");
            offsetd_add(&url, offsetd_claims[i]);
            offsetd_add(&url, "=");
            offsetd_escape(&url, claim);
        }
    }
    return url;
}

/* Adds the items as a JSON array. */
static void offsetd_add_asked(struct offsetd_text *content, const struct offsetd_query *query)
{
    const char *item;
    offsetd_add(content, "[");
    for (size_t i = 0; (item = offsetd_asked(query, i)); i++) {
        if (i)
            offsetd_add(content, ",");
        offsetd_quote(content, item);
    }
    offsetd_add(content, "]");
}

/* Adds a member of a JSON object that has others. */
static void offsetd_add_member(struct offsetd_text *content, const char *name, const char *value)
{
    offsetd_add(content, ",");
    offsetd_quote(content, name);
    offsetd_add(content, ":");
    offsetd_quote(content, value);
}

/* ---- the interface ---- */

/* A query, and what the cache has of it. */
struct offsetd_task {
    const struct offsetd_query *query;
    char id[204];
    struct offsetd_text key; /* of the cache, and the URL without the server */
    struct offsetd_text stored;
    char *etag, *old; /* in what is stored; NULL if there is no answer */
    struct offsetd_answer *answer;
    long fetching; /* seconds after which to ask again if the server is fetching the build and the cache has no answer; else -1 */
};

/* The response to one query; the body is NULL unless it is an answer for the build. */
struct offsetd_reply {
    struct offsetd_error error;
    const char *etag, *body;
    size_t length;
};

static void offsetd_fill(struct offsetd_answer *answer, enum offsetd_source source, const char *text, size_t length)
{
    answer->text = (char *)malloc(length + 1);
    if (!answer->text) {
        offsetd_say(&answer->error, OFFSETD_NO_MEMORY, "memory is exhausted");
        return;
    }
    memcpy(answer->text, text, length);
    answer->text[length] = '\0';
    const char *start = offsetd_space(answer->text);
    answer->source = source;
    answer->complete = offsetd_is_true(offsetd_member(start, "complete"));
    answer->stale = source == OFFSETD_CACHE || offsetd_is_true(offsetd_member(start, "stale"));
    const char *arch = offsetd_member(start, "arch"), *order = offsetd_member(arch, "byteOrder");
    offsetd_take(offsetd_member(arch, "machine"), answer->machine, sizeof answer->machine);
    answer->big_endian = order && *order == '"' && offsetd_equals(order, "big");
    const char *consensus = offsetd_member(start, "consensus"), *agreement = offsetd_member(consensus, "agreement");
    answer->claimed = offsetd_is_true(offsetd_member(consensus, "claimed"));
    answer->consensus = offsetd_count(offsetd_member(agreement, "builds"));
    answer->distinct = offsetd_count(offsetd_member(agreement, "distinct"));
}

/* Returns the answer of the table for a build, or for its program; NULL if there is none. */
static const char *offsetd_entry(const struct offsetd_client *client, const struct offsetd_task *task)
{
    const struct offsetd_program *program = &task->query->program;
    const char *value, *of_program = NULL;
    char name[256], id[204], wanted[256] = "";
    if (program->name && *program->name && program->version && *program->version && program->machine && *program->machine)
        snprintf(wanted, sizeof wanted, "%s %s %s", program->name, program->version, program->machine);
    for (const char *at = client->fallback ? offsetd_first(offsetd_space(client->fallback)) : NULL; at;
         at = offsetd_next(value)) {
        value = offsetd_value_of(at);
        offsetd_take(at, name, sizeof name);
        if (offsetd_key(name, id)) {
            if (strcmp(id, task->id) == 0)
                return value;
        } else if (strcmp(name, wanted) == 0)
            of_program = value;
    }
    return of_program;
}

/* Takes the answer from the first place that has one, if it has every required item. */
static void offsetd_settle(const struct offsetd_client *client, struct offsetd_task *task,
                           const struct offsetd_reply *reply)
{
    struct offsetd_answer *answer = task->answer;
    const char *body = task->old;
    size_t length = body ? strlen(body) : 0;
    enum offsetd_source source = OFFSETD_CACHE;
    free(answer->text);
    memset(answer, 0, sizeof *answer);
    answer->error = reply->error;
    task->fetching = reply->error.reason != OFFSETD_FETCHING ? -1 : reply->error.retry_after > 0 ? reply->error.retry_after : 0;
    if (reply->error.status == 200 && reply->body) {
        offsetd_write(client, task->key.bytes, reply->etag, reply->body, reply->length);
        body = reply->body;
        length = reply->length;
        source = OFFSETD_SERVER;
    } else if (reply->error.status == 304 && body)
        source = OFFSETD_REVALIDATED;
    else if (reply->error.reason == OFFSETD_BAD_REQUEST)
        return;
    else if (reply->error.reason == OFFSETD_OK) {
        offsetd_say(&answer->error, OFFSETD_UNEXPECTED, "the response is not an answer for this build");
        answer->error.status = reply->error.status;
    }
    if (body) {
        struct offsetd_lack lack = offsetd_missing(task->query, body);
        if (!lack.count) {
            task->fetching = -1;
            offsetd_fill(answer, source, body, length);
            return;
        }
        char more[32] = "";
        if (lack.count > 3)
            snprintf(more, sizeof more, ", %d more", lack.count - 3);
        offsetd_say(&answer->error, OFFSETD_NOT_COVERED, "the build lacks %s%s", lack.detail, more);
        if (lack.definite) /* what a similar build has says nothing */
            return;
    }
    body = offsetd_entry(client, task);
    if (body && !offsetd_missing(task->query, body).count)
        offsetd_fill(answer, OFFSETD_FALLBACK, body, (size_t)(offsetd_skip(body, 0) - body));
}

static void offsetd_finish(struct offsetd_task *task)
{
    free(task->key.bytes);
    free(task->stored.bytes);
}

/* Prepares a task, whose answer has the error if the query is malformed, and returns whether there is something to ask. */
static int offsetd_prepare(const struct offsetd_client *client, const struct offsetd_query *query,
                           struct offsetd_answer *answer, struct offsetd_task *task)
{
    memset(task, 0, sizeof *task);
    task->query = query;
    task->answer = answer;
    answer->error.retry_after = -1;
    if (!query->build_id || !offsetd_key(query->build_id, task->id)) {
        offsetd_say(&answer->error, OFFSETD_BAD_REQUEST, OFFSETD_NO_KEY, query->build_id ? query->build_id : "");
        return 0;
    }
    if (!query->items || !*query->items) {
        offsetd_say(&answer->error, OFFSETD_BAD_REQUEST, "no items");
        return 0;
    }
    if (query->name_map && (query->items[1] || **query->items != '@')) {
        offsetd_say(&answer->error, OFFSETD_BAD_REQUEST, "a name map is of one item, a type set");
        return 0;
    }
    task->key = offsetd_target(task->id, query, 1);
    if (task->key.failed) {
        offsetd_say(&answer->error, OFFSETD_NO_MEMORY, "memory is exhausted");
        return 0;
    }
    task->stored = offsetd_read(client, task->key.bytes, &task->etag, &task->old);
    if (!task->stored.bytes || !offsetd_parse(task->old, offsetd_expected(task->id)))
        task->old = NULL;
    else
        task->old = task->old + strspn(task->old, " \t\r\n");
    return 1;
}

/* Returns when to stop waiting for the server: at once if the cache has an answer. */
static double offsetd_end(const struct offsetd_client *client, const struct offsetd_task *task)
{
    int covered = task->old && !offsetd_missing(task->query, task->old).count;
    return offsetd_now() + (covered ? 0 : client->wait);
}

struct offsetd_answer *offsetd_offsets(struct offsetd_client *client, const struct offsetd_query *query)
{
    struct offsetd_answer *answer = (struct offsetd_answer *)calloc(1, sizeof *answer);
    struct offsetd_task task;
    if (!answer || !offsetd_prepare(client, query, answer, &task))
        return answer;
    struct offsetd_text post = {NULL, 0, 0, 0, 0}, content = {NULL, 0, 0, 0, 0};
    struct offsetd_request request = {task.key.bytes, NULL, task.old ? task.etag : NULL};
    if (task.key.length > OFFSETD_LONGEST_URL) { /* some proxies refuse it */
        post = offsetd_target(task.id, query, 0);
        content = offsetd_text(SIZE_MAX / 2);
        offsetd_add_asked(&content, query);
        request.target = post.bytes;
        request.content = content.bytes;
        request.etag = NULL;
    }
    struct offsetd_response response = {{OFFSETD_OK, 0, -1, "", ""}, "", {NULL, 0, 0, 0, 0}};
    if (post.failed || content.failed)
        offsetd_say(&response.error, OFFSETD_NO_MEMORY, "memory is exhausted");
    else
        offsetd_exchange(client, &request, offsetd_end(client, &task), &response);
    const char *body = response.body.bytes;
    int is_answer = body && strlen(body) == response.body.length && offsetd_parse(body, offsetd_expected(task.id));
    struct offsetd_reply reply = {response.error, response.etag, is_answer ? offsetd_space(body) : NULL, 0};
    reply.length = reply.body ? strlen(reply.body) : 0;
    offsetd_settle(client, &task, &reply);
    free(post.bytes);
    free(content.bytes);
    free(response.body.bytes);
    offsetd_finish(&task);
    return answer;
}

static struct offsetd_text offsetd_batch_content(struct offsetd_task *const *tasks, size_t count)
{
    struct offsetd_text content = offsetd_text(SIZE_MAX / 2);
    for (size_t i = 0; i < count; i++) {
        const struct offsetd_task *task = tasks[i];
        const char *claim;
        offsetd_add(&content, i ? ",{\"buildId\":" : "[{\"buildId\":");
        offsetd_quote(&content, task->id);
        offsetd_add(&content, ",\"types\":");
        offsetd_add_asked(&content, task->query);
        offsetd_add_member(&content, "view", task->query->name_map ? "map" : "flat");
        if (task->query->name_map)
            offsetd_add_member(&content, "map", task->query->name_map);
        if (task->old && *task->etag)
            offsetd_add_member(&content, "ifNoneMatch", task->etag);
        for (int c = 0; c < OFFSETD_CLAIMS; c++) {
            if ((claim = offsetd_claim(task->query, c)))
                offsetd_add_member(&content, offsetd_claims[c], claim);
        }
        offsetd_add(&content, "}");
    }
    offsetd_add(&content, "]");
    return content;
}

/* Settles one query of a batch with its entry of the response. */
static void offsetd_settle_entry(const struct offsetd_client *client, struct offsetd_task *task, const char *entry)
{
    const char *status = offsetd_member(entry, "status"), *retry_after = offsetd_member(entry, "retryAfter");
    const char *body = offsetd_member(entry, "answer");
    char etag[256];
    int64_t seconds;
    offsetd_take(offsetd_member(entry, "etag"), etag, sizeof etag);
    struct offsetd_reply reply = {offsetd_problem(offsetd_count(status), offsetd_member(entry, "problem"), -1), etag, NULL, 0};
    if (retry_after && offsetd_read_number(retry_after, &seconds))
        reply.error.retry_after = (long)seconds;
    if (body && offsetd_is_answer(body, offsetd_expected(task->id))) {
        reply.body = body;
        reply.length = (size_t)(offsetd_skip(body, 0) - body);
    }
    offsetd_settle(client, task, &reply);
}

/* Settles queries with the response to their batch. */
static void offsetd_settle_all(const struct offsetd_client *client, struct offsetd_task *const *tasks, size_t count,
                               const struct offsetd_response *response)
{
    struct offsetd_reply none = {response->error, "", NULL, 0};
    const char *body = response->body.bytes ? offsetd_space(response->body.bytes) : "", *end = offsetd_skip(body, 0);
    const char *entry = NULL;
    size_t entries = 0;
    if (response->error.reason == OFFSETD_OK) {
        const char *answers = end && !*offsetd_space(end) ? offsetd_member(body, "answers") : NULL;
        for (entry = offsetd_first(answers); entry; entry = offsetd_next(entry))
            entries++;
        entry = entries == count ? offsetd_first(answers) : NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (entry) {
            offsetd_settle_entry(client, tasks[i], entry);
            entry = offsetd_next(entry);
        } else
            offsetd_settle(client, tasks[i], &none);
    }
}

/* Asks for up to OFFSETD_BATCH queries; the list is changed. */
static void offsetd_ask_batch(struct offsetd_client *client, struct offsetd_task **tasks, size_t count, double end)
{
    struct offsetd_response response = {{OFFSETD_OK, 0, -1, "", ""}, "", {NULL, 0, 0, 0, 0}};
    while (count) {
        struct offsetd_text content = offsetd_batch_content(tasks, count);
        struct offsetd_request request = {"/v1/offsets", content.bytes, NULL};
        if (content.failed)
            offsetd_say(&response.error, OFFSETD_NO_MEMORY, "memory is exhausted");
        else
            offsetd_exchange(client, &request, end, &response);
        free(content.bytes);
        offsetd_settle_all(client, tasks, count, &response);
        size_t fetching = 0;
        double pause = 0.1;
        for (size_t i = 0; i < count; i++) {
            if (tasks[i]->fetching >= 0) {
                pause = pause < (double)tasks[i]->fetching ? (double)tasks[i]->fetching : pause;
                tasks[fetching++] = tasks[i];
            }
        }
        count = fetching && offsetd_sleep(offsetd_succeeded(client, pause), end) ? fetching : 0;
    }
    free(response.body.bytes);
}

void offsetd_batch(struct offsetd_client *client, const struct offsetd_query *queries, size_t count,
                   struct offsetd_answer **answers)
{
    struct offsetd_task *tasks = (struct offsetd_task *)calloc(count ? count : 1, sizeof *tasks);
    struct offsetd_task **asked = (struct offsetd_task **)calloc(count ? count : 1, sizeof *asked);
    double end = offsetd_now();
    size_t remaining = 0;
    for (size_t i = 0; i < count; i++) {
        answers[i] = tasks && asked ? (struct offsetd_answer *)calloc(1, sizeof **answers) : NULL;
        if (answers[i] && offsetd_prepare(client, &queries[i], answers[i], &tasks[i])) {
            double stop = offsetd_end(client, &tasks[i]);
            end = end < stop ? stop : end;
            asked[remaining++] = &tasks[i];
        }
    }
    for (size_t start = 0; start < remaining; start += OFFSETD_BATCH)
        offsetd_ask_batch(client, asked + start, remaining - start < OFFSETD_BATCH ? remaining - start : OFFSETD_BATCH, end);
    for (size_t i = 0; tasks && i < count; i++)
        offsetd_finish(&tasks[i]);
    free(asked);
    free(tasks);
}

/* ---- frames of stacks ---- */

enum { OFFSETD_FRAMES = 10000, OFFSETD_BUILDS = 200, OFFSETD_ADDRESS = 32 }; /* the server takes so many at once */

/* A place in a response, or the entry of a build that has no answer, whose address is empty. */
struct offsetd_result {
    const char *build, *address;
    size_t build_length, address_length;
    const char *json, *problem; /* the problem is of all addresses of the build; NULL if there is none */
};

static int offsetd_compare(const char *one, size_t length, const char *other, size_t other_length)
{
    return length != other_length ? (length > other_length) - (length < other_length) : memcmp(one, other, length);
}

static int offsetd_by_address(const void *one, const void *other)
{
    const struct offsetd_result *a = (const struct offsetd_result *)one, *b = (const struct offsetd_result *)other;
    int order = offsetd_compare(a->build, a->build_length, b->build, b->build_length);
    return order ? order : offsetd_compare(a->address, a->address_length, b->address, b->address_length);
}

static void offsetd_address(const struct offsetd_frame *frame, char text[OFFSETD_ADDRESS])
{
    snprintf(text, OFFSETD_ADDRESS, "%s0x%" PRIx64, frame->in_file ? "file:" : "", frame->address);
}

/* Writes the build-id of a frame in the spelling that the server uses, or says why there is none; the error may be NULL. */
static int offsetd_frame_key(const struct offsetd_frame *frame, char key[204], struct offsetd_error *error)
{
    const char *build = frame->build_id ? frame->build_id : "";
    char address[OFFSETD_ADDRESS];
    offsetd_address(frame, address);
    if (!build[strspn(build, "0")]) {
        offsetd_say(error, OFFSETD_UNUSABLE, "%s is only an instruction pointer: the kernel found no build-id, or the memory is not "
                    "that of a file", address);
        if (error)
            strcpy(error->code, "no_build_id");
        return 0;
    }
    if (offsetd_key(build, key))
        return 1;
    offsetd_say(error, OFFSETD_BAD_REQUEST, OFFSETD_NO_KEY, build);
    return 0;
}

/* Different builds of frames. */
struct offsetd_builds {
    const char *ids[OFFSETD_BUILDS + 1];
    size_t count;
};

/* Adds the build of a frame, and returns whether it is new. */
static int offsetd_is_new(struct offsetd_builds *builds, const struct offsetd_frame *frame)
{
    const char *build = frame->build_id ? frame->build_id : "";
    for (size_t i = 0; i < builds->count; i++) {
        if (strcasecmp(builds->ids[i], build) == 0)
            return 0;
    }
    builds->ids[builds->count++] = build;
    return 1;
}

/* Returns how many of the frames fit into one request. */
static size_t offsetd_fitting(const struct offsetd_frame *frames, size_t count)
{
    struct offsetd_builds builds = {{NULL}, 0};
    for (size_t i = 0; i < count && i < OFFSETD_FRAMES; i++) {
        if (offsetd_is_new(&builds, &frames[i]) && builds.count > OFFSETD_BUILDS)
            return i;
    }
    return count < OFFSETD_FRAMES ? count : OFFSETD_FRAMES;
}

/* Adds segments in hex: the server takes numbers of up to 63 bits, and kernels have larger addresses. */
static void offsetd_add_segments(struct offsetd_text *content, const struct offsetd_frame *frame)
{
    char text[128];
    offsetd_add(content, "[");
    for (size_t i = 0; i < frame->segment_count; i++) {
        const struct offsetd_segment *segment = &frame->segments[i];
        snprintf(text, sizeof text, "%s{\"offset\":\"0x%" PRIx64 "\",\"vaddr\":\"0x%" PRIx64 "\",\"fileSize\":\"0x%" PRIx64 "\"}",
                 i ? "," : "", segment->offset, segment->vaddr, segment->file_size);
        offsetd_add(content, text);
    }
    offsetd_add(content, "]");
}

/* Returns the content of a request for symbols, and counts its queries. */
static struct offsetd_text offsetd_symbols_content(const struct offsetd_frame *frames, size_t count, size_t *queries)
{
    struct offsetd_text content = offsetd_text(SIZE_MAX / 2);
    struct offsetd_builds builds = {{NULL}, 0};
    char address[OFFSETD_ADDRESS], key[204];
    offsetd_add(&content, "{\"queries\":[");
    for (size_t i = 0; i < count; i++) {
        if (!offsetd_frame_key(&frames[i], key, NULL))
            continue;
        offsetd_address(&frames[i], address);
        offsetd_add(&content, (*queries)++ ? ",{\"address\":" : "{\"address\":");
        offsetd_quote(&content, address);
        offsetd_add_member(&content, "buildId", key);
        offsetd_add(&content, "}");
    }
    offsetd_add(&content, "],\"segments\":{");
    for (size_t i = 0; i < count; i++) {
        if (frames[i].segments && offsetd_frame_key(&frames[i], key, NULL) && offsetd_is_new(&builds, &frames[i])) {
            offsetd_add(&content, builds.count > 1 ? "," : "");
            offsetd_quote(&content, key);
            offsetd_add(&content, ":");
            offsetd_add_segments(&content, &frames[i]);
        }
    }
    offsetd_add(&content, "}}");
    return content;
}

/* Returns the content of a request for functions, and counts its queries. */
static struct offsetd_text offsetd_symbolize_content(const struct offsetd_frame *frames, size_t count, size_t *queries)
{
    struct offsetd_text content = offsetd_text(SIZE_MAX / 2);
    struct offsetd_builds builds = {{NULL}, 0};
    char address[OFFSETD_ADDRESS], key[204];
    offsetd_add(&content, "[");
    for (size_t i = 0; i < count; i++) {
        const struct offsetd_frame *with_segments = NULL;
        if (!offsetd_frame_key(&frames[i], key, NULL) || !offsetd_is_new(&builds, &frames[i]))
            continue;
        offsetd_add(&content, (*queries)++ ? ",{\"buildId\":" : "{\"buildId\":");
        offsetd_quote(&content, key);
        offsetd_add(&content, ",\"addresses\":[");
        for (size_t j = i; j < count; j++) {
            if (!frames[j].build_id || strcasecmp(frames[j].build_id, frames[i].build_id) != 0)
                continue;
            offsetd_address(&frames[j], address);
            offsetd_add(&content, j > i ? "," : "");
            offsetd_quote(&content, address);
            if (frames[j].segments && !with_segments)
                with_segments = &frames[j];
        }
        offsetd_add(&content, "]");
        if (with_segments) {
            offsetd_add(&content, ",\"segments\":");
            offsetd_add_segments(&content, with_segments);
        }
        offsetd_add(&content, "}");
    }
    offsetd_add(&content, "]");
    return content;
}

/* Puts the results of a response into a list if it is not NULL, and returns how many there are. */
static size_t offsetd_results(const char *body, struct offsetd_result *results)
{
    size_t count = 0;
    for (const char *entry = offsetd_first(offsetd_member(body, "answers")); entry; entry = offsetd_next(entry)) {
        const char *answer = offsetd_member(entry, "answer");
        struct offsetd_result result = {NULL, "", 0, 0, entry, offsetd_member(answer, "problem")};
        int status = offsetd_count(offsetd_member(entry, "status"));
        result.build = offsetd_string(entry, "buildId", &result.build_length);
        if (status != 200) {
            if (results)
                results[count] = result;
            count++;
            continue;
        }
        for (const char *at = offsetd_first(offsetd_member(answer, "addresses")); at; at = offsetd_next(result.json)) {
            result.address = at + 1;
            result.address_length = (size_t)(offsetd_skip_string(at) - at) - 2;
            result.json = offsetd_value_of(at);
            if (results)
                results[count] = result;
            count++;
        }
    }
    return count;
}

static const struct offsetd_result *offsetd_find(const struct offsetd_result *results, size_t count, const char *build,
                                                 const char *address)
{
    struct offsetd_result wanted = {build, address, strlen(build), strlen(address), NULL, NULL};
    return (const struct offsetd_result *)bsearch(&wanted, results, count, sizeof wanted, offsetd_by_address);
}

/* Fills a place with the result of its frame. */
static void offsetd_find_place(const char *build, const char *address, const struct offsetd_result *results, size_t count,
                               struct offsetd_place *place)
{
    const struct offsetd_result *found = offsetd_find(results, count, build, "");
    if (found) {
        const char *retry_after = offsetd_member(found->json, "retryAfter");
        int64_t seconds;
        place->error = offsetd_problem(offsetd_count(offsetd_member(found->json, "status")),
                                       offsetd_member(found->json, "problem"), -1);
        if (retry_after && offsetd_read_number(retry_after, &seconds))
            place->error.retry_after = (long)seconds;
        return;
    }
    found = offsetd_find(results, count, build, address);
    if (!found) {
        offsetd_say(&place->error, OFFSETD_UNEXPECTED, "the response is not that to this batch");
        return;
    }
    place->json = found->json;
    place->address = offsetd_unsigned(found->json, "address");
    offsetd_take(offsetd_member(found->json, "status"), place->status, sizeof place->status);
    place->detail = offsetd_string(found->json, "detail", &place->detail_length);
    if (!place->detail_length)
        place->detail = offsetd_string(found->problem, "detail", &place->detail_length);
}

/* Asks for frames that fit into one request, and returns the text of the response. */
static char *offsetd_ask_frames(struct offsetd_client *client, int symbolize, const struct offsetd_frame *frames, size_t count,
                                struct offsetd_place *places, double end)
{
    struct offsetd_response response = {{OFFSETD_OK, 0, -1, "", ""}, "", {NULL, 0, 0, 0, 0}};
    size_t queries = 0, found = 0;
    struct offsetd_text content = symbolize ? offsetd_symbolize_content(frames, count, &queries)
                                            : offsetd_symbols_content(frames, count, &queries);
    struct offsetd_request request = {symbolize ? "/v1/symbolize" : "/v1/symbols", content.bytes, NULL};
    struct offsetd_result *results = NULL;
    if (queries && !content.failed)
        offsetd_exchange(client, &request, end, &response);
    free(content.bytes);
    const char *body = response.body.bytes ? offsetd_space(response.body.bytes) : "", *last = offsetd_skip(body, 0);
    int is_answer = last && !*offsetd_space(last) && offsetd_member(body, "answers");
    if (response.error.reason == OFFSETD_OK && is_answer) {
        found = offsetd_results(body, NULL);
        results = (struct offsetd_result *)calloc(found + 1, sizeof *results);
    }
    if (results) {
        offsetd_results(body, results);
        qsort(results, found, sizeof *results, offsetd_by_address);
    } else if (content.failed || (response.error.reason == OFFSETD_OK && is_answer))
        offsetd_say(&response.error, OFFSETD_NO_MEMORY, "memory is exhausted");
    else if (response.error.reason == OFFSETD_OK) {
        int status = response.error.status;
        offsetd_say(&response.error, OFFSETD_UNEXPECTED, "the response is not that to this batch");
        response.error.status = status;
    }
    for (size_t i = 0; i < count; i++) {
        char key[204], address[OFFSETD_ADDRESS];
        if (!offsetd_frame_key(&frames[i], key, &places[i].error))
            continue;
        offsetd_address(&frames[i], address);
        if (results)
            offsetd_find_place(key, address, results, found, &places[i]);
        else
            places[i].error = response.error;
    }
    free(results);
    return response.body.bytes;
}

static struct offsetd_places *offsetd_ask_all(struct offsetd_client *client, int symbolize, const struct offsetd_frame *frames,
                                              size_t count)
{
    struct offsetd_places *places = (struct offsetd_places *)calloc(1, sizeof *places);
    double end = offsetd_now() + client->wait;
    if (!places)
        return NULL;
    places->count = count;
    places->at = (struct offsetd_place *)calloc(count + 1, sizeof *places->at);
    places->texts = (char **)calloc(count + 1, sizeof *places->texts);
    if (!places->at || !places->texts) {
        offsetd_places_free(places);
        return NULL;
    }
    for (size_t start = 0, text = 0; start < count;) {
        size_t next = offsetd_fitting(frames + start, count - start);
        char *body = offsetd_ask_frames(client, symbolize, frames + start, next, places->at + start, end);
        if (body)
            places->texts[text++] = body;
        start += next;
    }
    return places;
}

struct offsetd_places *offsetd_places(struct offsetd_client *client, const struct offsetd_frame *frames, size_t count)
{
    return offsetd_ask_all(client, 0, frames, count);
}

struct offsetd_places *offsetd_symbolize(struct offsetd_client *client, const struct offsetd_frame *frames, size_t count)
{
    return offsetd_ask_all(client, 1, frames, count);
}

void offsetd_places_free(struct offsetd_places *places)
{
    if (!places)
        return;
    for (size_t i = 0; places->texts && places->texts[i]; i++)
        free(places->texts[i]);
    free(places->texts);
    free(places->at);
    free(places);
}

const char *offsetd_source_name(enum offsetd_source source)
{
    static const char *const names[] = {"none", "server", "revalidated", "cache", "fallback"};
    return names[source];
}

const char *offsetd_reason_name(enum offsetd_reason reason)
{
    static const char *const names[] = {"ok", "fetching", "no build", "unusable", "not covered", "refused",
                                        "unavailable", "unreachable", "unexpected", "bad request", "no memory"};
    return names[reason];
}

void offsetd_answer_free(struct offsetd_answer *answer)
{
    if (answer)
        free(answer->text);
    free(answer);
}

/* ---- the client ---- */

static char *offsetd_copy(const char *text, int *failed)
{
    char *copy = text ? (char *)malloc(strlen(text) + 1) : NULL;
    if (copy)
        strcpy(copy, text);
    else if (text)
        *failed = 1;
    return copy;
}

/* Returns whether an answer may be in the table under a name. */
static int offsetd_is_entry(const char *name, const char *answer, struct offsetd_error *error)
{
    char id[204], machine[32];
    const char *value, *last = strrchr(name, ' '), *first = strchr(name, ' ');
    if (!offsetd_is_answer(answer, NULL)) {
        offsetd_say(error, OFFSETD_BAD_REQUEST, "fallback \"%s\" is not an answer of schema version 1", name);
        return 0;
    }
    if (offsetd_member(answer, "consensus")) {
        offsetd_say(error, OFFSETD_BAD_REQUEST, "fallback \"%s\" is a consensus: its values are those of other builds", name);
        return 0;
    }
    if (offsetd_key(name, id)) {
        if (offsetd_is_answer(answer, offsetd_expected(id)))
            return 1;
        offsetd_say(error, OFFSETD_BAD_REQUEST, "fallback \"%s\" is the answer for another build", name);
        return 0;
    }
    if (!first || strchr(first + 1, ' ') != last || last == first) {
        offsetd_say(error, OFFSETD_BAD_REQUEST, "fallback \"%.60s\": expected a build-id, or runtime, version and machine: "
                    "\"ruby 3.4.5 x86_64\"", name);
        return 0;
    }
    offsetd_take(offsetd_member(offsetd_member(answer, "arch"), "machine"), machine, sizeof machine);
    if (strcmp(machine, last + 1) != 0) {
        offsetd_say(error, OFFSETD_BAD_REQUEST, "fallback \"%s\" is the answer for machine \"%s\"", name, machine);
        return 0;
    }
    if (offsetd_member(answer, "pinned")) {
        offsetd_say(error, OFFSETD_BAD_REQUEST, "fallback \"%s\" has pinned values, which are of one build", name);
        return 0;
    }
    if (offsetd_member(answer, "map")) {
        offsetd_say(error, OFFSETD_BAD_REQUEST, "fallback \"%s\" has a name map: addresses among its values differ between builds of "
                    "one version", name);
        return 0;
    }
    for (const char *at = offsetd_first(offsetd_member(answer, "offsets")); at; at = offsetd_next(value)) {
        value = offsetd_value_of(at);
        struct offsetd_value read = offsetd_read_value(value, 0);
        struct offsetd_tls tls;
        if (offsetd_tls(&read, &tls) || offsetd_symbols(&read, NULL, 0) || (read.found && offsetd_is_variable(read.json))) {
            offsetd_say(error, OFFSETD_BAD_REQUEST, "fallback \"%s\" has symbols, variables or tls: addresses differ between builds of "
                        "one version", name);
            return 0;
        }
    }
    return 1;
}

/* Returns whether a text is a table of answers. */
static int offsetd_is_table(const char *table, struct offsetd_error *error)
{
    const char *start = offsetd_space(table), *end = offsetd_skip(start, 0), *value;
    char name[101];
    if (!end || *start != '{' || *offsetd_space(end)) {
        offsetd_say(error, OFFSETD_BAD_REQUEST, "the fallback table is not a JSON object");
        return 0;
    }
    for (const char *at = offsetd_first(start); at; at = offsetd_next(value)) {
        value = offsetd_value_of(at);
        offsetd_take(at, name, sizeof name);
        if (!offsetd_is_entry(name, value, error))
            return 0;
    }
    return 1;
}

/* Returns whether a text is the URL of a server. */
static int offsetd_is_server(const char *server)
{
    CURLU *url = curl_url();
    char *scheme = NULL, *host = NULL, *user = NULL;
    int valid = url && !strpbrk(server, "?# \t\r\n") && curl_url_set(url, CURLUPART_URL, server, 0) == CURLUE_OK
                && curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK
                && curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK
                && curl_url_get(url, CURLUPART_USER, &user, 0) == CURLUE_NO_USER
                && (curl_strequal(scheme, "http") || curl_strequal(scheme, "https"));
    curl_free(scheme);
    curl_free(host);
    curl_free(user);
    curl_url_cleanup(url);
    return valid;
}

static int offsetd_is_token(const char *token)
{
    for (; *token; token++) {
        if (*token <= ' ' || *token > '~')
            return 0;
    }
    return 1;
}

struct offsetd_client *offsetd_new(const char *server, const char *cache_dir, const char *fallback,
                                   const struct offsetd_options *options, struct offsetd_error *error)
{
    struct offsetd_options defaults = {NULL, 0, 0, 0}, chosen = options ? *options : defaults;
    if (!offsetd_is_server(server)) {
        offsetd_say(error, OFFSETD_BAD_REQUEST,
                    "server \"%.100s\": expected http:// or https://, a host, and a port or path if there is one", server);
        return NULL;
    }
    if (chosen.token && !offsetd_is_token(chosen.token)) {
        offsetd_say(error, OFFSETD_BAD_REQUEST, "the token has a space, a line end or a character beyond ASCII");
        return NULL;
    }
    if (fallback && !offsetd_is_table(fallback, error))
        return NULL;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        offsetd_say(error, OFFSETD_NO_MEMORY, "libcurl cannot be used");
        return NULL;
    }
    struct offsetd_client *client = (struct offsetd_client *)calloc(1, sizeof *client);
    int failed = !client;
    if (client) {
        client->server = offsetd_copy(server, &failed);
        client->folder = offsetd_copy(cache_dir, &failed);
        client->fallback = offsetd_copy(fallback, &failed);
        client->token = offsetd_copy(chosen.token && *chosen.token ? chosen.token : NULL, &failed);
        client->wait = chosen.wait > 0 ? chosen.wait : 2;
        client->max_response = chosen.max_response ? chosen.max_response : 8 << 20;
        client->max_cache = chosen.max_cache ? chosen.max_cache : 64 << 20;
        client->seed = (unsigned)time(NULL) ^ (unsigned)getpid();
        pthread_mutex_init(&client->mutex, NULL);
        for (size_t last = failed ? 0 : strlen(server); last && client->server[last - 1] == '/'; last--)
            client->server[last - 1] = '\0';
    }
    if (failed) {
        offsetd_say(error, OFFSETD_NO_MEMORY, "memory is exhausted");
        offsetd_free(client);
        return NULL;
    }
    return client;
}

void offsetd_free(struct offsetd_client *client)
{
    if (!client)
        return;
    pthread_mutex_destroy(&client->mutex);
    free(client->server);
    free(client->folder);
    free(client->fallback);
    free(client->token);
    free(client);
    curl_global_cleanup();
}

/* ---- build-ids of files ---- */

/* Returns a number in the byte order of a file. */
static uint64_t offsetd_word(const unsigned char *at, int size, int big_endian)
{
    uint64_t number = 0;
    for (int i = 0; i < size; i++)
        number = number << 8 | at[big_endian ? i : size - 1 - i];
    return number;
}

/* Writes the build-id in notes, and returns whether they have one. */
static int offsetd_find_note(const unsigned char *notes, size_t length, uint64_t align, int big_endian, char id[129])
{
    size_t mask = align == 8 ? 7 : 3;
    for (size_t at = 0; at <= length && length - at >= 12;) {
        uint64_t name = offsetd_word(notes + at, 4, big_endian), size = offsetd_word(notes + at + 4, 4, big_endian);
        size_t start = at + (size_t)((12 + name + mask) & ~(uint64_t)mask);
        if (start > length || size > length - start)
            return 0;
        if (offsetd_word(notes + at + 8, 4, big_endian) == 3 && name == 4 && memcmp(notes + at + 12, "GNU", 4) == 0
            && size >= 8 && size <= 64) {
            for (size_t i = 0; i < size; i++)
                snprintf(id + 2 * i, 3, "%02x", notes[start + i]);
            return 1;
        }
        at = start + (size_t)((size + mask) & ~(uint64_t)mask);
    }
    return 0;
}

/* Section headers or program headers, and where their entries have what. */
struct offsetd_headers {
    uint64_t at;
    unsigned size, count, note;
    int type, offset, length, align;
};

static int offsetd_find_in(int file, const struct offsetd_headers *headers, int word, int big_endian, char id[129])
{
    unsigned char entry[64];
    int found = 0;
    for (unsigned i = 0; !found && headers->at && i < headers->count; i++) {
        ssize_t read = pread(file, entry, sizeof entry, (off_t)(headers->at + (uint64_t)i * headers->size));
        if (read < headers->align + word || headers->size < (unsigned)(headers->align + word))
            return 0;
        if (offsetd_word(entry + headers->type, 4, big_endian) != headers->note)
            continue;
        uint64_t length = offsetd_word(entry + headers->length, word, big_endian);
        length = length < OFFSETD_MOST_NOTES ? length : OFFSETD_MOST_NOTES;
        unsigned char *notes = (unsigned char *)malloc((size_t)length + 1);
        read = notes ? pread(file, notes, (size_t)length, (off_t)offsetd_word(entry + headers->offset, word, big_endian)) : -1;
        if (read > 0)
            found = offsetd_find_note(notes, (size_t)read, offsetd_word(entry + headers->align, word, big_endian), big_endian,
                                      id);
        free(notes);
    }
    return found;
}

int offsetd_build_id(const char *path, char build_id[129])
{
    unsigned char head[64];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    ssize_t read = pread(file, head, sizeof head, 0);
    if (read < 52 || memcmp(head, "\177ELF", 4) != 0 || (head[4] != 1 && head[4] != 2) || (head[4] == 2 && read < 64)) {
        close(file);
        errno = read < 0 ? errno : ENOEXEC;
        return -1;
    }
    int wide = head[4] == 2, big = head[5] == 2, word = wide ? 8 : 4;
    const unsigned char *at = head + (wide ? 32 : 28), *sizes = head + (wide ? 54 : 42);
    /* SHT_NOTE is 7, PT_NOTE is 4. Debug files have no contents of segments, and some programs have no sections. */
    struct offsetd_headers sections = {offsetd_word(at + word, word, big), (unsigned)offsetd_word(sizes + 4, 2, big),
                                       (unsigned)offsetd_word(sizes + 6, 2, big), 7, 4, wide ? 24 : 16, wide ? 32 : 20,
                                       wide ? 48 : 32};
    struct offsetd_headers segments = {offsetd_word(at, word, big), (unsigned)offsetd_word(sizes, 2, big),
                                       (unsigned)offsetd_word(sizes + 2, 2, big), 4, 0, wide ? 8 : 4, wide ? 32 : 16,
                                       wide ? 48 : 28};
    int found = offsetd_find_in(file, &sections, word, big, build_id)
                || offsetd_find_in(file, &segments, word, big, build_id);
    close(file);
    return found;
}
