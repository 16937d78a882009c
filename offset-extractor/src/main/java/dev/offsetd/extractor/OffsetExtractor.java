package dev.offsetd.extractor;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.identity.SectionIdentity;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.FrameTable;
import dev.offsetd.extractor.layout.Identity;
import dev.offsetd.extractor.layout.LoadedModule;
import dev.offsetd.extractor.layout.PartVersions;
import dev.offsetd.extractor.layout.Probes;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Options for reading many files, and readings that open a file, read it once and close it. To read one file several
 * times, {@link #open} it. Immutable and thread-safe.
 */
public final class OffsetExtractor {

    /**
     * Version of the types that are extracted, with what else a catalogue has. Increment it with every change that can give
     * another answer for the same file: stored builds of lower versions are then extracted again.
     */
    public static final int VERSION = 11;

    /** Version of the symbols that are read. Increment it likewise: of stored builds, only the symbols are read again. */
    public static final int SYMBOLS_VERSION = 11;

    /** Versions of all parts. */
    public static final PartVersions VERSIONS = new PartVersions(VERSION, SYMBOLS_VERSION);

    private final ReadOptions options;

    /**
     * Creates an extractor.
     *
     * @param threads how many threads read the units of a file; the result does not depend on it
     */
    public OffsetExtractor(Limits limits, int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("threads is " + threads + "; expected 1 or more");
        }
        this(new ReadOptions(limits, threads));
    }

    private OffsetExtractor(ReadOptions options) {
        this.options = options;
    }

    /**
     * Returns an extractor that uses this supplementary file (DWARF 5 §7.3.6) instead of looking for one. It must have the
     * build-id that the files to read name.
     */
    public OffsetExtractor withSupplementaryFile(Path file) {
        return new OffsetExtractor(options.withSupplementary(file));
    }

    /**
     * Returns an extractor that reads the BTF of kernel modules on top of the BTF of this kernel ({@code vmlinux}). It must
     * be the very build that the modules were made for: BTF does not name it.
     */
    public OffsetExtractor withBaseBtf(Path kernel) {
        return new OffsetExtractor(options.withBaseBtf(kernel));
    }

    /**
     * Returns an extractor that follows links to split DWARF and supplementary files to any path, not only to the folder
     * of the file and the folders in it. For a user's own builds: a hostile file could make it open any other file.
     */
    public OffsetExtractor followingAnyPath() {
        return new OffsetExtractor(options.withPaths(LinkedPaths.ANYWHERE));
    }

    /**
     * Returns an extractor that also looks for supplementary files in these folders: in {@code .dwz/}, in
     * {@code .build-id/}, and at paths below {@code /usr/lib/debug} relative to the folder.
     */
    public OffsetExtractor withDebugFolders(List<Path> folders) {
        return new OffsetExtractor(options.withDebugFolders(folders));
    }

    /**
     * Returns an extractor that leaves out and reports split units whose file is not found, instead of refusing the file.
     * A file without any other unit is still refused.
     */
    public OffsetExtractor leavingOutMissingUnits() {
        return new OffsetExtractor(options.allowingMissingUnits());
    }

    /**
     * Returns an extractor whose readings share this budget. Otherwise, each reading has {@link Limits#maxKeptBytes()}.
     * Share a budget among readings whose results are held together.
     */
    public OffsetExtractor withBudget(HeapBudget budget) {
        return new OffsetExtractor(options.withBudget(budget));
    }

    /** Returns an extractor that reports the progress of readings of types from DWARF. */
    public OffsetExtractor withProgress(ReadProgress progress) {
        return new OffsetExtractor(options.withProgress(progress));
    }

    /** Returns an extractor that also looks for these when it reads what a build is called. */
    public OffsetExtractor withProbes(Probes probes) {
        return new OffsetExtractor(options.withProbes(probes));
    }

    /**
     * Opens a file with these options.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is not ELF, malformed, unsupported or exceeds a limit
     */
    public DebugInfo open(Path file) throws IOException, ExtractionException {
        return DebugInfo.open(file, options);
    }

    /** One or more readings of an open file. */
    @FunctionalInterface
    public interface Reading<T> {
        T of(DebugInfo info) throws IOException, ExtractionException;
    }

    /**
     * Opens a file with these options, reads it in the current thread and closes it.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is not ELF, malformed, unsupported or exceeds a limit
     */
    public <T> T read(Path file, Reading<T> reading) throws IOException, ExtractionException {
        try (DebugInfo info = DebugInfo.openOnce(file, options)) {
            return reading.of(info);
        }
    }

    /** Reads the headers and notes only, see {@link DebugInfo#facts}. */
    public ElfFacts inspect(Path file) throws IOException, ExtractionException {
        return read(file, DebugInfo::facts);
    }

    /** Reads why the build-id cannot be a key, see {@link DebugInfo#unusableBuildId}. */
    public Optional<String> unusableBuildId(Path file) throws IOException, ExtractionException {
        return read(file, DebugInfo::unusableBuildId);
    }

    /** Reads every key that identifies the build, see {@link DebugInfo#keys()}. */
    public FileKeys keys(Path file) throws IOException, ExtractionException {
        return read(file, DebugInfo::keys);
    }

    /** Reads every key that identifies the build, see {@link DebugInfo#keys(String)}. */
    public FileKeys keys(Path file, String sha256) throws IOException, ExtractionException {
        return read(file, info -> info.keys(sha256));
    }

    /**
     * Returns the build-id in the bytes of notes, such as those of {@code /sys/kernel/notes}; empty if they have none.
     *
     * @param order byte order of the machine that they are of
     * @throws ExtractionException if the build-id is none
     */
    public static Optional<BuildId> buildIdOfNotes(byte[] notes, ByteOrder order) throws ExtractionException {
        return ElfFile.buildIdOfNotes(new Section("notes", MemorySegment.ofArray(notes), order));
    }

    /** Reads the section header table, see {@link DebugInfo#sections}. */
    public List<ElfSection> sections(Path file) throws IOException, ExtractionException {
        return read(file, DebugInfo::sections);
    }

    /** Reads what the build is called, see {@link DebugInfo#identity}. */
    public Identity identity(Path file) throws IOException, ExtractionException {
        return read(file, DebugInfo::identity);
    }

    /**
     * Reads what some sections of a program say of its name, for callers that have not got the whole file: soname
     * ({@code .dynamic} and {@code .dynstr}), Go modules ({@code .go.buildinfo}, from Go 1.18 on), the texts of probes
     * ({@code .rodata}), variants ({@code .dynsym} too) and the compiler ({@code .comment}). Malformed parts are left out.
     *
     * @param architecture of the program, as its debug file states it
     * @param sections contents by name of the section
     */
    public Identity identity(Architecture architecture, Map<String, byte[]> sections) {
        IdentitySections given = new IdentitySections.Given(architecture, sections);
        return SectionIdentity.withCompiler(SectionIdentity.read(given, options.probes()), given);
    }

    /** Reads the link to the separate debug file, see {@link DebugInfo#debugLink}. */
    public Optional<DebugLink> debugLink(Path file) throws IOException, ExtractionException {
        return read(file, DebugInfo::debugLink);
    }

    /** Reads the link to the supplementary file, see {@link DebugInfo#supplementaryLink}. */
    public Optional<SupplementaryLink> supplementaryLink(Path file) throws IOException, ExtractionException {
        return read(file, DebugInfo::supplementaryLink);
    }

    /** Reads the modules of a core file, see {@link DebugInfo#modules}. */
    public List<LoadedModule> modules(Path core) throws IOException, ExtractionException {
        return read(core, DebugInfo::modules);
    }

    /** Copies the file without the sections that no reading needs, see {@link DebugInfo#writeSlim}. */
    public long writeSlim(Path file, OutputStream out) throws IOException, ExtractionException {
        return read(file, info -> info.writeSlim(out));
    }

    /**
     * Returns where the section header table of a file is, for callers that fetch a file in parts.
     *
     * @param start the first bytes of the file, with its program headers
     */
    public static FileRange sectionHeaders(byte[] start) throws ExtractionException {
        long[] table = ElfFile.sectionHeaderTable(MemorySegment.ofArray(start));
        return new FileRange(table[0], table[1]);
    }

    /** Returns where the names of the sections are. The file needs its start and its section header table only. */
    public FileRange sectionNames(Path file) throws IOException, ExtractionException {
        return read(file, DebugInfo::sectionNames);
    }

    /** Returns which parts {@link #writeSlim} copies. The file needs the names of its sections besides. */
    public List<FileRange> slimRanges(Path file) throws IOException, ExtractionException {
        return read(file, DebugInfo::slimRanges);
    }

    /** Reads the selected types and variables, see {@link DebugInfo#extract}. */
    public ExtractionReport extract(Path file, RequestedNames wanted) throws IOException, ExtractionException {
        return read(file, info -> info.extract(wanted));
    }

    /** Reads every named type and every variable, see {@link DebugInfo#extractAll}. */
    public ExtractionReport extractAll(Path file) throws IOException, ExtractionException {
        return read(file, DebugInfo::extractAll);
    }

    /** Reads the first definition of each name, see {@link DebugInfo#firstMatches}. */
    public List<Definition> firstMatches(Path file, Set<String> names) throws IOException, ExtractionException {
        return read(file, info -> info.firstMatches(names));
    }

    /** Passes every complete definition to a consumer, see {@link DebugInfo#forEachDefinition}. */
    public void forEachDefinition(Path file, Consumer<Definition> sink) throws IOException, ExtractionException {
        read(file, info -> {
            info.forEachDefinition(sink);
            return info;
        });
    }

    /** Reads the symbol tables, see {@link DebugInfo#symbolTables}. */
    public SymbolReport symbols(Path file) throws IOException, ExtractionException {
        return read(file, DebugInfo::symbolTables);
    }

    /** Reads the functions and lines, see {@link DebugInfo#allFrames}. */
    public FrameTable allFrames(Path file) throws IOException, ExtractionException {
        return read(file, DebugInfo::allFrames);
    }

    /** Reads the functions and lines at some addresses, see {@link DebugInfo#frames}. */
    public FrameTable frames(Path file, long... addresses) throws IOException, ExtractionException {
        return read(file, info -> info.frames(addresses));
    }
}
