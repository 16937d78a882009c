/** Compiled BPF programs as records: instructions, and the numbers about types of another file that they request. */
@NullMarked
package dev.offsetd.extractor.bpf;

import org.jspecify.annotations.NullMarked;
