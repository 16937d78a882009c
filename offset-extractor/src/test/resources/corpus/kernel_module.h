// Structs as GCC 3 writes those of a kernel module: inside the struct in which each is first named. C++ nests them so, and the
// corpus then has the units say that they are C.
struct list_head {
    list_head *next, *prev;
};

struct hlist_head {
    struct hlist_node {
        hlist_node *next, **pprev;
    } *first;
};

struct module {
    enum module_state { MODULE_STATE_LIVE, MODULE_STATE_COMING, MODULE_STATE_GOING = 7 } state;
    list_head list;
    char name[60];
    struct module_kobject {
        struct kobject {
            const char *k_name;
            struct kref {
                struct atomic {
                    volatile int counter;
                } refcount;
            } reference;
            list_head entry;
        } kobj;
        module *mod;
    } mkobj;
    int (*init)();
    unsigned long num_syms;
    struct task_struct {
        volatile long state;
        struct thread_info {
            task_struct *task;
            unsigned long flags;
            unsigned int cpu : 5, preempted : 1;
            unsigned long long addr_limit;
        } *info;
        unsigned did_exec : 1;
        unsigned personality : 11;
        int : 0;
        short prio[3];
        struct linux_binfmt {
            linux_binfmt *next;
            struct module *module;
            int (*load_binary)(struct linux_binprm *);
            unsigned long min_coredump;
            bool hasvdso;
        } *binfmt;
        struct mm_struct {
            struct vm_area_struct {
                mm_struct *vm_mm;
                unsigned long vm_start, vm_end;
                union vm_set {
                    struct {
                        list_head list;
                        void *parent;
                        vm_area_struct *head;
                    } nodes;
                    struct raw_prio_tree_node {
                        raw_prio_tree_node *left, *right;
                    } prio_tree_node;
                } shared;
            } *mmap;
            struct rb_root {
                struct rb_node {
                    unsigned long rb_parent_color;
                    rb_node *rb_right, *rb_left;
                } *top;
            } mm_rb;
            int map_count;
        } *mm;
        struct {
            struct vfsmount {
                int mnt_count;
                hlist_head mnt_hash[4];
            } *root, *pwd;
            long long position;
        } fs;
        double utime;
        hlist_head::hlist_node pids;
    } *waiter;
    char *args;
};
