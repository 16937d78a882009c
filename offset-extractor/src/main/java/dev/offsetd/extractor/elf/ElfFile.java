package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.TlsSegment;
import dev.offsetd.extractor.layout.ValueRule;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * An ELF file whose header, section header table and notes have been read. Of both classes and byte orders; section
 * counts past 65,279 are found where the gABI puts them ({@code e_shnum} 0, {@code SHN_XINDEX}).
 */
public final class ElfFile {

    private static final String HEADER = ElfHeader.NAME;
    /** Heap of a section header, twice: as it is written, and as it is used. */
    private static final long SECTION_BYTES = 300;

    private static final String SECTION_HEADERS = "section headers";
    private static final int SHN_XINDEX = 0xffff;
    /** {@code e_type} of a relocatable file. */
    public static final int ET_REL = 1;

    /**
     * Sections whose relocations change no answer: variables of a relocatable file have no addresses. In BTF only those of variables
     * and functions are relocated.
     */
    private static final Set<String> UNRELOCATED = Set.of(".debug_addr", ".BTF");

    private static final int EM_ARM = 40;
    private static final int PN_XNUM = 0xffff;

    private final Section file;
    private final Architecture architecture;
    private final int machine;
    private final int type;
    private final List<SectionHeader> sections;
    private final Optional<BuildId> buildId;
    private final Decompressor decompressor;
    private final ProgramHeaders programHeaders;
    private long @Nullable [] startsOfPieces;

    private ElfFile(
            Section file,
            Architecture architecture,
            int machine,
            int type,
            List<SectionHeader> sections,
            Optional<BuildId> buildId,
            Decompressor decompressor,
            ProgramHeaders programHeaders) {
        this.file = file;
        this.architecture = architecture;
        this.machine = machine;
        this.type = type;
        this.sections = sections;
        this.buildId = buildId;
        this.decompressor = decompressor;
        this.programHeaders = programHeaders;
    }

    /**
     * Reads the headers and notes of an ELF file.
     *
     * @param bytes the whole file
     * @param arena owner of what decompressing sections will allocate
     * @throws MalformedInputException if it is no ELF file, or a table of it lies outside the file
     */
    public static ElfFile read(MemorySegment bytes, Arena arena, Limits limits) throws ExtractionException {
        return read(bytes, arena, limits, Runnable::run);
    }

    /**
     * Reads the headers and notes of an ELF file.
     *
     * @param bytes the whole file
     * @param arena owner of what decompressing sections will allocate; open until all that is under way has ended
     * @param background runs what {@link #arrivingSection} has begun
     * @throws MalformedInputException if it is no ELF file, or a table of it lies outside the file
     */
    public static ElfFile read(MemorySegment bytes, Arena arena, Limits limits, Executor background)
            throws ExtractionException {
        if (bytes.byteSize() > limits.maxFileBytes()) {
            throw new LimitExceededException(
                    HEADER,
                    ExtractionException.NO_OFFSET,
                    "maxFileBytes",
                    limits.maxFileBytes(),
                    "the file has " + bytes.byteSize() + " bytes");
        }
        ElfHeader header = ElfHeader.read(bytes);
        int word = header.word();
        int machine = header.machine();
        int type = header.type();
        ByteOrder order = header.byteOrder();
        long phoff = header.phoff();
        long shoff = header.shoff();
        int phentsize = header.phentsize();
        int phnum = header.phnum();
        int shentsize = header.shentsize();
        long shnum = header.shnum();
        long shstrndx = header.shstrndx();
        Section file = new Section("file", bytes, order);

        List<SectionHeader> sections = List.of();
        if (shoff != 0) {
            int expected = header.sectionHeaderBytes();
            if (shentsize != expected) {
                throw new MalformedInputException(
                        HEADER,
                        ExtractionException.NO_OFFSET,
                        "e_shentsize is " + shentsize + "; expected " + expected);
            }
            if (shoff < 0 || shoff > bytes.byteSize() - shentsize) {
                throw new MalformedInputException(
                        HEADER,
                        ExtractionException.NO_OFFSET,
                        "e_shoff 0x" + Long.toHexString(shoff) + " lies outside the file of " + bytes.byteSize()
                                + " bytes");
            }
            Section table = new Section(SECTION_HEADERS, bytes, order);
            RawHeader first = rawHeader(table, shoff, word);
            if (shnum == 0) {
                shnum = first.size;
            }
            if (shstrndx == SHN_XINDEX) {
                shstrndx = first.link;
            }
            if (shnum < 0 || shnum > (bytes.byteSize() - shoff) / shentsize) {
                throw new MalformedInputException(
                        HEADER,
                        ExtractionException.NO_OFFSET,
                        "section header table of " + Long.toUnsignedString(shnum) + " entries at 0x"
                                + Long.toHexString(shoff) + " does not fit the file of " + bytes.byteSize()
                                + " bytes");
            }
            if (shnum > limits.maxEntries()) {
                throw new LimitExceededException(
                        SECTION_HEADERS,
                        ExtractionException.NO_OFFSET,
                        "maxEntries",
                        limits.maxEntries(),
                        "the file has " + shnum + " sections");
            }
            if (shnum * SECTION_BYTES > limits.maxKeptBytes()) {
                throw new LimitExceededException(
                        SECTION_HEADERS,
                        ExtractionException.NO_OFFSET,
                        "maxKeptBytes",
                        limits.maxKeptBytes(),
                        "the headers of " + shnum + " sections take " + shnum * SECTION_BYTES + " bytes of heap");
            }
            sections = readSections(table, shoff, (int) shnum, shstrndx, word, limits);
        }
        ElfFile withoutId = new ElfFile(
                file,
                header.architecture(),
                machine,
                type,
                sections,
                Optional.empty(),
                new Decompressor(arena, limits, background),
                new ProgramHeaders(
                        file,
                        header.isWide(),
                        phoff,
                        phentsize,
                        phnum == PN_XNUM && !sections.isEmpty()
                                ? sections.getFirst().info()
                                : phnum));
        Optional<BuildId> buildId = withoutId.findBuildId(phoff, phentsize, phnum);
        return new ElfFile(
                file,
                withoutId.architecture,
                machine,
                type,
                sections,
                buildId,
                withoutId.decompressor,
                withoutId.programHeaders);
    }

    private record RawHeader(
            long nameOffset,
            long type,
            long flags,
            long address,
            long offset,
            long size,
            long link,
            long info,
            long addressAlign,
            long entryBytes) {}

    private static RawHeader rawHeader(Section table, long offset, int word) throws MalformedInputException {
        ByteCursor in = table.cursor(offset, word == 8 ? 64 : 40);
        long nameOffset = in.u32();
        long type = in.u32();
        long flags = in.unsigned(word);
        long address = in.unsigned(word);
        long fileOffset = in.unsigned(word);
        long size = in.unsigned(word);
        long link = in.u32();
        long info = in.u32();
        long addressAlign = in.unsigned(word);
        return new RawHeader(
                nameOffset, type, flags, address, fileOffset, size, link, info, addressAlign, in.unsigned(word));
    }

    private static List<SectionHeader> readSections(
            Section table, long shoff, int shnum, long shstrndx, int word, Limits limits) throws ExtractionException {
        List<RawHeader> raw = new ArrayList<>(shnum);
        for (int i = 0; i < shnum; i++) {
            raw.add(rawHeader(table, shoff + (long) i * (word == 8 ? 64 : 40), word));
        }
        if (shstrndx >= shnum) {
            throw new MalformedInputException(
                    HEADER,
                    ExtractionException.NO_OFFSET,
                    "e_shstrndx is " + shstrndx + ", the file has " + shnum + " sections");
        }
        List<SectionHeader> sections = new ArrayList<>(shnum);
        RawHeader names = shnum == 0 ? null : raw.get((int) shstrndx);
        Section strings = names == null || shstrndx == 0
                ? Section.absent(".shstrtab", table.byteOrder())
                : slice(table, ".shstrtab", names.offset, names.size);
        long characters = 0;
        for (RawHeader header : raw) {
            String name = strings.isEmpty() ? "" : strings.string(header.nameOffset, limits.maxNameBytes());
            characters += name.length();
            if (characters > limits.maxTextChars()) {
                // All of them can name the same long string.
                throw new LimitExceededException(
                        strings.name(),
                        header.nameOffset,
                        "maxTextChars",
                        limits.maxTextChars(),
                        "names of sections come to " + characters + " characters");
            }
            SectionHeader section = new SectionHeader(
                    name,
                    header.type,
                    header.flags,
                    header.address,
                    header.offset,
                    header.size,
                    header.link,
                    header.info,
                    header.addressAlign,
                    header.entryBytes);
            if (section.isInFile()) {
                // Half a file is refused here and now, not when a section of the other half is first needed.
                slice(table, name, section.offset(), section.size());
            }
            sections.add(section);
        }
        return List.copyOf(sections);
    }

    private static Section slice(Section file, String name, long offset, long size) throws MalformedInputException {
        long fileBytes = file.size();
        if (offset < 0 || size < 0 || offset > fileBytes || size > fileBytes - offset) {
            throw new MalformedInputException(
                    name,
                    ExtractionException.NO_OFFSET,
                    "sh_offset 0x" + Long.toHexString(offset) + " and sh_size 0x" + Long.toHexString(size)
                            + " lie outside the file of " + fileBytes + " bytes");
        }
        return new Section(name, file.bytes().asSlice(offset, size), file.byteOrder());
    }

    private Optional<BuildId> findBuildId(long phoff, int phentsize, int phnum) throws ExtractionException {
        long noteBytes = 0;
        for (SectionHeader header : sections) {
            if (header.type() == SectionHeader.SHT_NOTE && !header.isNoBits()) {
                Section notes = slice(file, header.name(), header.offset(), header.size());
                noteBytes += notes.size();
                requireApart(notes, noteBytes);
                Optional<BuildId> found = Notes.buildIdIn(notes, header.addressAlign());
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        if (!sections.isEmpty()) {
            return Optional.empty();
        }
        // A file stripped of its section headers still names its notes in the program header table.
        boolean wide = architecture.bits() == 64;
        int word = wide ? 8 : 4;
        Section headers = new Section("program headers", file.bytes(), file.byteOrder());
        for (int i = 0; i < phnum; i++) {
            ByteCursor in = headers.cursor(phoff + (long) i * phentsize, wide ? 56 : 32);
            if (in.u32() != Notes.PT_NOTE) {
                continue;
            }
            in.skip(wide ? 4 : 0);
            long offset = in.unsigned(word);
            in.skip(2L * word);
            long size = in.unsigned(word);
            in.skip(8);
            long align = in.unsigned(word);
            Section notes = slice(file, "note segment", offset, size);
            noteBytes += notes.size();
            requireApart(notes, noteBytes);
            Optional<BuildId> found = Notes.buildIdIn(notes, align);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /** Refuses notes that overlap, which could make the same bytes be read again and again. */
    private void requireApart(Section notes, long noteBytes) throws MalformedInputException {
        if (noteBytes > file.size()) {
            throw new MalformedInputException(
                    notes.name(),
                    ExtractionException.NO_OFFSET,
                    "notes up to here have " + noteBytes + " bytes, the file has " + file.size());
        }
    }

    public Architecture architecture() {
        return architecture;
    }

    /** {@code e_type}: 1 relocatable, 2 executable, 3 shared. */
    public int type() {
        return type;
    }

    /** The {@code NT_GNU_BUILD_ID} note, if the file has one. */
    public Optional<BuildId> buildId() {
        return buildId;
    }

    /** Size of the file in bytes. */
    public long fileBytes() {
        return file.size();
    }

    /** The whole file. */
    Section file() {
        return file;
    }

    ProgramHeaders programHeaders() {
        return programHeaders;
    }

    ByteOrder byteOrder() {
        return file.byteOrder();
    }

    /** What the values of its symbols say. */
    public ValueRule symbolValues() {
        if (type == ET_REL) {
            return ValueRule.SECTION_OFFSET;
        }
        return machine == EM_ARM ? ValueRule.ADDRESS_WITH_THUMB_BIT : ValueRule.ADDRESS;
    }

    /** The section header table; its first entry is the reserved one. */
    List<SectionHeader> sections() {
        return sections;
    }

    /**
     * The contents of this section as they are in the file; empty if they are not in it.
     *
     * @throws UnsupportedInputException if they are compressed, as nobody does to symbols
     */
    Section contents(SectionHeader header) throws ExtractionException {
        if (!header.isInFile()) {
            return Section.absent(header.name(), file.byteOrder());
        }
        if (header.isCompressed()) {
            throw new UnsupportedInputException(
                    header.name(),
                    ExtractionException.NO_OFFSET,
                    "a compressed symbol or string table is not supported");
        }
        return slice(file, header.name(), header.offset(), header.size());
    }

    /**
     * The {@code PT_TLS} segment (gABI, "Thread-Local Storage"); empty if the file has no thread-local variables.
     *
     * @throws MalformedInputException if the program header table lies outside the file
     */
    public Optional<TlsSegment> tlsSegment() throws ExtractionException {
        return programHeaders
                .tlsSegment()
                .map(tls -> isDebugFile()
                        ? new TlsSegment(tls.address(), OptionalLong.empty(), tls.memorySize(), tls.alignment())
                        : tls);
    }

    /** Whether what a loader would load is in another file: of a separate debug file, only notes are left of it. */
    boolean isDebugFile() {
        List<SectionHeader> loaded = sections.stream()
                .filter(header -> header.isLoaded() && header.type() != SectionHeader.SHT_NOTE)
                .toList();
        return !loaded.isEmpty() && loaded.stream().allMatch(SectionHeader::isNoBits);
    }

    /** Whether the section is there and has contents in this file, compressed or not. */
    public boolean hasContents(String name) {
        int index = find(name);
        return index >= 0
                && !sections.get(index).isNoBits()
                && sections.get(index).size() > 0;
    }

    /**
     * The contents of the section of this name, decompressed, and in a relocatable file relocated; empty if the file has
     * none.
     *
     * @throws MalformedInputException if it lies outside the file, or its compressed stream is broken
     * @throws UnsupportedInputException if it is compressed in an unknown way, or a relocatable file has several of it
     *     of which one is compressed
     * @throws LimitExceededException if it is too large decompressed
     */
    public Section section(String name) throws ExtractionException {
        return section(name, true);
    }

    /** The same, but a large compressed section may still be being decompressed: it has a {@link Section#arrival()}. */
    public Section arrivingSection(String name) throws ExtractionException {
        return section(name, type == ET_REL);
    }

    /**
     * Waits for all sections that arrive.
     *
     * @throws MalformedInputException if the contents of one are broken
     */
    public void finish() throws MalformedInputException {
        decompressor.finish();
    }

    /** Asks all that is under way in the background to stop. */
    public void cancel() {
        decompressor.cancel();
    }

    private Section section(String name, boolean whole) throws ExtractionException {
        int index = find(name);
        if (index < 0 || sections.get(index).isNoBits()) {
            return Section.absent(name, file.byteOrder());
        }
        List<Integer> pieces = pieces(name);
        if (pieces.size() <= 1) {
            return contents(index, name, whole);
        }
        List<Section> contents = new ArrayList<>();
        for (int piece : pieces) {
            if (sections.get(piece).isCompressed()) {
                throw new UnsupportedInputException(
                        name,
                        ExtractionException.NO_OFFSET,
                        "a relocatable file with several sections of this name, one of them compressed, is not"
                                + " supported; link it first");
            }
            contents.add(contents(piece, name, true));
        }
        return decompressor.concatenate(name, contents);
    }

    /** The sections of this name that the linker would put together: a relocatable file may have several. */
    private List<Integer> pieces(String name) {
        if (type != ET_REL) {
            return List.of();
        }
        return IntStream.range(0, sections.size())
                .filter(index -> isNamed(sections.get(index), name)
                        && !sections.get(index).isNoBits())
                .boxed()
                .toList();
    }

    private Section contents(int index, String name, boolean whole) throws ExtractionException {
        SectionHeader header = sections.get(index);
        Section raw = slice(file, name, header.offset(), header.size());
        if (header.isCompressed()) {
            return relocated(index, decompressor.decompress(raw, architecture.bits(), whole), true);
        }
        if (!header.name().equals(name)) {
            return relocated(index, decompressor.decompressGnu(raw, whole), true);
        }
        return relocated(index, raw, false);
    }

    /** @param writable whether the contents are a copy already, and no part of the file */
    private Section relocated(int index, Section contents, boolean writable) throws ExtractionException {
        Section result = contents;
        boolean copied = writable;
        boolean applied = false;
        for (SectionHeader table : sections) {
            if (type != ET_REL
                    || !table.relocates(index)
                    || table.isNoBits()
                    || UNRELOCATED.contains(contents.name())) {
                continue;
            }
            if (applied) {
                throw new UnsupportedInputException(
                        table.name(),
                        ExtractionException.NO_OFFSET,
                        "a second relocation table for " + contents.name() + "; expected one");
            }
            applied = true;
            if (!copied) {
                result = decompressor.copy(contents);
                copied = true;
            }
            SectionHeader symbols = sections.get((int) Math.min(table.link(), sections.size() - 1L));
            new Relocations(
                            machine,
                            architecture.bits(),
                            slice(file, symbols.name(), symbols.offset(), symbols.size()),
                            startsOfPieces())
                    .apply(
                            slice(file, table.name(), table.offset(), table.size()),
                            table.type() == SectionHeader.SHT_RELA,
                            result);
        }
        return result;
    }

    /** Where each section starts, by its index, in what the linker makes of all of its name. */
    private long[] startsOfPieces() {
        if (startsOfPieces == null) {
            long[] starts = new long[sections.size()];
            Map<String, Long> ends = new HashMap<>();
            for (int i = 0; i < starts.length; i++) {
                SectionHeader header = sections.get(i);
                if (header.name().startsWith(".debug_")) {
                    starts[i] = ends.getOrDefault(header.name(), 0L);
                    ends.put(header.name(), starts[i] + header.size());
                }
            }
            startsOfPieces = starts;
        }
        return startsOfPieces;
    }

    /** Index of the first section of this name, or of its {@code .zdebug_*} twin; -1 if there is neither. */
    private int find(String name) {
        for (int i = 0; i < sections.size(); i++) {
            if (isNamed(sections.get(i), name)) {
                return i;
            }
        }
        return -1;
    }

    /** Whether the section has this name, or its old one for compressed contents. */
    static boolean isNamed(SectionHeader header, String name) {
        return header.name().equals(name) || header.name().equals(".z" + name.substring(1));
    }
}
