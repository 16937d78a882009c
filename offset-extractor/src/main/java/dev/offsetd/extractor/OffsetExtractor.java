package dev.offsetd.extractor;

import dev.offsetd.extractor.btf.BtfTypes;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.build.TypeBuilder;
import dev.offsetd.extractor.dwarf.build.VariableBuilder;
import dev.offsetd.extractor.dwarf.scan.DefinitionMerge;
import dev.offsetd.extractor.dwarf.scan.DefinitionScanner;
import dev.offsetd.extractor.dwarf.scan.Selection;
import dev.offsetd.extractor.dwarf.unit.DwarfSections;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.SkeletonUnit;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.elf.SlimElf;
import dev.offsetd.extractor.elf.SymbolReader;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.Variable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads layouts and variables out of ELF files, out of their DWARF, or their BTF where there is no DWARF, and symbols. Immutable;
 * safe for any number of threads.
 */
public final class OffsetExtractor {

    /**
     * Version of what is extracted. Rises whenever the same file may give another answer than before; stored catalogues
     * of lower versions are then renewed.
     */
    public static final int VERSION = 4;

    /** Scans for types that are held by value and only declared; each finds those in the types that the one before found. */
    private static final int MAX_DECLARED_ROUNDS = 16;

    /** Between the name of a function and that of a type in it. */
    private static final String LOCAL_TO = "()::";

    private static final String INFO = ".debug_info";
    private static final String BTF = ".BTF";

    private final Limits limits;
    private final int threads;
    private final Companions companions;
    private final boolean leavesOutMissing;

    /** Shared with other readings, or null: each reading has its own. */
    private final @Nullable HeapBudget shared;

    /**
     * An extractor that keeps to these limits.
     *
     * @param threads how many threads read units side by side; the result does not depend on it
     */
    public OffsetExtractor(Limits limits, int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("threads is " + threads + "; expected 1 or more");
        }
        this(limits, threads, Companions.NONE, false, null);
    }

    private OffsetExtractor(
            Limits limits, int threads, Companions companions, boolean leavesOutMissing, @Nullable HeapBudget shared) {
        this.leavesOutMissing = leavesOutMissing;
        this.limits = limits;
        this.threads = threads;
        this.companions = companions;
        this.shared = shared;
    }

    /**
     * The other files that a file is read with.
     *
     * @param supplementary the supplementary file, if it is given
     * @param baseBtf the kernel whose BTF a module's counts on from, if it is given
     * @param paths where files that the file names are looked for
     * @param debugFolders folders with installed debug files, where supplementary files are looked for
     */
    private record Companions(
            Optional<Path> supplementary, Optional<Path> baseBtf, LinkedPaths paths, List<Path> debugFolders) {

        static final Companions NONE =
                new Companions(Optional.empty(), Optional.empty(), LinkedPaths.BESIDE, List.of());
    }

    /**
     * The same extractor, that takes this file for the supplementary file of those it reads (DWARF 5 §7.3.6) instead of
     * looking beside them. It must have the build-id that they name.
     */
    public OffsetExtractor withSupplementaryFile(Path file) {
        return with(
                new Companions(Optional.of(file), companions.baseBtf(), companions.paths(), companions.debugFolders()));
    }

    /**
     * The same extractor, that takes this kernel ({@code vmlinux}) for the one whose BTF that of the modules it reads
     * counts on from. It must be the very build that they were made for; BTF does not name it.
     */
    public OffsetExtractor withBaseBtf(Path kernel) {
        return with(new Companions(
                companions.supplementary(), Optional.of(kernel), companions.paths(), companions.debugFolders()));
    }

    /**
     * The same extractor, that looks for the split DWARF and the supplementary file of those it reads wherever these say,
     * too, and not only in and under their folder. For a user's own builds; a hostile file could make it open any other.
     */
    public OffsetExtractor followingAnyPath() {
        return with(new Companions(
                companions.supplementary(), companions.baseBtf(), LinkedPaths.ANYWHERE, companions.debugFolders()));
    }

    /**
     * The same extractor, that looks for supplementary files in these folders, too: in {@code .dwz/}, in {@code .build-id/}, and
     * where a path that starts at {@code /usr/lib/debug} leads in them.
     */
    public OffsetExtractor withDebugFolders(List<Path> folders) {
        return with(new Companions(
                companions.supplementary(), companions.baseBtf(), companions.paths(), List.copyOf(folders)));
    }

    /**
     * The same extractor, that reads a file without those of its split units whose file is not found, and reports them, as long as
     * there is another unit to read.
     */
    public OffsetExtractor leavingOutMissingUnits() {
        return new OffsetExtractor(limits, threads, companions, true, shared);
    }

    private OffsetExtractor with(Companions other) {
        return new OffsetExtractor(limits, threads, other, leavesOutMissing, shared);
    }

    /**
     * The same extractor, that counts what it keeps of the files it reads in this budget, whatever
     * {@link Limits#maxKeptBytes()} says: for several readings of one file that are done together.
     */
    public OffsetExtractor withBudget(HeapBudget budget) {
        return new OffsetExtractor(limits, threads, companions, leavesOutMissing, budget);
    }

    private HeapBudget budget() {
        return shared == null ? new HeapBudget(limits.maxKeptBytes()) : shared;
    }

    /**
     * Reads the ELF headers and notes only.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is no ELF file, or a broken one
     */
    public ElfFacts inspect(Path file) throws IOException, ExtractionException {
        return open(file, (elf, files) -> facts(elf));
    }

    /**
     * The link to the file that has the debug information of this one; empty if it has none.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is no ELF file, or a broken one
     */
    public Optional<DebugLink> debugLink(Path file) throws IOException, ExtractionException {
        return open(file, (elf, files) -> DebugLink.of(elf, limits));
    }

    /**
     * Writes the file again without the contents of sections that this extractor does not read. The same types, variables
     * and symbols are read out of what comes out, byte for byte; addresses and indexes of sections stay.
     *
     * @param out gets the file, the same bytes each time
     * @return how many bytes these are
     * @throws IOException if the file cannot be read, or what comes out cannot be written
     * @throws ExtractionException if it is no ELF file, or a broken one
     */
    public long writeSlim(Path file, OutputStream out) throws IOException, ExtractionException {
        return open(file, (elf, files) -> SlimElf.write(elf, SlimSections::contains, out));
    }

    /**
     * The supplementary file that the file's DWARF is not complete without.
     *
     * @return empty if it needs none, or says not which by a build-id
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is no ELF file, or a broken one
     */
    public Optional<SupplementaryLink> supplementaryLink(Path file) throws IOException, ExtractionException {
        return open(
                file,
                (elf, files) -> elf.hasContents(INFO)
                        ? SupplementaryFile.linkedBy(elf, limits).flatMap(SupplementaryFile::link)
                        : Optional.empty());
    }

    /**
     * Reads the types and variables that are wanted, with everything they hold by value. Functions are looked into only for names that
     * nothing outside of them has.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is malformed, not supported or over a limit, or has no debug information
     */
    public ExtractionReport extract(Path file, Wanted wanted) throws IOException, ExtractionException {
        BtfReading<ExtractionReport> fromBtf = (elf, btf, definitions) -> report(
                elf,
                btf,
                definitions.stream()
                        .filter(definition -> isWanted(definition, wanted))
                        .toList());
        return openTypes(file, fromBtf, (elf, dwarf) -> {
            TypeCatalogue visible = catalogue(
                    elf, dwarf, Selection.of(wanted.types(), wanted.enumerators(), wanted.variables(), false, limits));
            return report(elf, dwarf, withLocal(elf, dwarf, wanted, visible));
        });
    }

    /**
     * Reads for each name the first complete struct, union, class or enumeration of it that is met outside of functions, and
     * no unit after the last of them. Which one that is says nothing of the others: for comparing with tools that stop there.
     *
     * @return what was found, in the order of the debug information
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is malformed as far as it is read, not supported or over a limit, or has no DWARF
     */
    public List<Definition> firstMatches(Path file, Set<String> names) throws IOException, ExtractionException {
        Selection selection = Selection.of(names, Set.of(), Set.of(), false, limits);
        BtfReading<List<Definition>> fromBtf = (elf, btf, definitions) -> {
            List<Definition> first = new ArrayList<>();
            Set<String> missing = new HashSet<>(names);
            addFirst(definitions, missing, first);
            return first;
        };
        return openTypes(file, fromBtf, (elf, dwarf) -> {
            List<Definition> first = new ArrayList<>();
            Set<String> missing = new HashSet<>(names);
            DefinitionScanner scanner = new DefinitionScanner(dwarf, selection);
            TypeBuilder builder = new TypeBuilder(dwarf);
            for (int unit = 0; !missing.isEmpty() && dwarf.hasOwnUnit(unit); unit++) {
                addFirst(builder.buildEach(scanner.scan(unit)), missing, first);
            }
            return first;
        });
    }

    private static void addFirst(List<Definition> definitions, Set<String> missing, List<Definition> first) {
        for (Definition definition : definitions) {
            if (isCompleteTag(definition) && missing.remove(definition.name())) {
                first.add(definition);
            }
        }
    }

    /**
     * Reads every named type of the file, the unnamed enumerations, and every variable that lasts.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is malformed, not supported or over a limit, or has no debug information
     */
    public ExtractionReport extractAll(Path file) throws IOException, ExtractionException {
        return openTypes(
                file,
                OffsetExtractor::report,
                (elf, dwarf) -> report(elf, dwarf, catalogue(elf, dwarf, Selection.everything(limits))));
    }

    /**
     * Hands out every complete named struct, union, class and enum definition of the file itself, unmerged, in the order
     * of the debug information.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is malformed, not supported or over a limit, or has no debug information
     */
    public void forEachDefinition(Path file, Consumer<Definition> sink) throws IOException, ExtractionException {
        BtfReading<ElfFile> fromBtf = (elf, btf, definitions) -> {
            definitions.stream().filter(OffsetExtractor::isCompleteTag).forEach(sink);
            return elf;
        };
        openTypes(file, fromBtf, (elf, dwarf) -> {
            DefinitionScanner scanner = new DefinitionScanner(dwarf, Selection.everyType(limits));
            TypeBuilder builder = new TypeBuilder(dwarf);
            for (int unit = 0; unit < dwarf.ownUnitCount(); unit++) {
                dwarf.deadline().check(INFO);
                builder.buildEach(scanner.scan(unit)).forEach(sink);
            }
            return elf;
        });
    }

    /**
     * Reads the symbols of the file itself, not those of its debug file.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is malformed, not supported or over a limit
     */
    public SymbolReport symbols(Path file) throws IOException, ExtractionException {
        return open(file, (elf, files) -> {
            Deadline deadline = new Deadline(limits);
            return new SymbolReport(
                    facts(elf),
                    SymbolReader.read(elf, limits, budget(), deadline::check),
                    elf.symbolValues(),
                    elf.tlsSegment());
        });
    }

    private TypeCatalogue catalogue(ElfFile elf, DwarfUnits dwarf, Selection selection)
            throws IOException, ExtractionException {
        DefinitionMerge merge = scan(dwarf, selection);
        TypeBuilder builder = new TypeBuilder(dwarf);
        List<Definition> definitions = builder.build(merge);
        Set<String> undefined = selection.isOfEveryType() ? Set.of() : builder.undefined();
        Set<String> sought = new HashSet<>();
        for (int round = 0; round < MAX_DECLARED_ROUNDS && sought.addAll(undefined); round++) {
            DefinitionMerge declared = scan(dwarf, Selection.of(sought, Set.of(), Set.of(), false, limits));
            declared.finish();
            builder = new TypeBuilder(dwarf);
            definitions = builder.build(merge, declared);
            undefined = builder.undefined();
        }
        // Addresses of a relocatable file count from the starts of its sections, of which there are many.
        return new TypeCatalogue(
                definitions,
                new VariableBuilder(dwarf, builder, !elf.isRelocatable()).build(merge),
                builder.inlineNamespaces(merge),
                ExtractionReport.unread(missing(dwarf)));
    }

    private DefinitionMerge scan(DwarfUnits dwarf, Selection selection) throws IOException, ExtractionException {
        DefinitionMerge merge = new DefinitionMerge(dwarf);
        UnitScan.Units own = place -> dwarf.hasOwnUnit(place) ? place : UnitScan.Units.NONE;
        new UnitScan(dwarf, selection, own).into(merge, threads);
        // Units of the supplementary file are the file's as far as it uses them; they may use others.
        Set<Integer> scanned = new HashSet<>();
        List<Integer> used = dwarf.usedOfSupplementaryFile();
        while (scanned.addAll(used)) {
            List<Integer> units = used;
            new UnitScan(dwarf, selection, place -> place < units.size() ? units.get(place) : UnitScan.Units.NONE)
                    .into(merge, threads);
            used = dwarf.usedOfSupplementaryFile().stream()
                    .filter(unit -> !scanned.contains(unit))
                    .toList();
        }
        return merge;
    }

    /** Adds the types, enumerators and variables that only functions have, for the names that nothing else has. */
    private TypeCatalogue withLocal(ElfFile elf, DwarfUnits dwarf, Wanted wanted, TypeCatalogue visible)
            throws IOException, ExtractionException {
        Set<String> inFunctions = wanted.types().stream()
                .filter(name -> name.contains(LOCAL_TO))
                .map(TypeNames::unqualified)
                .collect(Collectors.toUnmodifiableSet());
        Set<String> types = wanted.types().stream()
                .filter(name -> inFunctions.contains(name)
                        || TypeNames.spellings(name).stream()
                                .flatMap(spelling -> visible.definitionsNamed(spelling).stream())
                                .allMatch(Definition::isDeclaration))
                .filter(name -> inFunctions.contains(name)
                        || visible.variablesNamed(name).isEmpty())
                .collect(Collectors.toUnmodifiableSet());
        Set<String> enumerators = wanted.enumerators().stream()
                .filter(name -> visible.enumeratorsNamed(name).isEmpty())
                .collect(Collectors.toUnmodifiableSet());
        Set<String> variables = wanted.variables().stream()
                .filter(name -> visible.variablesNamed(name).isEmpty())
                .filter(name -> TypeNames.spellings(name).stream()
                        .flatMap(spelling -> visible.definitionsNamed(spelling).stream())
                        .allMatch(Definition::isDeclaration))
                .collect(Collectors.toUnmodifiableSet());
        if (types.isEmpty() && enumerators.isEmpty() && variables.isEmpty()) {
            return visible;
        }
        Set<String> again = types.stream().map(TypeNames::canonical).collect(Collectors.toUnmodifiableSet());
        // Arguments may have been left out that have a default.
        Set<String> templates = types.stream()
                .filter(name -> TypeNames.unqualified(name).equals(name) && name.indexOf('<') > 0)
                .map(TypeNames::template)
                .collect(Collectors.toUnmodifiableSet());
        TypeCatalogue local = catalogue(
                elf,
                dwarf,
                Selection.of(types, enumerators, variables, true, limits).withInstancesOf(templates, limits));
        List<Definition> all = new ArrayList<>(visible.definitions());
        all.removeIf(definition -> again.contains(TypeNames.canonical(definition.name()))
                || (definition.name().indexOf('<') > 0 && templates.contains(TypeNames.template(definition.name()))));
        all.addAll(local.definitions());
        all.sort(Comparator.comparingLong(Definition::dieOffset));
        List<Variable> allVariables = new ArrayList<>(visible.variables());
        allVariables.addAll(local.variables());
        Set<String> inlineNamespaces = new HashSet<>(visible.inlineNamespaces());
        inlineNamespaces.addAll(local.inlineNamespaces());
        return new TypeCatalogue(all, allVariables, inlineNamespaces, visible.unread());
    }

    private static ExtractionReport report(ElfFile elf, DwarfUnits dwarf, TypeCatalogue types)
            throws ExtractionException {
        return new ExtractionReport(facts(elf), types, dwarf.ownUnitCount(), dwarf.ownBytes(), missing(dwarf));
    }

    private static List<MissingUnit> missing(DwarfUnits dwarf) {
        return dwarf.missing().stream()
                .map(skeleton -> new MissingUnit(skeleton.dwoName(), skeleton.dwoId()))
                .toList();
    }

    private static ExtractionReport report(ElfFile elf, Section btf, List<Definition> definitions) {
        return new ExtractionReport(facts(elf), new TypeCatalogue(definitions, List.of()), 1, btf.size(), List.of());
    }

    private static boolean isWanted(Definition definition, Wanted wanted) {
        return wanted.types().stream()
                        .anyMatch(name -> !definition.name().isEmpty()
                                && TypeNames.canonical(name).equals(TypeNames.canonical(definition.name())))
                || (definition.shape() instanceof EnumShape enumeration
                        && enumeration.enumerators().stream()
                                .anyMatch(enumerator -> wanted.enumerators().contains(enumerator.name())));
    }

    private static boolean isCompleteTag(Definition definition) {
        return definition.kind().isTag() && !definition.name().isEmpty() && !definition.isDeclaration();
    }

    private static ElfFacts facts(ElfFile elf) {
        return new ElfFacts(
                elf.buildId(),
                elf.architecture(),
                elf.type(),
                elf.hasContents(INFO) || SplitFiles.isIn(elf),
                elf.hasContents(BTF),
                elf.fileBytes());
    }

    private static DwarfSections dwarfSections(ElfFile elf) throws ExtractionException {
        // Units are read while they arrive; the names in them need all of the strings.
        Section info = elf.arrivingSection(INFO);
        Section types = elf.arrivingSection(".debug_types");
        Section abbrev = elf.section(".debug_abbrev");
        Section str = elf.arrivingSection(".debug_str");
        DwarfSections sections = new DwarfSections(
                info,
                types,
                abbrev,
                str,
                elf.section(".debug_line_str"),
                elf.section(".debug_str_offsets"),
                elf.section(".debug_addr"),
                elf.section(".debug_cu_index"),
                elf.section(".debug_tu_index"));
        str.awaitEnd();
        return sections;
    }

    @FunctionalInterface
    private interface Reading<T> {
        T read(ElfFile elf, MappedFiles files) throws IOException, ExtractionException;
    }

    @FunctionalInterface
    private interface TypeReading<T> {
        T read(ElfFile elf, DwarfUnits dwarf) throws IOException, ExtractionException;
    }

    @FunctionalInterface
    private interface BtfReading<T> {
        T read(ElfFile elf, Section btf, List<Definition> definitions);
    }

    private <T> T openTypes(Path file, BtfReading<T> btfReading, TypeReading<T> reading)
            throws IOException, ExtractionException {
        return open(file, (elf, files) -> {
            if (elf.hasContents(INFO)) {
                return reading.read(elf, dwarf(file, elf, files));
            }
            if (SplitFiles.isIn(elf)) {
                return reading.read(
                        elf,
                        DwarfUnits.open(
                                SplitFiles.sections(elf), List.of(), List.of(), Optional.empty(), limits, budget()));
            }
            if (elf.hasContents(BTF)) {
                Section btf = elf.section(BTF);
                int pointerBytes = elf.architecture().bits() / 8;
                Optional<Section> base = baseBtf(elf, files);
                return btfReading.read(elf, btf, BtfTypes.definitions(btf, base, pointerBytes, limits, budget()));
            }
            throw new UnsupportedInputException(
                    INFO,
                    ExtractionException.NO_OFFSET,
                    "the file has no DWARF and no BTF: the sections are missing or empty");
        });
    }

    private Optional<Section> baseBtf(ElfFile elf, MappedFiles files) throws IOException, ExtractionException {
        if (companions.baseBtf().isEmpty()) {
            return Optional.empty();
        }
        if (elf.hasContents(".BTF.base")) {
            throw new UnsupportedInputException(
                    ".BTF.base",
                    0,
                    "the module's BTF builds on an extract of the kernel's, which is not supported; its DWARF is");
        }
        return Optional.of(files.map(companions.baseBtf().get()).section(BTF));
    }

    private DwarfUnits dwarf(Path file, ElfFile elf, MappedFiles files) throws IOException, ExtractionException {
        DwarfSections own = dwarfSections(elf);
        Optional<DwarfSections> supplementary = supplementarySections(file, elf, files);
        HeapBudget heap = budget();
        DwarfUnits dwarf = DwarfUnits.open(own, List.of(), List.of(), supplementary, limits, heap);
        // Skeletons need this section for their addresses; the older ones have nothing else to know them by.
        boolean indexedAddresses = elf.hasContents(".debug_addr");
        if (own.info().arrival() != null && !indexedAddresses) {
            // Looking for others would mean to wait for the last unit. The scan refuses one that it meets.
            return dwarf;
        }
        List<SkeletonUnit> skeletons = dwarf.skeletonUnits(indexedAddresses);
        if (skeletons.isEmpty()) {
            return dwarf;
        }
        SplitFiles.Found split = new SplitFiles(file, companions.paths(), files, limits).of(skeletons);
        List<SkeletonUnit> missing = split.missing();
        if (!missing.isEmpty() && (!leavesOutMissing || missing.size() == dwarf.ownUnitCount())) {
            throw SplitFiles.missing(missing.getFirst());
        }
        return DwarfUnits.open(own, split.sections(), missing, supplementary, limits, heap);
    }

    private Optional<DwarfSections> supplementarySections(Path file, ElfFile elf, MappedFiles files)
            throws IOException, ExtractionException {
        Optional<SupplementaryFile> link = SupplementaryFile.linkedBy(elf, limits);
        if (link.isEmpty()) {
            return Optional.empty();
        }
        List<Path> candidates = companions
                .supplementary()
                .map(List::of)
                .orElseGet(() -> link.get().candidates(file, companions.paths(), companions.debugFolders()));
        for (Path candidate : candidates) {
            ElfFile other;
            try {
                other = files.map(candidate);
            } catch (ExtractionException e) {
                // What cannot be read as ELF is another file.
                continue;
            }
            if (link.get().isMeant(other)) {
                return Optional.of(dwarfSections(other));
            }
        }
        throw link.get().missing();
    }

    private <T> T open(Path file, Reading<T> reading) throws IOException, ExtractionException {
        try (MappedFiles files = new MappedFiles(limits, threads)) {
            return readAndFinish(file, reading, files);
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof InterruptedIOException) {
                Thread.currentThread().interrupt();
            }
            throw e.getCause();
        } catch (InternalError e) {
            // What the virtual machine throws when a page of a mapped file cannot be had.
            throw new MalformedInputException(
                    "file",
                    ExtractionException.NO_OFFSET,
                    "a part of it went away while it was read; was it cut off or is the disk faulty (" + e.getMessage()
                            + ")");
        }
    }

    /** What is broken in a section is the answer, whether a part of it could be read meanwhile or not. */
    private static <T> T readAndFinish(Path file, Reading<T> reading, MappedFiles files)
            throws IOException, ExtractionException {
        T result;
        try {
            result = reading.read(files.map(file), files);
        } catch (ExtractionException e) {
            files.finish();
            throw e;
        }
        files.finish();
        return result;
    }
}
