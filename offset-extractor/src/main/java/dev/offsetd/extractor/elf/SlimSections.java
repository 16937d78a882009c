package dev.offsetd.extractor.elf;

import java.util.Set;

/** Sections that readings use, besides notes and symbol tables. Code, line tables, location lists and frames are not among them. */
public enum SlimSections {
    /** Sections of types, variables and symbols. */
    TYPES,

    /** {@link #TYPES}, and the ranges of functions and of those that are inlined into them. */
    FUNCTIONS;

    private static final Set<String> NAMES = Set.of(
            ".debug_info",
            ".debug_types",
            ".debug_abbrev",
            ".debug_str",
            ".debug_line_str",
            ".debug_str_offsets",
            ".debug_addr",
            ".debug_cu_index",
            ".debug_tu_index",
            ".debug_info.dwo",
            ".debug_types.dwo",
            ".debug_abbrev.dwo",
            ".debug_str.dwo",
            ".debug_line_str.dwo",
            ".debug_str_offsets.dwo",
            ".debug_sup",
            ".gnu_debugaltlink",
            ".gnu_debugdata",
            ".go.buildinfo",
            ".modinfo",
            ".dynamic",
            ".comment",
            ".BTF",
            ".BTF.base");

    private static final Set<String> RANGES = Set.of(".debug_ranges", ".debug_rnglists", ".debug_rnglists.dwo");

    /** Strings of the program, which state its version. */
    private static final String STRINGS = ".rodata";

    /** More than the strings of kernels and of language runtimes. */
    private static final long MAX_STRINGS_BYTES = 16L << 20;

    /** Returns whether readings use this section, or its {@code .zdebug_*} form. */
    boolean contains(SectionHeader section) {
        String name = section.plainName();
        return NAMES.contains(name)
                || (this == FUNCTIONS && RANGES.contains(name))
                || (name.equals(STRINGS) && section.size() <= MAX_STRINGS_BYTES);
    }
}
