/* SPDX-License-Identifier: Apache-2.0 */
// Loads frames.bpf.o with the BTF of a libruby, and prints the stacks of a process until it is interrupted.
//
//   frames ruby.btf                              only loads, and prints what libbpf has patched
//   frames ruby.btf PID LIBRUBY OFFSET           OFFSET of rb_vm_exec in the file LIBRUBY
//
// cc -o frames frames.c -lbpf

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "frames.h"

static int log_line(enum libbpf_print_level level, const char *format, va_list arguments) {
    (void)level;
    return vfprintf(stderr, format, arguments);
}

static int print_stack(void *context, void *data, size_t size) {
    (void)context;
    if (size < sizeof(struct stack))
        return 0;
    const struct stack *stack = data;
    printf("%u frames\n", stack->count);
    for (unsigned int i = 0; i < stack->count && i < MAX_FRAMES; i++)
        printf("  pc 0x%llx label 0x%llx\n", stack->frames[i].pc, stack->frames[i].label);
    return 0;
}

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    return 1;
}

int main(int argc, char **argv) {
    if (argc != 2 && argc != 5) {
        fprintf(stderr, "usage: frames BTF [PID LIBRUBY OFFSET]\n");
        return 2;
    }
    libbpf_set_print(log_line);
    LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = argv[1]);
    struct bpf_object *object = bpf_object__open_file("frames.bpf.o", &options);
    if (!object)
        return fail("frames.bpf.o");
    if (bpf_object__load(object))
        return fail("load");
    puts("loaded");
    if (argc == 2)
        return 0;
    struct bpf_program *program = bpf_object__find_program_by_name(object, "frames");
    if (!bpf_program__attach_uprobe(program, false, atoi(argv[2]), argv[3], strtoul(argv[4], NULL, 0)))
        return fail("attach");
    struct ring_buffer *ring =
            ring_buffer__new(bpf_object__find_map_fd_by_name(object, "stacks"), print_stack, NULL, NULL);
    if (!ring)
        return fail("ring buffer");
    while (ring_buffer__poll(ring, 1000) >= 0)
        fflush(stdout);
    return 0;
}
