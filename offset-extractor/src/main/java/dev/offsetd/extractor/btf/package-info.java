/**
 * BTF, the kernel's compact type format (Documentation/bpf/btf.rst): header, string table, type table, and the layouts in
 * them. It is given the bytes of a section and knows nothing of DWARF, or of the file that they came from.
 */
@NullMarked
package dev.offsetd.extractor.btf;

import org.jspecify.annotations.NullMarked;
