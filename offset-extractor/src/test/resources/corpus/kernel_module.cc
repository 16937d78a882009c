#include "kernel_module.h"

module this_module;
module::task_struct *current;

extern "C" int init_module() {
    this_module.waiter = current;
    return current->fs.pwd->mnt_count + current->mm->map_count;
}
