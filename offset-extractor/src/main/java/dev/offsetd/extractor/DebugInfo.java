package dev.offsetd.extractor;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.LoadedModule;
import dev.offsetd.extractor.elf.CoreFile;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.elf.SectionHeader;
import dev.offsetd.extractor.elf.SlimElf;
import dev.offsetd.extractor.elf.SlimSections;
import dev.offsetd.extractor.elf.SymbolReader;
import dev.offsetd.extractor.elf.TlsReader;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.scan.SectionIdentity;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.omission.OmissionLog;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.extractor.symbols.TlsAccess;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The debug information of one ELF file.
 *
 * <p>Opening maps the file and reads its headers. {@link #struct} scans for one name; the first call of {@link #types} or
 * {@link #variables} reads everything and keeps it until {@link #close}. Each reading has the whole of the limits to
 * itself, except for those on decompressed sections, which are kept as well. The file must not change while it is open.
 *
 * <p>Safe for use by several threads: readings of one file run one after the other, each with the configured number of
 * threads.
 */
public final class DebugInfo implements AutoCloseable {

    private final Path file;
    private final ReadOptions options;
    private final MappedFiles files;
    private final ElfFile elf;
    private final ElfFacts facts;

    /** Everything in the file, once a caller has needed it. */
    private @Nullable TypeCatalogue catalogue;

    private boolean closed;

    private DebugInfo(Path file, ReadOptions options, MappedFiles files, ElfFile elf) {
        this.file = file;
        this.options = options;
        this.files = files;
        this.elf = elf;
        this.facts = new ElfFacts(
                elf.buildId().orElse(null),
                elf.architecture(),
                elf.type(),
                DebugSections.hasDwarf(elf),
                elf.hasContents(DebugSections.LINES),
                elf.hasContents(DebugSections.BTF),
                new GoSections(elf).isGo(),
                DebugSections.hasDebugOffsets(elf),
                elf.fileBytes());
    }

    /**
     * Opens a file with {@link Limits#DEFAULT} and a thread for each processor.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is not ELF, malformed or unsupported
     */
    public static DebugInfo open(Path file) throws IOException, ExtractionException {
        return open(file, new ReadOptions(Limits.DEFAULT, Runtime.getRuntime().availableProcessors()));
    }

    /**
     * Opens a file.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is not ELF, malformed, unsupported or exceeds a limit
     */
    public static DebugInfo open(Path file, ReadOptions options) throws IOException, ExtractionException {
        return open(file, options, MappedFiles.shared(options));
    }

    /** Reads an open file, once or more often. */
    @FunctionalInterface
    public interface Reading<T> {
        T of(DebugInfo info) throws IOException, ExtractionException;
    }

    /**
     * Opens a file, reads it in the current thread and closes it. Costs less than {@link #open} with one thread, because no
     * other thread may use the file.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is not ELF, malformed, unsupported or exceeds a limit
     */
    public static <T> T read(Path file, ReadOptions options, Reading<T> reading)
            throws IOException, ExtractionException {
        MappedFiles files = options.threads() == 1 ? MappedFiles.confined(options) : MappedFiles.shared(options);
        try (DebugInfo info = open(file, options, files)) {
            return reading.of(info);
        }
    }

    private static DebugInfo open(Path file, ReadOptions options, MappedFiles files)
            throws IOException, ExtractionException {
        boolean opened = false;
        try {
            DebugInfo info =
                    MappedFiles.guarded(() -> files.inTime(() -> new DebugInfo(file, options, files, files.map(file))));
            opened = true;
            return info;
        } finally {
            if (!opened) {
                files.close();
            }
        }
    }

    /** Returns what the ELF header and the notes say. */
    public ElfFacts facts() {
        return facts;
    }

    /** Returns the sections in the order of the section header table, without its unused entries. */
    public List<ElfSection> sections() {
        return elf.sections().stream()
                .filter(section -> section.isInFile() || section.isNoBits())
                .map(section -> new ElfSection(section.name(), section.isInFile(), section.offset(), section.size()))
                .toList();
    }

    /** Returns the GNU build-id, or empty if the file has none. */
    public Optional<BuildId> buildId() {
        return Optional.ofNullable(facts.buildId());
    }

    /** Returns why the GNU build-id of the file cannot be a key; empty if it has none, or {@link #buildId} returns it. */
    public Optional<String> unusableBuildId() throws IOException, ExtractionException {
        return read(elf::unusableBuildId);
    }

    /** Returns why the section headers of the file cannot be used; empty if they can, or if it has none. */
    public Optional<String> unusableSectionHeaders() throws IOException, ExtractionException {
        return read(() -> elf.brokenSections().map(Throwable::getMessage));
    }

    public Architecture architecture() {
        return facts.architecture();
    }

    /** Returns the size of {@code .debug_info}, decompressed; 0 if the file has none. */
    public synchronized long debugInfoBytes() throws IOException, ExtractionException {
        requireOpen();
        // Unlike a reading, this does not wait until the section is decompressed.
        return MappedFiles.guarded(() ->
                files.inTime(() -> elf.backgroundSection(DebugSections.INFO).size()));
    }

    /**
     * Returns what the build is called, with the source of each field. The file needs no debug information. A separate
     * debug file states compilers and folders, a program states soname and versions; {@link Identity#merge} joins them.
     * Malformed parts are left out.
     */
    public Identity identity() throws IOException, ExtractionException {
        return read(() -> {
            Identity compilation = Identity.UNKNOWN;
            try {
                compilation = facts.hasDwarf() ? reading().identity() : Identity.UNKNOWN;
            } catch (ExtractionException unreadable) {
                // A reading of types reports it.
            }
            return identity(compilation);
        });
    }

    private Identity identity(Identity compilation) {
        IdentitySections sections = new IdentitySections(elf);
        return SectionIdentity.withCompiler(
                SectionIdentity.read(sections, options.probes()).merge(compilation), sections);
    }

    /** Returns every key that identifies the file's build. Reads the whole file. */
    public FileKeys keys() throws IOException, ExtractionException {
        return read(() -> FileKeys.of(elf, null));
    }

    /**
     * Returns every key that identifies the file's build.
     *
     * @param sha256 of the file in hex
     */
    public FileKeys keys(String sha256) throws IOException, ExtractionException {
        return read(() -> FileKeys.of(elf, sha256));
    }

    /** Returns the Go build-id as a key of the file's build, or empty if the file has none. */
    public Optional<BuildId> goBuildId() throws IOException, ExtractionException {
        return read(() -> FileKeys.goBuildId(elf));
    }

    /** Returns the link to the separate file with the debug information, or empty if the file has none. */
    public Optional<DebugLink> debugLink() throws IOException, ExtractionException {
        return read(() -> DebugLink.of(elf, options.limits()));
    }

    /**
     * Returns the link to the supplementary file, without which the file's DWARF is incomplete.
     *
     * @return empty if there is none, or it does not name the file by its build-id
     */
    public Optional<SupplementaryLink> supplementaryLink() throws IOException, ExtractionException {
        return read(() -> elf.hasContents(DebugSections.INFO)
                ? SupplementaryFile.linkedBy(elf, options.limits()).flatMap(SupplementaryFile::link)
                : Optional.empty());
    }

    /**
     * Returns the struct, union or class of this name. A name without its scopes matches in every scope; types that are local to a
     * function match only if nothing else does.
     *
     * @param name such as {@code point} or {@code v8::internal::Isolate}
     * @return empty if no complete definition has the name
     * @throws AmbiguousNameException if definitions with different layouts have the name
     * @throws ExtractionException if the file has no debug information, is malformed, unsupported or exceeds a limit
     */
    public Optional<Struct> struct(String name) throws IOException, ExtractionException {
        String unqualified = TypeNames.unqualified(name);
        return Struct.named(name, typesFor(unqualified).definitionsNamed(unqualified));
    }

    private synchronized TypeCatalogue typesFor(String name) throws IOException, ExtractionException {
        return catalogue != null
                ? catalogue
                : extract(new RequestedNames(Set.of(name), Set.of())).types();
    }

    /** Returns every named type and every unnamed enumeration, in the order of the debug information. */
    public Stream<Definition> types() throws IOException, ExtractionException {
        return everything().definitions().stream();
    }

    /** Returns the variables with static storage duration, in the order of the debug information. */
    public Stream<Variable> variables() throws IOException, ExtractionException {
        return everything().variables().stream();
    }

    private synchronized TypeCatalogue everything() throws IOException, ExtractionException {
        requireOpen();
        if (catalogue == null) {
            catalogue = extractAll().types();
        }
        return catalogue;
    }

    /**
     * Returns the symbols, table by table. A symbol that both {@code .symtab} and {@code .dynsym} have comes twice;
     * {@link Symbol#sources} tells them apart.
     */
    public Stream<Symbol> symbols() throws IOException, ExtractionException {
        return symbolTables().tables().stream().flatMap(List::stream);
    }

    /** Returns the symbols of the file itself, not those of its debug file. */
    public SymbolReport symbolTables() throws IOException, ExtractionException {
        return read(() -> {
            Deadline deadline = Deadline.currentOr(options.limits());
            elf.requireUnpacked();
            OmissionLog omissions = new OmissionLog(options.heap());
            List<List<Symbol>> tables =
                    new ArrayList<>(SymbolReader.read(elf, options.limits(), options.heap(), deadline, omissions));
            if (!elf.hasContents(SymbolSource.Table.SYMTAB.sectionName())) {
                addGoFunctions(tables, omissions);
            }
            return new SymbolReport(
                    facts,
                    tables,
                    elf.symbolValues(),
                    elf.tlsSegment().orElse(null),
                    elf.programHeaderTable(),
                    omissions.omissions());
        });
    }

    /**
     * Returns the symbols of the debug file of this program with the code of functions whose descriptors only the program
     * has: PowerPC 64, ELFv1.
     */
    public SymbolReport withCode(SymbolReport debugFile) throws IOException, ExtractionException {
        return read(() -> new SymbolReport(
                debugFile.elf(),
                SymbolReader.withCode(
                        elf,
                        debugFile.tables(),
                        options.limits(),
                        options.heap(),
                        Deadline.currentOr(options.limits())),
                debugFile.values(),
                debugFile.tls(),
                debugFile.programHeaders(),
                debugFile.omissions()));
    }

    private void addGoFunctions(List<List<Symbol>> tables, OmissionLog omissions) throws ExtractionException {
        GoSections go = new GoSections(elf);
        if (!go.isGo()) {
            return;
        }
        try {
            tables.add(GoSymbols.read(elf, go, options));
        } catch (ExtractionException e) {
            // Damage, or an unknown version of Go. A program that uses C has dynamic symbols.
            SymbolReader.leaveOut(SymbolSource.Table.GOPCLNTAB, e, omissions);
        }
    }

    /** Returns where addresses are in the file; unknown if it is a separate debug file. */
    public FileOffsets fileOffsets() throws IOException, ExtractionException {
        return read(() -> FileOffsets.of(elf.programHeaderTable(), elf.symbolValues()));
    }

    /**
     * Returns the ways to the thread-local variables of a program or library. Empty of a separate debug file, of files without such
     * variables, and if the file's relocations are damaged or in a format that is not read.
     */
    public Optional<TlsAccess> tlsAccess() throws IOException, ExtractionException {
        return read(() -> {
            try {
                return TlsReader.read(elf);
            } catch (MalformedInputException | LimitExceededException unreadable) {
                return Optional.empty();
            }
        });
    }

    /**
     * Reads the wanted types and variables, with everything that they hold by value. Types of functions are read only for
     * names that nothing outside of functions has.
     *
     * @throws ExtractionException if the file has no debug information, is malformed, unsupported or exceeds a limit
     */
    public ExtractionReport extract(RequestedNames wanted) throws IOException, ExtractionException {
        return read(() -> {
            TypeReader reading = reading();
            return report(reading, Identity.UNKNOWN, reading.selected(wanted));
        });
    }

    /**
     * Reads every named type of the file, the unnamed enumerations, and every variable with static storage duration.
     *
     * @throws ExtractionException if the file has no debug information, is malformed, unsupported or exceeds a limit
     */
    public ExtractionReport extractAll() throws IOException, ExtractionException {
        return read(() -> {
            TypeReader reading = reading();
            TypeCatalogue all = reading.all();
            return report(reading, identity(reading.identity()), all);
        });
    }

    private ExtractionReport report(TypeReader reading, Identity identity, TypeCatalogue types)
            throws ExtractionException {
        return new ExtractionReport(facts, identity, types, reading.bytes(), reading.missing());
    }

    /**
     * Passes every complete named struct, union, class and enum definition of the file itself to a consumer, unmerged, in the
     * order of the debug information.
     *
     * @return what was left out
     * @throws ExtractionException if the file has no debug information, is malformed, unsupported or exceeds a limit
     */
    public List<Omission> forEachDefinition(Consumer<Definition> sink) throws IOException, ExtractionException {
        return read(() -> reading().forEachDefinition(sink));
    }

    /**
     * Returns the functions and lines of the file by address: from DWARF, or from the line table of a Go program; functions that
     * neither has from the symbol table. Addresses of a relocatable file count from the start of its first section of code.
     *
     * @throws ExtractionException if the file has none of these, is malformed, unsupported or exceeds a limit
     */
    public FrameTable allFrames() throws IOException, ExtractionException {
        return read(() -> frameReader().all());
    }

    /**
     * Returns the functions and lines at these addresses, and others around them. Reads no more units than needed.
     *
     * @throws ExtractionException as {@link #allFrames} does
     */
    public FrameTable frames(long... addresses) throws IOException, ExtractionException {
        return read(() -> frameReader().at(addresses));
    }

    private FrameReader frameReader() {
        // Names, ranges and symbols are held together.
        ReadOptions shared = options.withBudget(options.heap());
        return new FrameReader(elf, new DebugSections(file, elf, files, shared), shared);
    }

    private TypeReader reading() throws IOException, ExtractionException {
        return new DebugSections(file, elf, files, options).types();
    }

    /**
     * Returns the programs and libraries in the memory of a process, by address, from its core file.
     *
     * @throws ExtractionException if the file is not a core file, or malformed
     */
    public List<LoadedModule> modules() throws IOException, ExtractionException {
        return read(() -> CoreFile.modules(elf, options.limits()));
    }

    /**
     * Writes the file without the contents of sections that no reading needs. Readings of the copy give the same types,
     * variables and symbols; addresses and section indexes are unchanged. The same file gives the same bytes.
     *
     * @return the number of bytes written
     */
    public long writeSlim(OutputStream out) throws IOException, ExtractionException {
        return read(() -> SlimElf.write(elf, SlimSections.TYPES, out));
    }

    /**
     * Like {@link #writeSlim}, with the functions and inlined functions at addresses. Their files and lines are left out: line
     * tables are several times as large as the ranges.
     */
    public long writeSlimWithFunctions(OutputStream out) throws IOException, ExtractionException {
        return read(() -> SlimElf.write(elf, SlimSections.FUNCTIONS, out));
    }

    /** Returns where the names of the sections are. The file needs its start and its section header table only. */
    public FileRange sectionNames() {
        return range(elf.sectionNames());
    }

    /** Returns which parts {@link #writeSlim} copies. The file needs the names of its sections besides. */
    public List<FileRange> slimRanges() throws IOException, ExtractionException {
        return read(() -> SlimElf.keptSections(elf, SlimSections.TYPES)).stream()
                .map(DebugInfo::range)
                .toList();
    }

    /**
     * Returns which parts of a program {@link #buildId}, {@link #fileOffsets} and {@link #tlsAccess} need, besides its start and its
     * section header table. The parts that the file has lead to others, so a caller that fetches them asks again until
     * there is nothing new.
     */
    public List<FileRange> programRanges() throws IOException, ExtractionException {
        return read(() -> TlsReader.parts(elf)).stream().map(DebugInfo::range).toList();
    }

    private static FileRange range(SectionHeader section) {
        return new FileRange(section.offset(), section.size());
    }

    /** Closes the file and releases what was read. Streams and structs that were returned stay valid. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            catalogue = null;
            files.close();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(file + " is closed");
        }
    }

    private synchronized <T> T read(MappedFiles.Action<T> action) throws IOException, ExtractionException {
        requireOpen();
        return files.read(action);
    }
}
