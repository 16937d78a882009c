package dev.offsetd.extractor;

import java.util.Set;

/**
 * The sections that anything here reads, besides notes and symbol tables: what a file has to keep to give the same
 * answers. Code, line tables, locations, ranges and frames are not among them.
 */
final class SlimSections {

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
            ".BTF",
            ".BTF.base");

    private SlimSections() {}

    /** Whether a section of this name is one, or the old kind of compressed one ({@code .zdebug_info}). */
    static boolean contains(String name) {
        return NAMES.contains(name) || (name.startsWith(".z") && NAMES.contains("." + name.substring(2)));
    }
}
