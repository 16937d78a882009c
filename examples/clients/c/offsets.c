/* offsets URL BUILD-ID CACHE-FOLDER: prints the source of the values, then each value. */
#define _POSIX_C_SOURCE 200809L
#include <curl/curl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 };

/* One value that the eBPF program needs. */
static const struct field {
    const char *name, *item;
    size_t which;                /* 0: offset, 1: size */
    json_int_t most, fallback;   /* maximum of the field in the eBPF program; value without an answer */
} fields[] = {
    {"ec_vm_stack", "rb_execution_context_struct.vm_stack", 0, 255, 0},
    {"ec_cfp", "rb_execution_context_struct.cfp", 0, 255, 16},
    {"cfp_size", "rb_control_frame_struct", 1, 255, 56},
    {"iseq_body", "rb_iseq_struct.body", 0, 255, 16},
    {"vm_objspace", "rb_vm_struct.gc.objspace|rb_vm_struct.objspace", 0, 65535, 1296},
};
enum { FIELDS = sizeof fields / sizeof *fields };

struct text { char bytes[MOST_BYTES]; size_t length; };

/* The received bytes; a response that does not fit aborts the transfer. */
static size_t receive(char *data, size_t size, size_t count, void *to)
{
    struct text *body = to;
    if (size * count >= MOST_BYTES - body->length)
        return 0;
    memcpy(body->bytes + body->length, data, size * count);
    body->length += size * count;
    return size * count;
}

/* The answer for this build, or NULL if the text is not one. */
static json_t *parse(const char *bytes, size_t length, const char *build_id)
{
    json_t *answer = json_loadb(bytes, length, 0, NULL);
    const char *about = json_string_value(json_object_get(answer, "buildId"));
    if (json_integer_value(json_object_get(answer, "schemaVersion")) == 1 && about && strcmp(about, build_id) == 0)
        return answer;
    json_decref(answer);
    return NULL;
}

/* The answer's value of a field, or -1. A miss is an object, never a number; tuples of bit-fields have four numbers, and this
   client asks for none. */
static json_int_t value(const json_t *answer, const struct field *field)
{
    const json_t *place = json_object_get(json_object_get(answer, "offsets"), field->item);
    const json_t *number = json_array_size(place) == 2 ? json_array_get(place, field->which) : NULL;
    if (!json_is_integer(number) || json_integer_value(number) < 0 || json_integer_value(number) > field->most)
        return -1;
    return json_integer_value(number);
}

/* Replaces the cache atomically. One file holds the ETag (first line) and the answer, so they always match. */
static void keep(const char *cache, const char *etag, const struct text *body)
{
    char unfinished[4096];
    snprintf(unfinished, sizeof unfinished, "%s.%ld", cache, (long)getpid());
    FILE *file = fopen(unfinished, "w");
    if (!file)
        return;
    fprintf(file, "%s\n", etag);
    fwrite(body->bytes, 1, body->length, file);
    int failed = ferror(file);
    if (fclose(file) || failed || rename(unfinished, cache))
        remove(unfinished);
}

int main(int count, char **arguments)
{
    if (count != 4) {
        fprintf(stderr, "usage: offsets URL BUILD-ID CACHE-FOLDER\n");
        return 2;
    }
    const char *build_id = arguments[2], *used = "fallback", *token = getenv("OFFSETD_TOKEN");
    char cache[2048], etag[256] = "", line[4096], url[4096], items[1024] = "";
    static struct text kept, body;

    mkdir(arguments[3], 0755);
    snprintf(cache, sizeof cache, "%s/%s", arguments[3], build_id);
    FILE *file = fopen(cache, "r");
    if (file) {
        if (fgets(etag, sizeof etag, file))
            etag[strcspn(etag, "\n")] = '\0';
        kept.length = fread(kept.bytes, 1, sizeof kept.bytes, file);
        fclose(file);
    }
    json_t *answer = parse(kept.bytes, kept.length, build_id);
    if (answer)
        used = "cache";

    CURL *curl = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? curl_easy_init() : NULL;
    if (!curl)
        return 1;
    for (size_t i = 0; i < FIELDS; i++)
        snprintf(items + strlen(items), sizeof items - strlen(items), "%s%s", i ? "," : "", fields[i].item);
    char *escaped = curl_easy_escape(curl, items, 0);
    snprintf(url, sizeof url, "%s/v1/offsets/%s?view=flat&types=%s", arguments[1], build_id, escaped ? escaped : "");
    struct curl_slist *headers = curl_slist_append(NULL, "Prefer: wait=1");
    if (answer) {
        snprintf(line, sizeof line, "If-None-Match: %s", etag);
        headers = curl_slist_append(headers, line);
    }
    if (token) {
        snprintf(line, sizeof line, "Authorization: Bearer %s", token);
        headers = curl_slist_append(headers, line);
    }
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, ""); /* every encoding that libcurl supports */
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, 1000L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, 3000L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);

    long status = 0;
    CURLcode result = curl_easy_perform(curl);
    if (result == CURLE_OK)
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    else
        fprintf(stderr, "%s\n", curl_easy_strerror(result));
    json_t *fresh = status == 200 ? parse(body.bytes, body.length, build_id) : NULL;
    struct curl_header *header;
    if (fresh) {
        json_decref(answer);
        answer = fresh;
        used = "fresh";
        if (curl_easy_header(curl, "ETag", 0, CURLH_HEADER, -1, &header) == CURLHE_OK)
            keep(cache, header->value, &body);
    } else if (status == 304) {
        used = "not modified";
    } else if (status) {
        /* 202: the build is being fetched; 404: no source has it. Use the cache, and try again later. */
        int when = curl_easy_header(curl, "Retry-After", 0, CURLH_HEADER, -1, &header) == CURLHE_OK;
        fprintf(stderr, "status %ld, try again after seconds: %s\n", status, when ? header->value : "");
    }

    puts(used);
    for (size_t i = 0; i < FIELDS; i++) {
        json_int_t found = value(answer, &fields[i]);
        if (found >= 0)
            printf("%s %lld\n", fields[i].name, (long long)found);
        else
            printf("%s %lld fallback\n", fields[i].name, (long long)fields[i].fallback);
    }
    json_decref(answer);
    curl_slist_free_all(headers);
    curl_free(escaped);
    curl_easy_cleanup(curl);
    curl_global_cleanup();
    return 0;
}
