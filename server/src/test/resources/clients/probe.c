/* probe SERVER CACHE WAIT TABLE QUERY...: prints the answer to each query. Every language has the same program, and probe.py
 * describes it. */
#define _POSIX_C_SOURCE 200809L
#include "offsetd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUERIES = 200, ITEMS = 64 };

static void show(const struct offsetd_value *value)
{
    struct offsetd_bit_field f;
    struct offsetd_tls tls;
    struct offsetd_coverage c;
    struct offsetd_symbol symbols[16];
    struct offsetd_plan plan;
    struct offsetd_step steps[16];
    int64_t number;
    int listed = offsetd_symbols(value, symbols, 16), count = listed < 16 ? listed : 16;
    int way = offsetd_plan(value, &plan, steps, 16);
    if (offsetd_bit_field(value, &f))
        printf("bits %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRIx64 " %" PRIx64, f.offset, f.size, f.bit_offset,
               f.bit_size, offsetd_extract(&f, 0x5a, 0), offsetd_extract(&f, 0x5a, 1));
    else if (value->offset >= 0)
        printf("offset %" PRId64 " size %" PRId64, value->offset, value->size);
    else if (offsetd_number(value, &number))
        printf("number %" PRId64, number);
    else if (offsetd_tls(value, &tls))
        printf("tls %" PRIu64 " %" PRIu64 " %" PRIu64, tls.address % tls.alignment, tls.memory_size, tls.alignment);
    else if (offsetd_coverage(value, &c))
        printf("coverage %d/%d %d/%d", c.required_found, c.required_of, c.optional_found, c.optional_of);
    else if (count) {
        printf("symbols %d:", count < 0);
        for (int i = 0; i < count; i++) {
            const struct offsetd_symbol *s = &symbols[i];
            printf("%s %.*s %.*s %.*s %" PRIu64 " %.*s %" PRIx64 " %d", i ? "," : "", (int)s->name_length, s->name,
                   (int)s->type_length, s->type, (int)s->binding_length, s->binding, s->size, (int)s->section_length,
                   s->section, s->value, s->imported);
        }
    } else if (way) {
        printf("plan %.*s %" PRId64 ":", (int)plan.symbol_length, plan.symbol, plan.size);
        for (int i = 0; i < way && i < 16; i++)
            printf(steps[i].pointer_size ? " *%" PRId64 : " %" PRId64,
                   steps[i].pointer_size ? steps[i].pointer_size : steps[i].offset);
    } else
        printf("%s", value->status);
}

static void show_items(const struct offsetd_answer *answer, const char *const *items)
{
    for (; *items; items++) {
        const char *const one[] = {*items, NULL};
        struct offsetd_value value = offsetd_value(answer, *items);
        printf("%s: ", *items);
        show(&value);
        printf("%s%s\n", offsetd_covered(answer, one) ? "" : ", not covered", value.incomplete ? ", incomplete" : "");
    }
}

static void report(const struct offsetd_query *query, const char *const *shown, struct offsetd_answer *answer)
{
    const struct offsetd_error *error = &answer->error;
    if (error->reason != OFFSETD_OK) {
        printf("%s, status %d, code %s, retry after %ld\n", offsetd_reason_name(error->reason), error->status,
               *error->code ? error->code : "-", error->retry_after);
        if (error->reason == OFFSETD_NOT_COVERED)
            puts(error->detail);
    }
    if (answer->source != OFFSETD_NONE) {
        printf("%s %s %s\n", offsetd_source_name(answer->source), *answer->machine ? answer->machine : "no machine",
               answer->stale ? "stale" : "current");
        if (*shown)
            show_items(answer, shown);
        else {
            show_items(answer, query->items);
            show_items(answer, query->optional);
        }
    }
    offsetd_answer_free(answer);
}

/* Cuts a text at a separator, as strsep does. */
static char *cut(char **text, char separator)
{
    char *part = *text, *end = part ? strchr(part, separator) : NULL;
    *text = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    return part;
}

static void list(char *text, const char **items)
{
    while (text && *text)
        *items++ = cut(&text, '&');
    *items = NULL;
}

static const char *items[QUERIES][3][ITEMS];

int main(int count, char **arguments)
{
    static char table[1 << 16], ids[QUERIES][129];
    static struct offsetd_query queries[QUERIES];
    static struct offsetd_answer *answers[QUERIES];
    struct offsetd_error error;
    struct offsetd_options options = {.wait = atof(arguments[3])};
    FILE *file = fopen(arguments[4], "rb");
    if (file) {
        table[fread(table, 1, sizeof table - 1, file)] = '\0';
        fclose(file);
    }
    struct offsetd_client *client = offsetd_new(arguments[1], arguments[2], file ? table : NULL, &options, &error);
    if (!client) {
        fprintf(stderr, "refused: %s\n", error.detail);
        return 1;
    }
    size_t asked = 0;
    for (int i = 5; i < count; i++) {
        char *text = arguments[i], *id = cut(&text, ';');
        if (strchr(id, '/')) {
            int found = offsetd_build_id(id, ids[asked]);
            if (found < 0) {
                perror(id);
                offsetd_free(client);
                return 1;
            }
            puts(found ? ids[asked] : "no build-id");
            if (!found)
                continue;
            id = ids[asked];
        }
        struct offsetd_query *query = &queries[asked];
        list(cut(&text, ';'), items[asked][0]);
        list(cut(&text, ';'), items[asked][1]);
        char *map = cut(&text, ';'), *program = cut(&text, ';');
        list(text, items[asked][2]);
        query->build_id = id;
        query->items = items[asked][0];
        query->optional = items[asked][1];
        query->name_map = *map ? map : NULL;
        query->program.name = cut(&program, ' ');
        query->program.version = cut(&program, ' ');
        query->program.machine = cut(&program, ' ');
        asked++;
    }
    if (asked == 1)
        answers[0] = offsetd_offsets(client, &queries[0]);
    else
        offsetd_batch(client, queries, asked, answers);
    for (size_t i = 0; i < asked; i++)
        report(&queries[i], items[i][2], answers[i]);
    offsetd_free(client);
    return 0;
}
