/* SPDX-License-Identifier: Apache-2.0 */
// The record that the BPF program sends for each sample.

#define MAX_FRAMES 32

struct stack {
    unsigned int pid;
    unsigned int count;
    struct {
        unsigned long long pc;     // 0 in a frame of a C function
        unsigned long long label;  // VALUE of the method's name
    } frames[MAX_FRAMES];
};
