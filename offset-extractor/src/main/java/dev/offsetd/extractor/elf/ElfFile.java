package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.bytes.AddressRanges;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.symbols.ProgramHeader;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.TlsSegment;
import dev.offsetd.extractor.symbols.ValueRule;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An ELF file of either class and byte order. The header, the section header table and the notes are read when it is
 * opened, sections when they are first needed. Not thread-safe; its sections are.
 */
public final class ElfFile {

    private static final int EM_ARM = 40;

    /** Mark of UPX, four bytes behind the program headers ({@code l_info} of its {@code stub/src/include/linux.h}). */
    private static final byte[] PACKED = {'U', 'P', 'X', '!'};

    private final ElfHeader header;
    private final Architecture architecture;
    private final Section file;
    private final List<SectionHeader> sections;
    private final @Nullable MalformedInputException brokenSections;
    private final boolean hasSectionHeaders;
    private final boolean debugFile;
    private final ProgramHeaders programHeaders;
    private final @Nullable BuildId buildId;
    private final Decompressor decompressor;
    private final SectionContents contents;
    private @Nullable SectionAddresses addresses;

    private ElfFile(
            ElfHeader header,
            Architecture architecture,
            Section file,
            Tables tables,
            @Nullable BuildId buildId,
            Decompressor decompressor) {
        this.header = header;
        this.architecture = architecture;
        this.file = file;
        this.sections = tables.sections;
        this.brokenSections = tables.broken;
        this.hasSectionHeaders = tables.hasSectionHeaders;
        this.debugFile = isDebugFile(tables.sections);
        this.programHeaders = tables.programHeaders;
        this.buildId = buildId;
        this.decompressor = decompressor;
        this.contents = new SectionContents(header, file, tables.sections, decompressor);
    }

    /**
     * The tables of a file.
     *
     * @param sections from the section header table, or without one from the program headers
     * @param broken why the section header table is not used, or null
     */
    private record Tables(
            List<SectionHeader> sections,
            boolean hasSectionHeaders,
            @Nullable MalformedInputException broken,
            ProgramHeaders programHeaders) {

        static Tables read(ElfHeader header, Section file, Limits limits, HeapBudget heap) throws ExtractionException {
            List<SectionHeader> sections = List.of();
            MalformedInputException broken = null;
            try {
                sections = SectionHeaders.read(header, file, limits, heap);
            } catch (MalformedInputException e) {
                // Nothing that runs a program looks at its section headers, so some tools cut them off or write others
                // over them.
                if (!ProgramHeaders.of(header, file, List.of()).areOfWholeProgram()) {
                    throw e;
                }
                broken = e;
            }
            ProgramHeaders programHeaders = ProgramHeaders.of(header, file, sections);
            return sections.isEmpty()
                    ? new Tables(SegmentSections.of(header, file, programHeaders), false, broken, programHeaders)
                    : new Tables(sections, true, null, programHeaders);
        }
    }

    /**
     * Reads the headers and notes of an ELF file.
     *
     * @param bytes the whole file
     * @param arena owns the memory of decompressed sections
     * @throws MalformedInputException if it is not an ELF file, or a table of it lies outside the file
     */
    public static ElfFile read(MemorySegment bytes, Arena arena, Limits limits) throws ExtractionException {
        return read(bytes, arena, limits, new HeapBudget(limits.maxKeptBytes()), Runnable::run);
    }

    /**
     * Reads the headers and notes of an ELF file.
     *
     * @param bytes the whole file
     * @param arena owns the memory of decompressed sections; stays open until the tasks in {@code background} have ended
     * @param heap for the headers of the sections
     * @param background runs the decompression that {@link #backgroundSection} starts
     * @throws MalformedInputException if it is not an ELF file, or a table of it lies outside the file
     */
    public static ElfFile read(MemorySegment bytes, Arena arena, Limits limits, HeapBudget heap, Executor background)
            throws ExtractionException {
        requireSize(bytes, limits);
        ElfHeader header = ElfHeader.read(bytes);
        Section file = new Section("file", bytes, header.byteOrder());
        Tables tables = Tables.read(header, file, limits, heap);
        return new ElfFile(
                header,
                header.architecture(),
                file,
                tables,
                buildId(file, tables).orElse(null),
                new Decompressor(arena, limits, background));
    }

    /**
     * Returns the contents of a section that come without the file around them. Its header says no more than the
     * architecture.
     *
     * @param contents named as the section
     */
    public static ElfFile ofSection(Section contents, Architecture architecture, Arena arena, Limits limits)
            throws ExtractionException {
        requireSize(contents.bytes(), limits);
        ElfHeader header = new ElfHeader(architecture.bits(), architecture.byteOrder(), 0, 0, 0, 0, 0, 0, 0, 0, 0);
        SectionHeader only =
                new SectionHeader(contents.name(), 0, SectionHeader.SHT_PROGBITS, 0, 0, 0, contents.size(), 0, 0, 1, 0);
        Section file = new Section("file", contents.bytes(), contents.byteOrder());
        Tables tables = new Tables(List.of(only), false, null, ProgramHeaders.of(header, file, List.of()));
        return new ElfFile(header, architecture, file, tables, null, new Decompressor(arena, limits, Runnable::run));
    }

    /** Returns the build-id among notes that are not in a file. */
    public static Optional<BuildId> buildIdOfNotes(Section notes) throws MalformedInputException {
        return Notes.buildIdIn(notes, Integer.BYTES);
    }

    private static void requireSize(MemorySegment bytes, Limits limits) throws LimitExceededException {
        if (bytes.byteSize() > limits.maxFileBytes()) {
            throw new LimitExceededException(
                    ElfHeader.NAME,
                    ExtractionException.NO_OFFSET,
                    "maxFileBytes",
                    limits.maxFileBytes(),
                    "the file has " + bytes.byteSize() + " bytes");
        }
    }

    /** Returns the build-id of the note sections, or else of the note segments, which loaders and profilers read. */
    private static Optional<BuildId> buildId(Section file, Tables tables) throws MalformedInputException {
        Optional<BuildId> found = Notes.buildId(file, tables.sections);
        if (found.isPresent() || !tables.hasSectionHeaders || isDebugFile(tables.sections)) {
            return found;
        }
        try {
            return Notes.buildId(file, SegmentSections.notes(tables.programHeaders));
        } catch (MalformedInputException unreadable) {
            return Optional.empty();
        }
    }

    /** Returns why the build-id in the file's notes cannot be a key; empty if there is none, or it can. */
    public Optional<String> unusableBuildId() throws MalformedInputException {
        return Notes.unusableBuildId(file, sections);
    }

    public Architecture architecture() {
        return architecture;
    }

    /** {@code e_type}: 1 relocatable, 2 executable, 3 shared. */
    public int type() {
        return header.type();
    }

    /** {@code e_machine}. */
    int machine() {
        return header.machine();
    }

    /** Returns whether these are contents of a section without the file around them. */
    boolean isWithoutHeader() {
        return header.machine() == 0 && header.type() == 0 && !hasSectionHeaders && programHeaders.count() == 0;
    }

    public boolean isRelocatable() {
        return header.isRelocatable();
    }

    /** Returns the {@code NT_GNU_BUILD_ID} note, if the file has one. */
    public Optional<BuildId> buildId() {
        return Optional.ofNullable(buildId);
    }

    public long fileBytes() {
        return file.size();
    }

    /** Returns the whole file. */
    public Section file() {
        return file;
    }

    ProgramHeaders programHeaders() {
        return programHeaders;
    }

    ByteOrder byteOrder() {
        return file.byteOrder();
    }

    /** Returns what symbol values of this file mean. */
    public ValueRule symbolValues() {
        if (isRelocatable()) {
            return ValueRule.SECTION_OFFSET;
        }
        return header.machine() == EM_ARM ? ValueRule.ADDRESS_WITH_THUMB_BIT : ValueRule.ADDRESS;
    }

    /**
     * Returns where the section header table of a file is, given the start of the file: offset and size.
     *
     * @throws MalformedInputException if this is not the start of an ELF file
     * @throws UnsupportedInputException if the table's size is not in the header, or the program headers are not in the start
     */
    public static long[] sectionHeaderTable(MemorySegment start) throws ExtractionException {
        ElfHeader header = ElfHeader.read(start);
        long programHeaders = header.phoff() + (long) header.phnum() * header.programHeaderBytes();
        if (header.shoff() <= 0
                || header.shnum() == 0
                || header.shstrndx() >= header.shnum()
                || programHeaders > start.byteSize()) {
            throw new UnsupportedInputException(
                    ElfHeader.NAME,
                    ExtractionException.NO_OFFSET,
                    "the tables of the file are not where most files have them");
        }
        return new long[] {header.shoff(), (long) header.shnum() * header.sectionHeaderBytes()};
    }

    /** Returns the section with the names of all sections. */
    public SectionHeader sectionNames() {
        return sections.get(header.shstrndx());
    }

    /** Returns the section header table; its first entry is the reserved one. Empty if the file has no usable one. */
    public List<SectionHeader> sections() {
        return hasSectionHeaders ? sections : List.of();
    }

    /** Returns the same as {@link #sections}, or without a section header table what the program headers lead to. */
    List<SectionHeader> knownSections() {
        return sections;
    }

    /** Returns the index of the {@linkplain #sections() section} that is loaded at an address, of several the first; else -1. */
    int sectionAt(long address) {
        if (addresses == null) {
            addresses = new SectionAddresses(sections());
        }
        return addresses.indexAt(address);
    }

    /** Returns why the section header table cannot be used; empty if it can, or if there is none. */
    public Optional<MalformedInputException> brokenSections() {
        return Optional.ofNullable(brokenSections);
    }

    /** Returns the segments of data; empty in a separate debug file. */
    public List<LoadedBytes> dataSegments() throws MalformedInputException {
        return isDebugFile() ? List.of() : programHeaders.contents(ProgramHeaders.Segment::isData);
    }

    /** Returns all that the file loads, code last; empty in a separate debug file. */
    public List<LoadedBytes> loadedSegments() throws MalformedInputException {
        if (isDebugFile()) {
            return List.of();
        }
        List<LoadedBytes> all = new ArrayList<>(programHeaders.contents(segment -> !segment.isCode()));
        all.addAll(programHeaders.contents(ProgramHeaders.Segment::isCode));
        return all;
    }

    /** Contents that a file loads at an address. */
    public record LoadedBytes(long address, Section bytes) {}

    /**
     * Returns a table of symbols or strings, or code, as it is in the file, without relocation; empty if it is not in the file.
     *
     * @throws UnsupportedInputException if it is compressed; no known producer compresses these sections
     */
    public Section rawContents(SectionHeader section) throws ExtractionException {
        if (!section.isInFile()) {
            return Section.absent(section.name(), file.byteOrder());
        }
        if (section.isCompressed()) {
            throw new UnsupportedInputException(
                    section.name(),
                    ExtractionException.NO_OFFSET,
                    "the section is compressed, which is not supported for its kind");
        }
        return section.bytesIn(file);
    }

    /**
     * Returns the {@code PT_TLS} segment (gABI, "Thread-Local Storage"); empty if the file has no thread-local
     * variables.
     *
     * @throws MalformedInputException if the program header table lies outside the file
     */
    public Optional<TlsSegment> tlsSegment() throws ExtractionException {
        return programHeaders
                .tlsSegment()
                .map(tls ->
                        isDebugFile() ? new TlsSegment(tls.address(), null, tls.memorySize(), tls.alignment()) : tls);
    }

    /**
     * Refuses a program that UPX has packed, of which no part is readable.
     *
     * @throws UnsupportedInputException if it is packed
     */
    public void requireUnpacked() throws UnsupportedInputException {
        long at = programHeaders.offset() + programHeaders.count() * programHeaders.entryBytes() + 4;
        if (at > 0 && at <= file.size() - PACKED.length) {
            byte[] mark = new byte[PACKED.length];
            MemorySegment.copy(file.bytes(), ValueLayout.JAVA_BYTE, at, mark, 0, mark.length);
            if (Arrays.equals(mark, PACKED)) {
                throw new UnsupportedInputException(
                        ElfHeader.NAME, at, "the program is packed by UPX; expected it unpacked (upx -d)");
            }
        }
    }

    /**
     * Returns the program header table.
     *
     * @throws MalformedInputException if it lies outside the file
     */
    public List<ProgramHeader> programHeaderTable() throws MalformedInputException {
        return programHeaders.table(isWhole());
    }

    /**
     * Returns whether this is a separate debug file: {@code objcopy --only-keep-debug} turns every section that a loader
     * would load into {@code SHT_NOBITS}, except for notes.
     */
    boolean isDebugFile() {
        return debugFile;
    }

    private static boolean isDebugFile(List<SectionHeader> sections) {
        boolean loads = false;
        for (SectionHeader section : sections) {
            if (section.isLoaded() && section.type() != SectionHeader.SHT_NOTE) {
                if (!section.isNoBits()) {
                    return false;
                }
                loads = true;
            }
        }
        return loads;
    }

    /**
     * Returns whether the file has everything that a loader reads: no constant section was turned into {@code SHT_NOBITS},
     * as in separate debug files and in copies without code.
     */
    public boolean isWhole() {
        return sections.stream()
                .noneMatch(section ->
                        section.isLoaded() && section.isNoBits() && !section.isWritable() && section.size() > 0);
    }

    /** Returns whether the file has a section of this name, also without contents. */
    public boolean hasSection(String name) {
        return contents.header(name).isPresent();
    }

    /** Returns the contents of the first note of this owner and type, or an empty section. */
    public Section note(String owner, int type) throws MalformedInputException {
        return Notes.descriptor(owner, type, file, sections);
    }

    /** Returns what is loaded from this address to the end of its segment; empty in a separate debug file. */
    public Section loadedAt(long address) throws MalformedInputException {
        return isDebugFile() ? Section.absent("segment", file.byteOrder()) : programHeaders.loadedAt(address);
    }

    /** Returns the address of the section of this name; empty if there is none, or it is not loaded. */
    public OptionalLong address(String name) {
        return contents.header(name).filter(SectionHeader::isLoaded).stream()
                .mapToLong(SectionHeader::address)
                .findFirst();
    }

    /** Returns whether the section has contents in this file, compressed or not. */
    public boolean hasContents(String name) {
        return contents.header(name)
                .filter(section -> !section.isNoBits() && section.size() > 0)
                .isPresent();
    }

    /**
     * Returns the decompressed and, in a relocatable file, relocated contents of a section; empty if the file has none
     * of this name.
     *
     * @throws MalformedInputException if the section lies outside the file, or its compressed stream is broken
     * @throws UnsupportedInputException if the compression is unknown
     * @throws LimitExceededException if the decompressed contents are too large
     */
    public Section section(String name) throws ExtractionException {
        return contents.section(name, true);
    }

    /**
     * Returns what {@link #section} returns of a section that names another file.
     *
     * @throws MalformedInputException before anything is decompressed, if it is larger than a path and a checksum can be
     */
    public Section link(String name) throws ExtractionException {
        return contents.link(name);
    }

    /**
     * Returns what {@link #section} returns, but a large compressed section may still be being decompressed: it has a {@link
     * Section#progress()}.
     */
    public Section backgroundSection(String name) throws ExtractionException {
        return contents.section(name, isRelocatable());
    }

    /**
     * Waits until all sections are decompressed.
     *
     * @throws MalformedInputException if the contents of one are broken
     */
    public void finish() throws MalformedInputException {
        decompressor.finish();
    }

    /** Cancels background decompressions. */
    public void cancel() {
        decompressor.cancel();
    }

    /**
     * Returns the parts of memory that have code, by address. In a relocatable file they are in a row from 0, in the order of its
     * sections. In a file without executable code, all that is only read may be code of a virtual machine, as Guile writes it.
     */
    public AddressRanges code() throws MalformedInputException {
        AddressRanges executable = code(SectionHeader::isCode);
        return executable.count() > 0 || isRelocatable()
                ? executable
                : code(section -> section.isLoaded() && !section.isWritable());
    }

    private AddressRanges code(Predicate<SectionHeader> isCode) throws MalformedInputException {
        AddressRanges found = new AddressRanges();
        if (!hasSectionHeaders) {
            programHeaders.loaded().stream()
                    .filter(ProgramHeaders.Segment::isCode)
                    .forEach(segment -> found.add(segment.address(), segment.address() + segment.memorySize()));
        }
        for (int i = 0; hasSectionHeaders && i < sections.size(); i++) {
            SectionHeader section = sections.get(i);
            long start = isRelocatable() ? contents.startsOfPieces()[i] : section.address();
            if (isCode.test(section)) {
                found.add(start, start + section.size());
            }
        }
        return found.sorted();
    }

    /** Returns whether something is loaded at address 0: in a relocatable file, each section. */
    public boolean hasZero() {
        return isRelocatable()
                || sections.stream()
                        .anyMatch(section -> section.isLoaded() && section.address() == 0 && section.size() > 0);
    }

    /** Returns the address of a symbol's place in code, which is that of {@link #code} in a relocatable file. */
    public long addressOf(Symbol symbol) {
        int index = symbol.section().index();
        return isRelocatable() && index >= 0 && index < sections.size()
                ? contents.startsOfPieces()[index] + symbol.value()
                : symbol.value();
    }
}
