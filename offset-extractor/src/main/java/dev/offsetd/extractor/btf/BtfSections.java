package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bytes.Section;

/**
 * The sections that types are read from; an absent one is empty.
 *
 * @param own {@code .BTF} of the file
 * @param distilled {@code .BTF.base} of a kernel module: what its BTF needs of its kernel's, without members
 * @param kernel {@code .BTF} of the kernel that a module was made for
 */
public record BtfSections(Section own, Section distilled, Section kernel) {}
