/* SPDX-License-Identifier: Apache-2.0 */
/* offsetd_test URL BUILD-ID CACHE-FOLDER PROGRAM ADDRESS FUNCTION: threads share a client and a small cache. Needs a server with
 * a build whose struct point has the members x and y, and with another one that has this function at this address. */
#define _POSIX_C_SOURCE 200809L
#include "offsetd.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { THREADS = 8, REQUESTS = 20, MAX_CACHE = 8192 };

static struct offsetd_client *client;
static const char *build_id;

static void require(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static void *work(void *unused)
{
    for (int i = 0; i < REQUESTS; i++) {
        char miss[32];
        snprintf(miss, sizeof miss, "point.m%d", i);
        const char *items[] = {"point.y", NULL}, *optional[] = {miss, NULL};
        struct offsetd_query query = {.build_id = build_id, .items = items, .optional = optional};
        struct offsetd_answer *answer = offsetd_offsets(client, &query);
        require(answer->source != OFFSETD_NONE, answer->error.detail);
        struct offsetd_value found = offsetd_value(answer, "point.y"), missing = offsetd_value(answer, miss);
        struct offsetd_bit_field field;
        require(found.found && found.offset == 4 && found.size == 4 && !offsetd_bit_field(&found, &field), "point.y");
        require(!missing.found && missing.offset == -1 && strcmp(missing.status, "field_not_found") == 0, missing.status);
        require(strcmp(offsetd_value(answer, "point").status, "not_answered") == 0, "point");
        offsetd_answer_free(answer);
    }
    return unused;
}

/* Needs a build without symbols and program headers. */
static void every_frame_has_its_place(void)
{
    enum { MANY = 20001, FRAMES = 7 };
    char upper[129] = "";
    for (size_t i = 0; build_id[i] && i < sizeof upper - 1; i++)
        upper[i] = (char)toupper((unsigned char)build_id[i]);
    static const char *const statuses[4][FRAMES] = {{"not_found", "", "no_segments", "", "", "", ""},
                                                    {"not_found", "", "not_found", "", "", "", ""},
                                                    {"no_debuginfo", "", "no_segments", "", "", "", ""},
                                                    {"no_debuginfo", "", "no_debuginfo", "", "", "", ""}};
    static const char *const codes[] = {"", "no_build_id", "", "build_not_found", "no_build_id", "", ""};
    char unreadable[300];
    memset(unreadable, 'a', sizeof unreadable - 1);
    unreadable[sizeof unreadable - 1] = '\0';
    struct offsetd_segment segment = {0, 0xffffffff81000000u, 4096};
    struct offsetd_frame frames[FRAMES] = {{.build_id = build_id, .address = 0x10},
                                           {.address = 0x7f0000000000},
                                           {.build_id = upper, .address = 0x10, .in_file = 1},
                                           {.build_id = "ffffffffffffffffffffffffffffffffffffffff", .address = 1},
                                           {.build_id = "0000000000000000000000000000000000000000", .address = 1},
                                           {.build_id = "xyz", .address = 1},
                                           {.build_id = unreadable, .address = 1}};
    for (int call = 0; call < 4; call++) {
        frames[2].segments = frames[5].segments = call % 2 ? &segment : NULL;
        frames[2].segment_count = frames[5].segment_count = 1;
        struct offsetd_places *places = (call < 2 ? offsetd_places : offsetd_symbolize)(client, frames, FRAMES);
        require(places && places->count == FRAMES, "places");
        for (int i = 0; i < FRAMES; i++) {
            struct offsetd_place *place = &places->at[i];
            const char *status = statuses[call][i];
            require(strcmp(place->status, status) == 0 && !place->json == !*status, place->status);
            require((place->detail_length > 0) == (strncmp(status, "no_", 3) == 0), "detail");
            require(strcmp(place->error.code, codes[i]) == 0, place->error.code);
            require((place->error.reason == OFFSETD_OK) == (*status != '\0'), place->error.detail);
            require(offsetd_symbols_at(place, NULL, 0) == 0 && offsetd_functions_at(place, NULL, 0) == 0, "symbols");
        }
        require(strstr(places->at[1].error.detail, "0x7f0000000000 is only an instruction pointer") != NULL, "pointer");
        require(places->at[5].error.reason == OFFSETD_BAD_REQUEST && strstr(places->at[5].error.detail, "xyz"), "unreadable");
        require(call != 1 || places->at[2].address == 0xffffffff81000010u, "address by a segment");
        offsetd_places_free(places);
    }
    struct offsetd_places *places = offsetd_places(client, &frames[1], 1);
    require(places && strcmp(places->at[0].error.code, "no_build_id") == 0, "nothing to ask");
    offsetd_places_free(places);

    struct offsetd_frame *many = calloc(MANY, sizeof *many);
    require(many != NULL, "memory");
    for (int i = 0; i < MANY; i++)
        many[i] = (struct offsetd_frame){.build_id = build_id, .address = (uint64_t)i, .in_file = i % 2};
    for (int call = 0; call < 2; call++) {
        places = (call ? offsetd_symbolize : offsetd_places)(client, many, MANY);
        require(places && places->count == MANY, "many places");
        for (int i = 0; i < MANY; i++)
            require(strcmp(places->at[i].status, i % 2 ? "no_segments" : call ? "no_debuginfo" : "not_found") == 0,
                    places->at[i].error.detail);
        offsetd_places_free(places);
    }
    free(many);
    places = offsetd_places(client, NULL, 0);
    require(places && places->count == 0, "no places");
    offsetd_places_free(places);
}

static void place_has_its_symbols(const char *program, uint64_t address, const char *function)
{
    struct offsetd_frame frames[] = {{.build_id = program, .address = address + 1},
                                     {.build_id = build_id, .address = 0x10},
                                     {.build_id = program, .address = address},
                                     {.build_id = program, .address = 1}};
    struct offsetd_places *places = offsetd_places(client, frames, 4);
    require(places != NULL, "places");
    for (int i = 0; i < 4; i += 2) {
        struct offsetd_symbol symbol;
        const struct offsetd_place *place = &places->at[i];
        require(strcmp(place->status, "found") == 0, place->error.detail);
        require(place->address == frames[i].address, "address");
        require(offsetd_symbols_at(place, &symbol, 1) >= 1, "no symbol");
        require(symbol.name_length == strlen(function) && strncmp(symbol.name, function, symbol.name_length) == 0, "name");
        require(symbol.value == address && symbol.offset == frames[i].address - address, "offset");
        require(strncmp(symbol.type, "FUNC", symbol.type_length) == 0 && symbol.size > 0, "type");
    }
    require(strcmp(places->at[1].status, "not_found") == 0, places->at[1].status);
    require(strcmp(places->at[3].status, "not_found") == 0, places->at[3].status);
    offsetd_places_free(places);
    places = offsetd_symbolize(client, frames, 4);
    require(places != NULL, "places");
    for (int i = 0; i < 4; i += 2) {
        struct offsetd_function found[8];
        const struct offsetd_place *place = &places->at[i];
        int count = offsetd_functions_at(place, found, 8);
        require(count >= 1 && count <= 8, *place->status ? place->status : place->error.detail);
        const struct offsetd_function *last = &found[count - 1];
        require(last->name_length == strlen(function) && strncmp(last->name, function, last->name_length) == 0, "function");
        require(!last->inlined && last->line >= 0 && last->column >= 0, "line");
    }
    require(strcmp(places->at[3].status, "outside") == 0, places->at[3].status);
    offsetd_places_free(places);
}

int main(int count, char **arguments)
{
    require(count == 7, "usage: offsetd_test URL BUILD-ID CACHE-FOLDER PROGRAM ADDRESS FUNCTION");
    static const char *const refused[] = {"{\"ruby\": {}}", "{\"ruby\": null}", "[]", "{", "{\"a\\u1\": {}}"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        require(!offsetd_new(arguments[1], arguments[3], refused[i], NULL, NULL), refused[i]);
    struct offsetd_options options = {.token = getenv("OFFSETD_TOKEN"), .max_cache = MAX_CACHE};
    struct offsetd_options wrong = {.token = "line end\n"};
    struct offsetd_error error;
    require(!offsetd_new(arguments[1], arguments[3], NULL, &wrong, &error) && strstr(error.detail, "token"), "token");
    client = offsetd_new(arguments[1], arguments[3], NULL, &options, &error);
    require(client != NULL, error.detail);
    struct offsetd_bit_field field = {0, 2, 3, 10};
    require(offsetd_extract(&field, 0x1234, 0) == 0x246 && offsetd_extract(&field, 0x1234, 1) == 0x246, "bits");
    struct offsetd_value value = {.found = 1, .json = "{\"address\":\"0x10\",\"offset\":2,\"byteOrder\":\"big\"}"};
    struct offsetd_plan plan;
    struct offsetd_step step;
    require(offsetd_plan(&value, &plan, &step, 1) == 1 && step.offset == 2, "plan");
    require(plan.byte_order_length == 3 && strncmp(plan.byte_order, "big", 3) == 0, "byte order");
    build_id = arguments[2];
    static const char *const no_keys[] = {"", "0123", "go:", "go:a/b", "go:a?b", "htl:00", "sha256:00", "sha1:00"};
    for (size_t i = 0; i < sizeof no_keys / sizeof *no_keys; i++) {
        const char *items[] = {"point.y", NULL};
        struct offsetd_query query = {.build_id = no_keys[i], .items = items};
        struct offsetd_answer *answer = offsetd_offsets(client, &query);
        require(answer->error.reason == OFFSETD_BAD_REQUEST && answer->source == OFFSETD_NONE, no_keys[i]);
        require(strstr(answer->error.detail, "not a build-id") != NULL, answer->error.detail);
        offsetd_answer_free(answer);
    }
    every_frame_has_its_place();
    place_has_its_symbols(arguments[4], strtoull(arguments[5], NULL, 16), arguments[6]);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        require(pthread_create(&threads[i], NULL, work, NULL) == 0, "no thread");
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    offsetd_free(client);

    DIR *folder = opendir(arguments[3]);
    struct dirent *entry;
    long long total = 0;
    require(folder != NULL, "no cache");
    while ((entry = readdir(folder))) {
        struct stat info;
        require(fstatat(dirfd(folder), entry->d_name, &info, 0) == 0, entry->d_name);
        if (S_ISREG(info.st_mode)) {
            require(strstr(entry->d_name, ".offsetd") != NULL, entry->d_name);
            total += info.st_size;
        }
    }
    closedir(folder);
    require(total > 0 && total <= MAX_CACHE, "size of the cache");
    return 0;
}
