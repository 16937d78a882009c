/* SPDX-License-Identifier: Apache-2.0 */
/* offsetd_test URL BUILD-ID CACHE-FOLDER: threads share a client and a small cache. Needs a server with a build whose struct
 * point has the members x and y. */
#define _POSIX_C_SOURCE 200809L
#include "offsetd.h"

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

int main(int count, char **arguments)
{
    require(count == 4, "usage: offsetd_test URL BUILD-ID CACHE-FOLDER");
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
