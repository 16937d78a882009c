package dev.offsetd.extractor.dwarf.unit;

import java.util.List;

/**
 * The split units of a file (DWARF 5 §7.3.2).
 *
 * @param sections of the {@code .dwo} and {@code .dwp} files that hold them
 * @param skeletons the skeleton units of the file
 * @param missing those skeleton units whose split unit was not found
 */
public record SplitUnits(List<DwarfSections> sections, List<SkeletonUnit> skeletons, List<SkeletonUnit> missing) {

    public static final SplitUnits NONE = new SplitUnits(List.of(), List.of(), List.of());

    public SplitUnits {
        sections = List.copyOf(sections);
        skeletons = List.copyOf(skeletons);
        missing = List.copyOf(missing);
    }
}
