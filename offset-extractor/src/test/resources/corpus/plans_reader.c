/* Reads values behind pointers of another process, with the macros that answers have: plans_reader PID ROOT START. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>

static int process;

static long probe_read_user(void *to, unsigned long size, const void *from) {
    struct iovec local = {to, size}, remote = {(void *)from, size};
    return process_vm_readv(process, &local, 1, &remote, 1, 0) == (long)size ? 0 : -1;
}

#include "plans.h"

int main(int count, char **words) {
    (void)count;
    process = atoi(words[1]);
    unsigned long root = strtoul(words[2], 0, 16), start = strtoul(words[3], 0, 16);
    long big = 0, before = 0;
    short small = 0;
    char name[16] = "";
    int pair = 0;
    unsigned char flag = 0;
    printf("%ld ", node_next_holder_leaf_big_READ(probe_read_user, root, &big));
    printf("%ld %ld ", big, start_next_before_READ(probe_read_user, start, &before));
    printf("%ld %ld ", before, node_table_1_small_READ(probe_read_user, root, &small));
    printf("%d %ld ", small, node_array_3_name_READ(probe_read_user, root, name));
    printf("%s %ld ", name, node_pair_1_0_READ(probe_read_user, root, &pair));
    printf("%d %ld ", pair, node_holder_leaf_flag_READ(probe_read_user, root, &flag));
    printf("%d ", (flag >> node_holder_leaf_flag_BIT_OFFSET) & ((1 << node_holder_leaf_flag_BIT_SIZE) - 1));
    /* A null pointer is an error of the read, not of the reader. */
    printf("%d\n", node_unnamed_tag_READ(probe_read_user, root, &small) != 0);
    return 0;
}
