/* offsets URL BUILD-ID CACHE-FOLDER: prints the source of the values, then each value. */
#define OFFSETD_IMPLEMENTATION
#include "offsetd.h"

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

/* An answer of a real build, which is used if there is no other. */
static const char version[] = "ruby 3.4"; /* the agent knows it from the name of the file */
static const char fallback[] =
    "{\"ruby 3.4\": {\"schemaVersion\": 1, \"complete\": true, \"offsets\": {"
    "\"rb_execution_context_struct.vm_stack\": [0, 8],"
    "\"rb_execution_context_struct.cfp\": [16, 8],"
    "\"rb_control_frame_struct\": [0, 56],"
    "\"rb_iseq_struct.body\": [16, 8],"
    "\"rb_vm_struct.gc.objspace|rb_vm_struct.objspace\": [1296, 8]}}}";

/* The answer's value of a field, or -1 if the build lacks it or it does not fit. */
static int64_t value(const struct offsetd_answer *answer, const struct field *field)
{
    struct offsetd_value found = offsetd_value(answer, field->item);
    int64_t number = field->size ? found.size : found.offset;
    return number <= field->most && found.bit_size < 0 ? number : -1;
}

int main(int count, char **arguments)
{
    if (count != 4) {
        fprintf(stderr, "usage: offsets URL BUILD-ID CACHE-FOLDER\n");
        return 2;
    }
    struct offsetd_options options = {.token = getenv("OFFSETD_TOKEN"), .wait = 1};
    struct offsetd_client *client = offsetd_new(arguments[1], arguments[3], fallback, &options);
    const char *items[FIELDS];
    for (int i = 0; i < FIELDS; i++)
        items[i] = fields[i].item;
    struct offsetd_answer *answer = client ? offsetd_offsets(client, arguments[2], items, FIELDS, version) : NULL;
    struct offsetd_answer *table = client ? offsetd_fallback(client, arguments[2], version) : NULL;
    if (!answer || !table || answer->source == OFFSETD_NONE) {
        fprintf(stderr, "%s\n", answer ? answer->problem : "libcurl or memory cannot be used");
        return 1;
    }
    if (*answer->problem)
        fprintf(stderr, "%s\n", answer->problem);
    puts(offsetd_source_name(answer->source));
    for (int i = 0; i < FIELDS; i++) {
        int64_t found = answer->source == OFFSETD_FALLBACK ? -1 : value(answer, &fields[i]);
        if (found >= 0)
            printf("%s %lld\n", fields[i].name, (long long)found);
        else
            printf("%s %lld fallback\n", fields[i].name, (long long)value(table, &fields[i]));
    }
    offsetd_answer_free(table);
    offsetd_answer_free(answer);
    offsetd_free(client);
    return 0;
}
