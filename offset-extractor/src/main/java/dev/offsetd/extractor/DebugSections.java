package dev.offsetd.extractor;

import dev.offsetd.extractor.btf.BtfSections;
import dev.offsetd.extractor.btf.BtfTypes;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.unit.CodeSections;
import dev.offsetd.extractor.dwarf.unit.CodeSections.Contents;
import dev.offsetd.extractor.dwarf.unit.DwarfSections;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.SkeletonUnit;
import dev.offsetd.extractor.dwarf.unit.SplitUnits;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.go.GoTypes;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.python.DebugOffsets;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the debug information of a file, in its own sections and in those of split and supplementary files. */
final class DebugSections {

    static final String INFO = ".debug_info";
    static final String LINES = ".debug_line";
    static final String BTF = ".BTF";

    /** The types that the BTF of a module needs of its kernel's, without their members. */
    private static final String BTF_BASE = ".BTF.base";

    private final Path file;
    private final ElfFile elf;
    private final MappedFiles files;
    private final ReadOptions options;

    DebugSections(Path file, ElfFile elf, MappedFiles files, ReadOptions options) {
        this.file = file;
        this.elf = elf;
        this.files = files;
        this.options = options;
    }

    /** Returns whether the file has DWARF, its own or that of split units. */
    static boolean hasDwarf(ElfFile elf) {
        return elf.hasContents(INFO) || SplitFiles.isIn(elf);
    }

    /** Returns whether the file is a CPython interpreter that describes itself; a broken section does not. */
    static boolean hasDebugOffsets(ElfFile elf) {
        try {
            return elf.hasContents(DebugOffsets.SECTION) && DebugOffsets.isIn(elf.section(DebugOffsets.SECTION));
        } catch (ExtractionException unreadable) {
            return false;
        }
    }

    /**
     * Begins a reading of types: from DWARF, else from BTF, else from the descriptors of a Go program or the debug offsets of
     * CPython.
     */
    TypeReader types() throws IOException, ExtractionException {
        if (elf.hasContents(INFO)) {
            return new DwarfTypeReader(elf, dwarf(false), options);
        }
        if (SplitFiles.isIn(elf)) {
            DwarfUnits split = DwarfUnits.open(SplitFiles.sections(elf, false), options.limits(), options.heap());
            return new DwarfTypeReader(elf, split, options);
        }
        if (elf.hasContents(BTF)) {
            return btf();
        }
        GoSections go = new GoSections(elf);
        if (go.isGo()) {
            return new WholeTypeReader(go.typeBytes(), GoTypes.catalogue(go, options.limits(), options.heap()));
        }
        if (hasDebugOffsets(elf)) {
            Section offsets = elf.section(DebugOffsets.SECTION);
            return new WholeTypeReader(
                    offsets.size(), TypeCatalogue.ofProgram(DebugOffsets.definitions(offsets), List.of()));
        }
        if (elf.brokenSections().isPresent()) {
            throw elf.brokenSections().get();
        }
        throw new UnsupportedInputException(
                INFO,
                ExtractionException.NO_OFFSET,
                "the file has no DWARF and no BTF: the sections are missing or empty");
    }

    private TypeReader btf() throws IOException, ExtractionException {
        Section own = elf.section(BTF);
        Optional<ElfFile> kernel = kernel();
        // A raw file does not say for which processor it is, but its kernel may.
        int addressBytes = kernel.orElse(elf).architecture().addressBytes();
        Section base = kernel.isPresent() ? kernel.get().section(BTF) : Section.absent(BTF, own.byteOrder());
        if (kernel.isPresent() && base.isEmpty()) {
            throw new MalformedInputException(
                    BTF,
                    ExtractionException.NO_OFFSET,
                    "the file that was given as its base has none; expected the kernel's own .BTF");
        }
        return new WholeTypeReader(
                own.size(),
                BtfTypes.catalogue(
                        new BtfSections(own, elf.section(BTF_BASE), base),
                        addressBytes,
                        options.limits(),
                        options.heap()));
    }

    private Optional<ElfFile> kernel() throws IOException, ExtractionException {
        Path base = options.baseBtf();
        if (base == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(files.map(base));
        } catch (LimitExceededException e) {
            throw e;
        } catch (ExtractionException e) {
            throw new UnsupportedInputException(
                    BTF,
                    ExtractionException.NO_OFFSET,
                    "the file that was given as its base, " + HostileText.quote(base.toString()) + ", is unreadable: "
                            + e.getMessage());
        }
    }

    /**
     * Opens the units of the file and of the files that it is read with.
     *
     * @param code whether the attributes of code are read, besides those of types
     */
    DwarfUnits dwarf(boolean code) throws IOException, ExtractionException {
        DwarfSections own = dwarfSections(elf, code);
        DwarfSections supplementary = supplementary().orElse(null);
        HeapBudget heap = options.heap();
        DwarfUnits units = DwarfUnits.open(own, SplitUnits.NONE, supplementary, options.limits(), heap);
        // Skeleton units need this section for their addresses. Nothing else gives away those of before DWARF 5 early.
        boolean indexedAddresses = elf.hasContents(".debug_addr");
        if (own.info().progress() != null && !indexedAddresses) {
            // Looking for skeletons would wait until the last unit is decompressed. The scan refuses one that it meets.
            return units;
        }
        List<SkeletonUnit> skeletons = units.skeletonUnits(indexedAddresses);
        if (skeletons.isEmpty()) {
            return units;
        }
        SplitUnits split = new SplitFiles(file, options.paths(), files, options.limits(), code).find(skeletons);
        List<SkeletonUnit> missing = split.missing();
        // The linked file has the line programs of all units.
        boolean isUseless = !code && missing.size() == units.ownUnitCount();
        if (!missing.isEmpty() && (!options.allowsMissingUnits() || isUseless)) {
            throw SplitFiles.missing(missing.getFirst());
        }
        return DwarfUnits.open(own, split, supplementary, options.limits(), heap);
    }

    private static DwarfSections dwarfSections(ElfFile elf, boolean code) throws ExtractionException {
        // Units are read while the rest of their section is decompressed; the names in them need all of the strings.
        Section info = elf.backgroundSection(INFO);
        Section types = elf.backgroundSection(".debug_types");
        Section abbrev = elf.section(".debug_abbrev");
        Section str = elf.backgroundSection(".debug_str");
        DwarfSections sections = new DwarfSections(
                info,
                types,
                abbrev,
                str,
                elf.section(".debug_line_str"),
                elf.section(".debug_str_offsets"),
                elf.section(".debug_addr"),
                elf.section(".debug_cu_index"),
                elf.section(".debug_tu_index"),
                elf.hasZero(),
                code
                        ? new CodeSections(
                                Contents.of(() -> elf.section(LINES)),
                                Contents.of(() -> elf.section(".debug_ranges")),
                                Contents.of(() -> elf.section(".debug_rnglists")))
                        : null);
        str.awaitEnd();
        return sections;
    }

    private Optional<DwarfSections> supplementary() throws IOException, ExtractionException {
        Optional<SupplementaryFile> link = SupplementaryFile.linkedBy(elf, options.limits());
        if (link.isEmpty()) {
            return Optional.empty();
        }
        List<Path> candidates = options.supplementary() != null
                ? List.of(options.supplementary())
                : link.get().candidates(file, options.paths(), options.debugFolders());
        List<String> rejected = new ArrayList<>();
        for (Path candidate : candidates) {
            ElfFile other;
            boolean isMeant;
            String reason;
            try {
                other = files.map(candidate);
                isMeant = link.get().isMeant(other, options.limits());
                reason = other.buildId().map(id -> "has build-id " + id).orElse("has no build-id");
            } catch (ExtractionException e) {
                // A file that is not ELF is not the supplementary file.
                rejected.add(HostileText.quote(candidate.toString()) + " is unreadable: " + e.getMessage());
                continue;
            }
            if (isMeant) {
                return Optional.of(dwarfSections(other, false));
            }
            rejected.add(HostileText.quote(candidate.toString()) + " " + reason);
        }
        throw link.get().missing(rejected);
    }
}
