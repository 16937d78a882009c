#include "kernel_module.h"

struct exit_queue {
    module::task_struct::mm_struct::vm_area_struct::vm_set last;
    struct work_struct {
        unsigned long pending : 1, owner : 17, rest : 14;
        list_head entry;
        void (*func)(work_struct *);
    } work[2];
} exits;

extern "C" void cleanup_module() {
    exits.work[1].func(exits.work);
}
