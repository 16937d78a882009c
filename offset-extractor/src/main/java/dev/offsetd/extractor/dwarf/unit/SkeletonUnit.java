package dev.offsetd.extractor.dwarf.unit;

/**
 * A unit whose DIEs are in another file (DWARF 5 §3.1.2; before DWARF 5 GNU's {@code DW_AT_GNU_dwo_name}).
 *
 * @param section name of the section that has the unit
 * @param unitOffset bytes from the start of that section to the unit
 * @param dwoName path of the file as the producer wrote it
 * @param compilationFolder {@code DW_AT_comp_dir}, which that path counts from; empty if the unit does not say
 * @param dwoId number that the unit in the other file has too
 */
public record SkeletonUnit(String section, long unitOffset, String dwoName, String compilationFolder, long dwoId) {}
