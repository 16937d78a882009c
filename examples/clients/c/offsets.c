/* SPDX-License-Identifier: Apache-2.0 */
/* offsets URL BUILD-ID CACHE-FOLDER [RUNTIME VERSION MACHINE]: prints the source of the values, then each value. */
#include "offsetd.h"

#include <stdio.h>
#include <stdlib.h>

/* One value that the eBPF program needs. */
static const struct field {
    const char *name, *item;
    int size;      /* the size, not the offset */
    int64_t most;  /* maximum of the field in the eBPF program */
} fields[] = {
    {"ec_vm_stack", "rb_execution_context_struct.vm_stack", 0, 255},
    {"ec_cfp", "rb_execution_context_struct.cfp", 0, 255},
    {"cfp_size", "rb_control_frame_struct", 1, 255},
    {"iseq_body", "rb_iseq_struct.body", 0, 255},
    {"vm_objspace", "rb_vm_struct.gc.objspace|rb_vm_struct.objspace", 0, 65535},
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* Answers of real builds, for programs that the server does not answer for. */
#define ANSWER(machine, cfp_size, vm_objspace)                                            \
    "{\"schemaVersion\": 1, \"arch\": {\"machine\": \"" machine "\"}, \"complete\": true, \"offsets\": {" \
    "\"rb_execution_context_struct.vm_stack\": [0, 8],"                                   \
    "\"rb_execution_context_struct.cfp\": [16, 8],"                                       \
    "\"rb_control_frame_struct\": [0, " cfp_size "],"                                     \
    "\"rb_iseq_struct.body\": [16, 8],"                                                   \
    "\"rb_vm_struct.gc.objspace|rb_vm_struct.objspace\": [" vm_objspace ", 8]}}"
static const char fallback[] = "{\"ruby 3.4.5 x86_64\": " ANSWER("x86_64", "56", "1296")
                               ", \"ruby 3.1.2 x86_64\": " ANSWER("x86_64", "64", "1104") "}";

/* Prints the values, unless one is missing or does not fit. */
static int print(const struct offsetd_answer *answer)
{
    int64_t numbers[FIELDS];
    for (int i = 0; i < FIELDS; i++) {
        struct offsetd_value found = offsetd_value(answer, fields[i].item);
        numbers[i] = fields[i].size ? found.size : found.offset;
        if (numbers[i] < 0 || numbers[i] > fields[i].most) {
            fprintf(stderr, "%s: %s is %.*s; the eBPF program needs a number up to %lld\n", fields[i].name, fields[i].item,
                    (int)found.json_length, found.json, (long long)fields[i].most);
            return 1;
        }
    }
    puts(offsetd_source_name(answer->source));
    for (int i = 0; i < FIELDS; i++)
        printf("%s %lld\n", fields[i].name, (long long)numbers[i]);
    return 0;
}

int main(int count, char **arguments)
{
    if (count != 4 && count != 7) {
        fprintf(stderr, "usage: offsets URL BUILD-ID CACHE-FOLDER [RUNTIME VERSION MACHINE]\n");
        return 2;
    }
    struct offsetd_options options = {.token = getenv("OFFSETD_TOKEN"), .wait = 1};
    struct offsetd_error error;
    struct offsetd_client *client = offsetd_new(arguments[1], arguments[3], fallback, &options, &error);
    if (!client) {
        fprintf(stderr, "%s\n", error.detail);
        return 1;
    }
    const char *items[FIELDS + 1] = {NULL};
    for (int i = 0; i < FIELDS; i++)
        items[i] = fields[i].item;
    struct offsetd_query query = {.build_id = arguments[2], .items = items};
    if (count == 7) {
        query.program.name = arguments[4];
        query.program.version = arguments[5];
        query.program.machine = arguments[6];
    }
    struct offsetd_answer *answer = offsetd_offsets(client, &query);
    if (answer && answer->error.reason)
        fprintf(stderr, "%s (status %d): %s\n", offsetd_reason_name(answer->error.reason), answer->error.status,
                answer->error.detail);
    int failed = !answer || answer->source == OFFSETD_NONE || print(answer);
    offsetd_answer_free(answer);
    offsetd_free(client);
    return failed;
}
