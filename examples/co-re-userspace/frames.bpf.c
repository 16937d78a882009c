/* SPDX-License-Identifier: Apache-2.0 */
// Walks the control frames of a Ruby thread. Has no offset and no size: CO-RE takes both from the BTF of the libruby that
// runs, which frames.c hands to libbpf. The types here name the members that are read; libruby's have many more.

#include <linux/types.h>
#include <linux/bpf.h>
#include <asm/ptrace.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

#include "frames.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct rb_iseq_location_struct {
    unsigned long label;
};

struct rb_iseq_constant_body {
    unsigned int iseq_size;
    struct rb_iseq_location_struct location;
};

struct rb_iseq_struct {
    struct rb_iseq_constant_body *body;
};

struct rb_control_frame_struct {
    const unsigned long *pc;
    const struct rb_iseq_struct *iseq;
};

struct rb_execution_context_struct {
    unsigned long *vm_stack;
    unsigned long vm_stack_size;
    struct rb_control_frame_struct *cfp;
};

#pragma clang attribute pop

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 1 << 16);
} stacks SEC(".maps");

// Attached to rb_vm_exec(rb_execution_context_t *ec, ...).
SEC("uprobe")
int frames(struct pt_regs *ctx) {
    struct rb_execution_context_struct *ec = (void *)PT_REGS_PARM1(ctx);
    unsigned long cfp = (unsigned long)BPF_CORE_READ_USER(ec, cfp);
    unsigned long end = (unsigned long)BPF_CORE_READ_USER(ec, vm_stack)
            + BPF_CORE_READ_USER(ec, vm_stack_size) * sizeof(unsigned long);
    struct stack *stack = bpf_ringbuf_reserve(&stacks, sizeof(*stack), 0);
    if (!stack)
        return 0;
    stack->pid = bpf_get_current_pid_tgid() >> 32;
    stack->count = 0;
    for (int i = 0; i < MAX_FRAMES && cfp < end; i++) {
        struct rb_control_frame_struct *frame = (void *)cfp;
        struct rb_iseq_struct *iseq = (void *)BPF_CORE_READ_USER(frame, iseq);
        stack->frames[i].pc = (unsigned long)BPF_CORE_READ_USER(frame, pc);
        stack->frames[i].label = iseq ? BPF_CORE_READ_USER(iseq, body, location.label) : 0;
        stack->count = i + 1;
        cfp += bpf_core_type_size(struct rb_control_frame_struct);
    }
    bpf_ringbuf_submit(stack, 0);
    return 0;
}

char LICENSE[] SEC("license") = "GPL";
