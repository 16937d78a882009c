package dev.offsetd.extractor.dwarf.unit;

import org.jspecify.annotations.Nullable;

/**
 * A unit whose DIEs are in another file (DWARF 5 §3.1.2; before DWARF 5 GNU's {@code DW_AT_GNU_dwo_name}).
 *
 * @param section name of the section that has the unit
 * @param unitOffset bytes from the start of that section to the unit
 * @param dwoName path of the file as the producer wrote it
 * @param compilationFolder {@code DW_AT_comp_dir}, which that path counts from; empty if the unit does not say
 * @param dwoId number that the unit in the other file has too
 * @param addressBase where the addresses of both start in {@code .debug_addr}, or {@link UnitHeader#NO_BASE}
 * @param obstacle what keeps that file from being read, if it is not just missing; else null
 */
public record SkeletonUnit(
        String section,
        long unitOffset,
        String dwoName,
        String compilationFolder,
        long dwoId,
        long addressBase,
        @Nullable String obstacle) {

    /** Returns the same unit with what keeps its file from being read. */
    public SkeletonUnit withObstacle(@Nullable String other) {
        return new SkeletonUnit(section, unitOffset, dwoName, compilationFolder, dwoId, addressBase, other);
    }
}
