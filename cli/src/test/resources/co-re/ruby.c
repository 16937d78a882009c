/* Stands for a Ruby: the types that the example reads, with other members around theirs, and three frames. */
#include <stddef.h>
#include <unistd.h>

typedef unsigned long VALUE;

typedef struct rb_iseq_location_struct {
    VALUE pathobj;
    VALUE base_label;
    VALUE label;
} rb_iseq_location_t;

struct rb_iseq_constant_body {
    unsigned int flags : 3;
    unsigned int iseq_size;
    VALUE *iseq_encoded;
    rb_iseq_location_t location;
};

typedef struct rb_iseq_struct {
    VALUE flags;
    VALUE wrapper;
    struct rb_iseq_constant_body *body;
} rb_iseq_t;

typedef struct rb_control_frame_struct {
    const VALUE *pc;
    VALUE *sp;
    const rb_iseq_t *iseq;
    VALUE self;
    const VALUE *ep;
} rb_control_frame_t;

typedef struct rb_execution_context_struct {
    VALUE *vm_stack;
    size_t vm_stack_size;
    rb_control_frame_t *cfp;
} rb_execution_context_t;

static struct rb_iseq_constant_body bodies[] = {{.location = {.label = 0x1111}}, {.location = {.label = 0x2222}}};
static rb_iseq_t iseqs[] = {{.body = &bodies[0]}, {.body = &bodies[1]}};
static VALUE stack[64];

__attribute__((noinline)) int rb_vm_exec(rb_execution_context_t *ec) {
    __asm__ volatile("" ::"r"(ec) : "memory");
    return 0;
}

int main(void) {
    rb_control_frame_t *end = (rb_control_frame_t *)(stack + 64);
    end[-1] = (rb_control_frame_t){.pc = (VALUE *)0x10, .iseq = &iseqs[0]};
    end[-2] = (rb_control_frame_t){.pc = NULL};
    end[-3] = (rb_control_frame_t){.pc = (VALUE *)0x30, .iseq = &iseqs[1]};
    rb_execution_context_t ec = {stack, 64, end - 3};
    for (int i = 0; i < 600; i++) {
        rb_vm_exec(&ec);
        usleep(100000);
    }
    return 0;
}
