package dev.offsetd.extractor;

import dev.offsetd.extractor.dwarf.unit.CodeSections;
import dev.offsetd.extractor.dwarf.unit.CodeSections.Contents;
import dev.offsetd.extractor.dwarf.unit.DwarfSections;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.SkeletonUnit;
import dev.offsetd.extractor.dwarf.unit.SplitUnits;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Search for split units (DWARF 5 §7.3.2): in a {@code .dwo} file per compilation, or in one {@code .dwp} file beside the
 * linked file.
 */
final class SplitFiles {

    private static final String DWO_INFO = ".debug_info.dwo";

    private final Path file;
    private final LinkedPaths paths;
    private final MappedFiles files;
    private final Limits limits;
    private final boolean code;

    /** @param dwoIds what its units are known by */
    private record SplitFile(DwarfSections sections, Set<Long> dwoIds) {}

    /**
     * @param file that has the skeleton units
     * @param code whether what units say of code is read
     */
    SplitFiles(Path file, LinkedPaths paths, MappedFiles files, Limits limits, boolean code) {
        this.file = file;
        this.paths = paths;
        this.files = files;
        this.limits = limits;
        this.code = code;
    }

    /** Returns whether the file itself contains split units. */
    static boolean isIn(ElfFile elf) {
        return elf.hasContents(DWO_INFO);
    }

    /**
     * Returns the sections with the split units of this file.
     *
     * @param code whether what they say of code is read
     */
    static DwarfSections sections(ElfFile elf, boolean code) throws ExtractionException {
        return new DwarfSections(
                elf.section(DWO_INFO),
                elf.section(".debug_types.dwo"),
                elf.section(".debug_abbrev.dwo"),
                elf.section(".debug_str.dwo"),
                elf.section(".debug_line_str.dwo"),
                elf.section(".debug_str_offsets.dwo"),
                // The table of addresses stays in the linked file, and only the skeleton unit has its base.
                elf.section(".debug_addr"),
                elf.section(".debug_cu_index"),
                elf.section(".debug_tu_index"),
                elf.hasZero(),
                code ? CodeSections.ofSplit(Contents.of(() -> elf.section(".debug_rnglists.dwo"))) : null);
    }

    /** Finds the files that hold the units of these skeletons. */
    SplitUnits find(List<SkeletonUnit> skeletons) throws IOException, ExtractionException {
        List<DwarfSections> found = new ArrayList<>();
        List<SkeletonUnit> missing = new ArrayList<>();
        Set<Long> have = new HashSet<>();
        List<String> unreadable = new ArrayList<>();
        for (Path candidate : packages()) {
            Optional<SplitFile> read = read(candidate);
            if (read.isPresent()) {
                found.add(read.get().sections);
                have.addAll(read.get().dwoIds);
            } else {
                unreadable.add(unreadable(candidate));
            }
        }
        for (SkeletonUnit skeleton : skeletons) {
            if (have.contains(skeleton.dwoId())) {
                continue;
            }
            List<String> rejected = new ArrayList<>(unreadable);
            Optional<SplitFile> read = find(skeleton, rejected);
            if (read.isEmpty()) {
                missing.add(skeleton.withObstacle(rejected.isEmpty() ? null : String.join(", ", rejected)));
                continue;
            }
            found.add(read.get().sections);
            have.addAll(read.get().dwoIds);
        }
        return new SplitUnits(found, skeletons, missing);
    }

    /** Returns the packages beside the file, and beside the file that a symbolic link leads to. */
    private List<Path> packages() {
        Path target = LinkedPaths.real(file);
        List<Path> candidates = new ArrayList<>();
        for (Path path : target.equals(file) ? List.of(file) : List.of(file, target)) {
            String name = String.valueOf(path.getFileName());
            candidates.add(path.resolveSibling(name + ".dwp"));
            if (name.endsWith(".debug")) {
                candidates.add(path.resolveSibling(name.substring(0, name.length() - ".debug".length()) + ".dwp"));
            }
        }
        return LinkedPaths.regular(candidates);
    }

    /** @param rejected receives the files in its places that do not have the unit */
    private Optional<SplitFile> find(SkeletonUnit skeleton, List<String> rejected)
            throws IOException, ExtractionException {
        for (Path candidate : paths.candidates(file, skeleton.compilationFolder(), skeleton.dwoName())) {
            Optional<SplitFile> read = read(candidate);
            if (read.isPresent() && read.get().dwoIds.contains(skeleton.dwoId())) {
                return read;
            }
            rejected.add(
                    read.isPresent()
                            ? HostileText.quote(candidate.toString()) + " has other units"
                            : unreadable(candidate));
        }
        return Optional.empty();
    }

    private static String unreadable(Path candidate) {
        return HostileText.quote(candidate.toString()) + " is unreadable, or has no split units";
    }

    /** Returns the error for a file that cannot be read without this unit. */
    static UnsupportedInputException missing(SkeletonUnit skeleton) {
        return new UnsupportedInputException(
                skeleton.section(),
                skeleton.unitOffset(),
                "the unit is split: its types are in another file that was not found; needs "
                        + HostileText.quote(skeleton.dwoName()) + " with DWO id "
                        + String.format("%016x", skeleton.dwoId()) + ", or a .dwp file that holds it"
                        + (skeleton.obstacle() == null ? "" : "; " + skeleton.obstacle()));
    }

    private Set<Long> dwoIds(DwarfSections split) throws ExtractionException {
        return DwarfUnits.open(split, limits, new HeapBudget(limits.maxKeptBytes()))
                .dwoIds();
    }

    /** Reads the split units of a candidate; empty if it is not ELF, has none, or is damaged. */
    private Optional<SplitFile> read(Path candidate) throws IOException, LimitExceededException {
        try {
            ElfFile elf = files.map(candidate);
            if (!isIn(elf)) {
                return Optional.empty();
            }
            DwarfSections sections = sections(elf, code);
            return Optional.of(new SplitFile(sections, dwoIds(sections)));
        } catch (LimitExceededException e) {
            throw e;
        } catch (ExtractionException e) {
            return Optional.empty();
        }
    }
}
