package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.bytes.Section;
import org.jspecify.annotations.Nullable;

/**
 * The sections of one file that types are read from. An absent one is empty.
 *
 * @param info {@code .debug_info}
 * @param types {@code .debug_types}, which DWARF 4 has its type units in
 * @param abbrev {@code .debug_abbrev}
 * @param str {@code .debug_str}
 * @param lineStr {@code .debug_line_str}
 * @param strOffsets {@code .debug_str_offsets}
 * @param addr {@code .debug_addr}
 * @param cuIndex {@code .debug_cu_index}, which only {@code .dwp} files have
 * @param tuIndex {@code .debug_tu_index}, likewise
 * @param hasZero whether the file has something that is loaded at address 0
 * @param code what readings of code need besides, or null
 */
public record DwarfSections(
        Section info,
        Section types,
        Section abbrev,
        Section str,
        Section lineStr,
        Section strOffsets,
        Section addr,
        Section cuIndex,
        Section tuIndex,
        boolean hasZero,
        @Nullable CodeSections code) {}
