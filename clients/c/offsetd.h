/* Client of offsetd: struct offsets and sizes by ELF build-id. Needs libcurl 7.83 and POSIX threads.
 *
 * Answers come from the server, else from a cache on the disk, else from a table that the program ships.
 *
 * One source file defines OFFSETD_IMPLEMENTATION before it includes this header, before every other header.
 */
#ifndef OFFSETD_H
#define OFFSETD_H

#if defined(OFFSETD_IMPLEMENTATION) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

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

enum offsetd_source {
    OFFSETD_NONE,        /* there is no answer; problem says why */
    OFFSETD_SERVER,
    OFFSETD_REVALIDATED, /* from the cache; the server confirmed that it is current */
    OFFSETD_CACHE,       /* from the cache; the server gave no answer */
    OFFSETD_FALLBACK
};

/* Answer for one item. Numbers that are unknown are -1; a missing item has no numbers at all. */
struct offsetd_value {
    int found;
    char status[24];                             /* "found", "consensus", or why the item is missing */
    int64_t offset, size, bit_offset, bit_size;  /* bytes from the outermost type; of a bit-field also bits */
    const char *json;                            /* the JSON of the item, valid as long as the answer */
    size_t json_length;
};

struct offsetd_answer {
    enum offsetd_source source;
    int complete;       /* every requested item was found */
    int stale;          /* may be outdated: use it, and ask again soon */
    long retry_after;   /* seconds after which to ask again; -1 if the server did not say */
    int consensus;      /* the builds that the values rest on if they are not exact; 0 if they are */
    int distinct;       /* their different answers; 1 if they agree in every item */
    int claimed;        /* a part of what the server knows of the build is a claim */
    int rejected;       /* the server calls the request malformed; repeating it is useless */
    char problem[256];  /* why the server gave no answer; empty if it gave one */
    char *text;
};

struct offsetd_client;

/* Returns a client, which threads may share; NULL if libcurl cannot be used or the fallback table is malformed.
 * The table is a JSON object with answers by build-id, or by a name that the caller chooses; it may be NULL. */
struct offsetd_client *offsetd_new(const char *server, const char *cache_dir, const char *fallback,
                                   const struct offsetd_options *options);
void offsetd_free(struct offsetd_client *client);

/* Returns the answer for items of a build, which a GNU build-id or an alias key names; NULL only if memory is exhausted. The name is the key of the fallback table to
 * use if it has no entry for the build-id; it may be NULL. */
struct offsetd_answer *offsetd_offsets(struct offsetd_client *client, const char *build_id, const char *const *items,
                                       size_t count, const char *name);
/* What a program is, for the case that the server does not know its file; NULL for what is not claimed. */
struct offsetd_claim {
    const char *name, *version, *machine;
    const char *tokens; /* of its variant, separated by commas: "ruby.yjit=yes" */
};
/* As offsetd_offsets, for callers that accept an answer by consensus of similar builds if no source has debug information of this
 * one; consensus of the answer says whether it is one. The claim may be NULL. */
struct offsetd_answer *offsetd_offsets_or_consensus(struct offsetd_client *client, const char *build_id,
                                                    const char *const *items, size_t count, const char *name,
                                                    const struct offsetd_claim *claim);
struct offsetd_value offsetd_value(const struct offsetd_answer *answer, const char *item);
/* Returns the entry of the fallback table, for single values that an answer lacks; its source is OFFSETD_NONE if there is
 * none. */
struct offsetd_answer *offsetd_fallback(const struct offsetd_client *client, const char *build_id, const char *name);
/* Returns "server", "revalidated", "cache", "fallback" or "none". */
const char *offsetd_source_name(enum offsetd_source source);
void offsetd_answer_free(struct offsetd_answer *answer);

#ifdef __cplusplus
}
#endif

#ifdef OFFSETD_IMPLEMENTATION

#include <curl/curl.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { OFFSETD_LONGEST_URL = 4000, OFFSETD_DEPTH = 64 };

static const double offsetd_longest_delay = 300;

struct offsetd_client {
    char *server, *folder, *fallback, *token;
    double wait;
    size_t max_response;
    long long max_cache;
    pthread_mutex_t mutex; /* guards what follows */
    int failures;
    double not_before;
    unsigned seed;
};

/* ---- text ---- */

struct offsetd_text {
    char *bytes; /* ends with a NUL that is not counted */
    size_t length, limit;
    int failed; /* memory is exhausted, or the limit was exceeded */
};

static void offsetd_append(struct offsetd_text *text, const char *bytes, size_t length)
{
    if (text->failed || length > text->limit - text->length) {
        text->failed = 1;
        return;
    }
    char *larger = (char *)realloc(text->bytes, text->length + length + 1);
    if (!larger) {
        text->failed = 1;
        return;
    }
    memcpy(larger + text->length, bytes, length);
    text->bytes = larger;
    text->length += length;
    text->bytes[text->length] = '\0';
}

static void offsetd_add(struct offsetd_text *text, const char *string)
{
    offsetd_append(text, string, strlen(string));
}

static struct offsetd_text offsetd_text(size_t limit)
{
    struct offsetd_text text = {NULL, 0, limit, 0};
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

/* Returns whether a JSON string is equal to a C string. */
static int offsetd_equals(const char *at, const char *string)
{
    for (at++; *at != '"'; at++) {
        char character = *at;
        if (character == '\\') {
            static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
            const char *escape = strchr(escapes, *++at);
            unsigned code;
            if (escape)
                character = meanings[escape - escapes];
            else if (sscanf(at, "u%4x", &code) == 1 && code && code < 0x80) {
                character = (char)code;
                at += 4;
            } else
                return 0; /* servers write other characters as they are */
        }
        if (character != *string++)
            return 0;
    }
    return *string == '\0';
}

/* Returns the value of a member of an object in well-formed JSON; NULL if there is none. */
static const char *offsetd_member(const char *object, const char *name)
{
    if (!object || *object != '{')
        return NULL;
    for (const char *at = offsetd_space(object + 1); *at == '"'; at = offsetd_space(at + 1)) {
        const char *value = offsetd_space(offsetd_space(offsetd_skip_string(at)) + 1);
        if (offsetd_equals(at, name))
            return value;
        at = offsetd_space(offsetd_skip(value, 0));
        if (*at != ',')
            return NULL;
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
static const char *offsetd_number(const char *at, int64_t *number)
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
    return at && offsetd_number(at, &number) && number > 0 && number < 1000000 ? (int)number : 0;
}

struct offsetd_value offsetd_value(const struct offsetd_answer *answer, const char *item)
{
    struct offsetd_value value = {0, "not_answered", -1, -1, -1, -1, NULL, 0};
    const char *offsets = answer->text ? offsetd_member(offsetd_space(answer->text), "offsets") : NULL;
    const char *at = offsetd_member(offsets, item);
    if (!at)
        return value;
    value.json = at;
    value.json_length = (size_t)(offsetd_skip(at, 0) - at);
    strcpy(value.status, "malformed");
    if (*at == '[') {
        int64_t numbers[4];
        int count = 0;
        do {
            at = offsetd_number(offsetd_space(at + 1), &numbers[count]);
            at = at ? offsetd_space(at) : NULL;
        } while (at && ++count < 4 && *at == ',');
        if (at && *at == ']' && (count == 2 || count == 4) && numbers[0] >= 0) {
            value.found = 1;
            strcpy(value.status, answer->consensus ? "consensus" : "found");
            value.offset = numbers[0];
            value.size = numbers[1];
            value.bit_offset = count == 4 ? numbers[2] : -1;
            value.bit_size = count == 4 ? numbers[3] : -1;
        }
    } else if ((at = offsetd_member(at, "status")) && *at == '"') {
        size_t length = strcspn(at + 1, "\"\\");
        if (length && length < sizeof value.status) {
            memcpy(value.status, at + 1, length);
            value.status[length] = '\0';
            value.found = strcmp(value.status, "found") == 0 || strcmp(value.status, "consensus") == 0;
        }
    }
    return value;
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
static void offsetd_write(const struct offsetd_client *client, const char *key, const char *etag,
                          const struct offsetd_text *body)
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
        offsetd_hash(body->bytes, body->length, hash);
        fprintf(file, "%s\n%s\n%s\n", key, etag, hash);
        fwrite(body->bytes, 1, body->length, file);
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
static double offsetd_failed(struct offsetd_client *client, double demanded)
{
    pthread_mutex_lock(&client->mutex);
    double delay = client->failures < 9 ? (double)(1 << client->failures) : offsetd_longest_delay;
    delay = (delay < offsetd_longest_delay ? delay : offsetd_longest_delay) * offsetd_jitter(client, 0.5, 1);
    demanded = (demanded < offsetd_longest_delay ? demanded : offsetd_longest_delay) * offsetd_jitter(client, 1, 1.25);
    if (delay < demanded)
        delay = demanded;
    client->failures++;
    double now = offsetd_now();
    if (client->not_before < now + delay)
        client->not_before = now + delay;
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

struct offsetd_response {
    long status; /* 0: none */
    long retry_after;
    char etag[256], problem[256];
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

/* Sends the request once; the content of a POST is NULL for a GET. */
static void offsetd_once(const struct offsetd_client *client, const char *url, const char *content, const char *etag,
                         double left, struct offsetd_response *response)
{
    CURL *curl = curl_easy_init();
    struct curl_slist *headers = NULL;
    struct curl_header *header;
    char wait[32];
    response->status = 0;
    response->retry_after = -1;
    free(response->body.bytes);
    response->body = offsetd_text(client->max_response);
    snprintf(response->problem, sizeof response->problem, "libcurl cannot be used");
    if (!curl)
        return;
    left = left < 0 ? 0 : left;
    snprintf(wait, sizeof wait, "wait=%d", left > 30 ? 30 : (int)(left + 0.5));
    headers = offsetd_header(headers, "Prefer: ", wait);
    headers = offsetd_header(headers, "Accept: ", "application/json");
    if (content) {
        headers = offsetd_header(headers, "Content-Type: ", "application/json");
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, content);
    } else if (*etag)
        headers = offsetd_header(headers, "If-None-Match: ", etag);
    if (client->token)
        headers = offsetd_header(headers, "Authorization: Bearer ", client->token);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "offsetd-c/1");
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, ""); /* every encoding that libcurl decodes */
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)((left + 2) * 1000));
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, offsetd_receive);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &response->body);
    CURLcode result = curl_easy_perform(curl);
    if (result == CURLE_OK) {
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &response->status);
        snprintf(response->problem, sizeof response->problem, "status %ld", response->status);
        response->etag[0] = '\0';
        if (curl_easy_header(curl, "ETag", 0, CURLH_HEADER, -1, &header) == CURLHE_OK
            && strlen(header->value) < sizeof response->etag)
            strcpy(response->etag, header->value);
        /* The other form of Retry-After, a date, is not read. */
        if (curl_easy_header(curl, "Retry-After", 0, CURLH_HEADER, -1, &header) == CURLHE_OK
            && strspn(header->value, "0123456789") == strlen(header->value) && strlen(header->value) < 9)
            response->retry_after = atol(header->value);
    } else
        snprintf(response->problem, sizeof response->problem, "%s",
                 response->body.failed ? "the response is too large" : curl_easy_strerror(result));
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
}

/* Sends the request until there is a result or the time is over. */
static void offsetd_exchange(struct offsetd_client *client, const char *url, const char *content, const char *etag,
                             struct offsetd_response *response)
{
    double end = offsetd_now() + client->wait;
    for (;;) {
        pthread_mutex_lock(&client->mutex);
        double pause = client->not_before - offsetd_now();
        pthread_mutex_unlock(&client->mutex);
        if (pause > 0 && !offsetd_sleep(pause, end)) {
            response->status = 0;
            response->retry_after = (long)pause + 1;
            snprintf(response->problem, sizeof response->problem, "the server failed recently; not asked");
            return;
        }
        offsetd_once(client, url, content, etag, end - offsetd_now(), response);
        double demanded = response->retry_after < 0 ? 0 : (double)response->retry_after;
        if (response->status == 202) {
            if (!offsetd_sleep(offsetd_succeeded(client, demanded < 0.1 ? 0.1 : demanded), end))
                return;
        } else if (response->status == 0 || response->status == 429 || response->status >= 500) {
            if (!offsetd_sleep(offsetd_failed(client, demanded), end))
                return;
        } else {
            offsetd_succeeded(client, 0);
            return;
        }
    }
}

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

/* Appends the parameters of a request that accepts a consensus. */
static void offsetd_consent(struct offsetd_text *url, const struct offsetd_claim *claim)
{
    static const char *const names[] = {"&name=", "&version=", "&machine=", "&tokens="};
    const char *const values[] = {claim->name, claim->version, claim->machine, claim->tokens};
    offsetd_add(url, "&fallback=consensus");
    for (size_t i = 0; i < 4; i++) {
        if (values[i] && *values[i]) {
            offsetd_add(url, names[i]);
            offsetd_escape(url, values[i]);
        }
    }
}

/* Returns the URL of a request in the spelling of a form, which all clients share. */
static struct offsetd_text offsetd_url(const struct offsetd_client *client, const char *build_id,
                                       const char *const *items, size_t count, const struct offsetd_claim *claim)
{
    struct offsetd_text url = offsetd_text(SIZE_MAX / 2);
    offsetd_add(&url, client->server);
    offsetd_add(&url, "/v1/offsets/");
    offsetd_add(&url, build_id);
    offsetd_add(&url, "?types=");
    for (size_t i = 0; i < count; i++) {
        if (i)
            offsetd_add(&url, "%2C");
        offsetd_escape(&url, items[i]);
    }
    offsetd_add(&url, "&view=flat");
    if (claim)
        offsetd_consent(&url, claim);
    return url;
}

static struct offsetd_text offsetd_content(const char *const *items, size_t count)
{
    struct offsetd_text content = offsetd_text(SIZE_MAX / 2);
    for (size_t i = 0; i < count; i++) {
        offsetd_add(&content, i ? ",\"" : "[\"");
        for (const char *at = items[i]; *at; at++) {
            if (*at == '"' || *at == '\\')
                offsetd_add(&content, "\\");
            offsetd_append(&content, at, 1);
        }
        offsetd_add(&content, "\"");
    }
    offsetd_add(&content, "]");
    return content;
}

/* ---- the interface ---- */

static void offsetd_fill(struct offsetd_answer *answer, enum offsetd_source source, const char *text, size_t length)
{
    answer->text = (char *)malloc(length + 1);
    if (!answer->text) {
        snprintf(answer->problem, sizeof answer->problem, "memory is exhausted");
        return;
    }
    memcpy(answer->text, text, length);
    answer->text[length] = '\0';
    const char *start = offsetd_space(answer->text);
    answer->source = source;
    answer->complete = offsetd_is_true(offsetd_member(start, "complete"));
    answer->stale = source == OFFSETD_CACHE || offsetd_is_true(offsetd_member(start, "stale"));
    const char *consensus = offsetd_member(start, "consensus"), *agreement = offsetd_member(consensus, "agreement");
    answer->claimed = offsetd_is_true(offsetd_member(consensus, "claimed"));
    answer->consensus = offsetd_count(offsetd_member(agreement, "builds"));
    answer->distinct = offsetd_count(offsetd_member(agreement, "distinct"));
    if (source == OFFSETD_SERVER || source == OFFSETD_REVALIDATED) {
        answer->problem[0] = '\0';
        answer->retry_after = -1;
    }
}

static void offsetd_take_fallback(const struct offsetd_client *client, const char *id, const char *name,
                                  struct offsetd_answer *answer)
{
    const char *table = client->fallback ? offsetd_space(client->fallback) : NULL, *entry = offsetd_member(table, id);
    if (!entry && name)
        entry = offsetd_member(table, name);
    if (entry)
        offsetd_fill(answer, OFFSETD_FALLBACK, entry, (size_t)(offsetd_skip(entry, 0) - entry));
}

static void offsetd_ask(struct offsetd_client *client, const char *id, const char *const *items, size_t count,
                        const char *name, const struct offsetd_claim *claim, struct offsetd_answer *answer)
{
    struct offsetd_text url = offsetd_url(client, id, items, count, claim), content = {NULL, 0, 0, 0}, post = {NULL, 0, 0, 0};
    struct offsetd_response response = {0, -1, "", "", {NULL, 0, 0, 0}};
    char *etag = NULL, *old = NULL;
    struct offsetd_text stored = offsetd_read(client, url.bytes, &etag, &old);
    if (!stored.bytes || !offsetd_parse(old, offsetd_expected(id)))
        old = NULL;
    if (url.length > OFFSETD_LONGEST_URL) { /* some proxies refuse it */
        content = offsetd_content(items, count);
        post = offsetd_text(SIZE_MAX / 2);
        offsetd_append(&post, url.bytes, (size_t)(strchr(url.bytes, '?') - url.bytes));
        offsetd_add(&post, "?view=flat");
        if (claim)
            offsetd_consent(&post, claim);
    }
    offsetd_exchange(client, post.bytes ? post.bytes : url.bytes, content.bytes, old ? etag : "", &response);
    snprintf(answer->problem, sizeof answer->problem, "%s", response.problem);
    answer->retry_after = response.retry_after;
    answer->rejected = response.status == 400 || response.status == 406 || response.status == 413;
    if (response.status == 200 && response.body.bytes && strlen(response.body.bytes) == response.body.length
        && offsetd_parse(response.body.bytes, offsetd_expected(id))) {
        offsetd_write(client, url.bytes, response.etag, &response.body);
        offsetd_fill(answer, OFFSETD_SERVER, response.body.bytes, response.body.length);
    } else if (response.status == 304 && old) {
        offsetd_fill(answer, OFFSETD_REVALIDATED, old, strlen(old));
    } else if (!answer->rejected) {
        if (response.status == 200)
            snprintf(answer->problem, sizeof answer->problem, "the response is not an answer for this build");
        if (old)
            offsetd_fill(answer, OFFSETD_CACHE, old, strlen(old));
        else
            offsetd_take_fallback(client, id, name, answer);
    }
    free(url.bytes);
    free(content.bytes);
    free(post.bytes);
    free(stored.bytes);
    free(response.body.bytes);
}

static struct offsetd_answer *offsetd_asked(struct offsetd_client *client, const char *build_id,
                                            const char *const *items, size_t count, const char *name,
                                            const struct offsetd_claim *claim)
{
    struct offsetd_answer *answer = (struct offsetd_answer *)calloc(1, sizeof *answer);
    char id[204];
    if (!answer)
        return NULL;
    answer->retry_after = -1;
    if (!offsetd_key(build_id, id) || !count) {
        snprintf(answer->problem, sizeof answer->problem,
                 "expected items, and a build-id of 8 to 64 bytes in hex, or go:, htl: or sha256: and a value");
        answer->rejected = 1;
        return answer;
    }
    offsetd_ask(client, id, items, count, name, claim, answer);
    return answer;
}

struct offsetd_answer *offsetd_offsets(struct offsetd_client *client, const char *build_id, const char *const *items,
                                       size_t count, const char *name)
{
    return offsetd_asked(client, build_id, items, count, name, NULL);
}

struct offsetd_answer *offsetd_offsets_or_consensus(struct offsetd_client *client, const char *build_id,
                                                    const char *const *items, size_t count, const char *name,
                                                    const struct offsetd_claim *claim)
{
    static const struct offsetd_claim nothing = {NULL, NULL, NULL, NULL};
    return offsetd_asked(client, build_id, items, count, name, claim ? claim : &nothing);
}

struct offsetd_answer *offsetd_fallback(const struct offsetd_client *client, const char *build_id, const char *name)
{
    struct offsetd_answer *answer = (struct offsetd_answer *)calloc(1, sizeof *answer);
    if (answer) {
        answer->retry_after = -1;
        offsetd_take_fallback(client, build_id, name, answer);
    }
    return answer;
}

const char *offsetd_source_name(enum offsetd_source source)
{
    static const char *const names[] = {"none", "server", "revalidated", "cache", "fallback"};
    return names[source];
}

void offsetd_answer_free(struct offsetd_answer *answer)
{
    if (answer)
        free(answer->text);
    free(answer);
}

static char *offsetd_copy(const char *text, int *failed)
{
    char *copy = text ? (char *)malloc(strlen(text) + 1) : NULL;
    if (copy)
        strcpy(copy, text);
    else if (text)
        *failed = 1;
    return copy;
}

/* Returns whether every member of the table is an answer. */
static int offsetd_is_table(const char *table)
{
    const char *start = offsetd_space(table), *end = offsetd_skip(start, 0);
    if (!end || *start != '{' || *offsetd_space(end))
        return 0;
    for (const char *at = offsetd_space(start + 1); *at == '"'; at = offsetd_space(at + 1)) {
        at = offsetd_space(offsetd_space(offsetd_skip_string(at)) + 1);
        if (!offsetd_is_answer(at, NULL))
            return 0;
        at = offsetd_space(offsetd_skip(at, 0));
        if (*at != ',')
            break;
    }
    return 1;
}

struct offsetd_client *offsetd_new(const char *server, const char *cache_dir, const char *fallback,
                                   const struct offsetd_options *options)
{
    struct offsetd_options defaults = {NULL, 0, 0, 0}, chosen = options ? *options : defaults;
    if ((fallback && !offsetd_is_table(fallback)) || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return NULL;
    struct offsetd_client *client = (struct offsetd_client *)calloc(1, sizeof *client);
    int failed = !client;
    if (client) {
        client->server = offsetd_copy(server, &failed);
        client->folder = offsetd_copy(cache_dir, &failed);
        client->fallback = offsetd_copy(fallback, &failed);
        client->token = offsetd_copy(chosen.token, &failed);
        client->wait = chosen.wait > 0 ? chosen.wait : 2;
        client->max_response = chosen.max_response ? chosen.max_response : 8 << 20;
        client->max_cache = chosen.max_cache ? chosen.max_cache : 64 << 20;
        client->seed = (unsigned)time(NULL) ^ (unsigned)getpid();
        pthread_mutex_init(&client->mutex, NULL);
        for (size_t last = failed ? 0 : strlen(server); last && client->server[last - 1] == '/'; last--)
            client->server[last - 1] = '\0';
    }
    if (failed) {
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

#endif /* OFFSETD_IMPLEMENTATION */
#endif
