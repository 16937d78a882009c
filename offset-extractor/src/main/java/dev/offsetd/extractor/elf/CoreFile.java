package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.LoadedModule;
import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.elf.Notes.Note;
import dev.offsetd.extractor.elf.ProgramHeaders.Segment;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The modules of a process in its core file. {@code NT_FILE} says which files were mapped where (Linux, {@code binfmt_elf.c});
 * the first page of a module, which the kernel writes into core files, has its headers and usually its build-id. Not
 * thread-safe.
 */
public final class CoreFile {

    private static final int ET_DYN = 3;

    /** {@code e_type} of core files. */
    public static final int ET_CORE = 4;

    private static final int NT_FILE = 0x46494c45;
    private static final String OWNER = "CORE";
    private static final int PAGE = 4096;

    /** Most program headers of a module; linkers write about a dozen. */
    private static final int MAX_HEADERS = 256;

    static final int DT_SONAME = 14;

    /** The largest vDSO has four pages of 4 KiB. */
    private static final int MAX_VDSO_BYTES = 1 << 16;

    /** Longest segment of notes of a module that is searched. */
    private static final int MAX_NOTE_BYTES = 1 << 16;

    private final ElfFile elf;
    private final Limits limits;
    private final Section file;
    private final int word;

    /** Mappings of the start of a file, by address. */
    private final Map<Long, String> mapped = new TreeMap<>(Long::compareUnsigned);

    private long examinedBytes;

    private CoreFile(ElfFile elf, Limits limits) {
        this.elf = elf;
        this.limits = limits;
        this.file = elf.file();
        this.word = elf.architecture().addressBytes();
    }

    /**
     * Returns the modules by address.
     *
     * @throws UnsupportedInputException if the file is not a core file
     * @throws MalformedInputException if its tables are not where it says
     */
    public static List<LoadedModule> modules(ElfFile elf, Limits limits) throws ExtractionException {
        if (elf.type() != ET_CORE) {
            throw new UnsupportedInputException(
                    ElfHeader.NAME,
                    16,
                    elf.isWithoutHeader()
                            ? "expected a core file; this is BTF without ELF"
                            : "e_type is " + elf.type() + "; expected 4 (a core file)");
        }
        CoreFile core = new CoreFile(elf, limits);
        core.readMappings();
        return core.modules();
    }

    private void readMappings() throws ExtractionException {
        for (Segment segment : elf.programHeaders().ofType(ProgramHeaders.PT_NOTE)) {
            Section notes = segment.bytesIn(file, "note segment", 0);
            if (isExaminedAgain(notes.size())) {
                return;
            }
            Note note = Note.at(notes, 0, Integer.BYTES);
            while (note != null) {
                if (note.is(OWNER, NT_FILE, notes)) {
                    readMappings(notes, note.start(), note.size());
                }
                note = Note.at(notes, note.next(), Integer.BYTES);
            }
        }
    }

    /** Reads the descriptor of {@code NT_FILE}: how many, the size of a page, the ranges of addresses, and the paths. */
    private void readMappings(Section notes, long start, long size) throws ExtractionException {
        ByteCursor in = notes.cursor(start, size);
        long count = in.unsigned(word);
        long pageBytes = in.unsigned(word);
        long rangeBytes = 3L * word;
        if (count < 0 || count > (size - 2L * word) / rangeBytes) {
            throw in.malformed(start, "NT_FILE of " + Long.toUnsignedString(count) + " files in " + size + " bytes");
        }
        ByteCursor paths = notes.cursor(start + 2L * word + count * rangeBytes, size - 2L * word - count * rangeBytes);
        for (long i = 0; i < count; i++) {
            long address = in.unsigned(word);
            in.skip(word);
            long offset = in.unsigned(word) * pageBytes;
            String path = notes.string(paths.offset(), limits.maxNameBytes());
            paths.skipString();
            if (offset == 0) {
                mapped.putIfAbsent(address, path);
            }
        }
    }

    private List<LoadedModule> modules() throws ExtractionException {
        Map<Long, LoadedModule> found = new TreeMap<>(Long::compareUnsigned);
        for (Segment segment : elf.programHeaders().loaded()) {
            Optional<LoadedModule> module = moduleAt(segment.address(), mapped.get(segment.address()));
            module.ifPresent(each -> found.put(each.start(), each));
        }
        return withoutOverlaps(found.values());
    }

    /** A file that a process mapped to read it may lie inside of a module, with another start. */
    private static List<LoadedModule> withoutOverlaps(Iterable<LoadedModule> sorted) {
        List<LoadedModule> modules = new ArrayList<>();
        long end = 0;
        for (LoadedModule module : sorted) {
            if (Long.compareUnsigned(module.start(), end) >= 0) {
                modules.add(module);
                end = module.end();
            }
        }
        return modules;
    }

    private Optional<LoadedModule> moduleAt(long start, @Nullable String path) throws ExtractionException {
        Section head = memory(start, PAGE);
        if (head.size() < ElfHeader.MAX_BYTES || head.cursor().u32() != elfMagic()) {
            return Optional.empty();
        }
        try {
            return module(start, path, ElfHeader.read(head.bytes()));
        } catch (ExtractionException notAModule) {
            return Optional.empty();
        }
    }

    private long elfMagic() {
        return file.byteOrder() == ByteOrder.BIG_ENDIAN ? 0x7f454c46L : 0x464c457fL;
    }

    /** Returns the module whose header is at an address; empty if that is not where a loader puts one. */
    private Optional<LoadedModule> module(long start, @Nullable String path, ElfHeader header)
            throws ExtractionException {
        if (header.machine() != elf.machine()
                || (header.type() != ElfHeader.ET_EXEC && header.type() != ET_DYN)
                || header.phnum() == 0
                || header.phnum() > MAX_HEADERS
                || header.phoff() < 0
                || header.phoff() > PAGE) {
            return Optional.empty();
        }
        long tableBytes = (long) header.phnum() * header.programHeaderBytes();
        if (isExaminedAgain(tableBytes)) {
            return Optional.empty();
        }
        Section image = memory(start, header.phoff() + tableBytes);
        ProgramHeaders segments = ProgramHeaders.of(header, image, List.of());
        List<Segment> loaded = segments.loaded();
        Optional<Segment> first =
                loaded.stream().filter(segment -> segment.offset() == 0).findFirst();
        if (first.isEmpty()) {
            return Optional.empty();
        }
        long bias = start - first.get().address();
        long end = start;
        for (Segment segment : loaded) {
            long segmentEnd = pageAbove(bias + segment.address() + segment.memorySize());
            end = Long.compareUnsigned(segmentEnd, end) > 0 ? segmentEnd : end;
        }
        String name = path == null ? soname(start, bias, segments) : path;
        return Optional.of(new LoadedModule(start, end, name, buildId(segments, bias)));
    }

    /** Returns the {@code DT_SONAME} of a module without a file. The kernel's vDSO is in memory as it would be in a file. */
    private @Nullable String soname(long start, long bias, ProgramHeaders segments) {
        try {
            Section image = memory(start, MAX_VDSO_BYTES);
            if (isExaminedAgain(image.size())) {
                return null;
            }
            DynamicSection dynamic = DynamicSection.read(word, image, segments);
            long names = bias + dynamic.value(SegmentSections.DT_STRTAB) - start;
            return dynamic.has(DT_SONAME)
                    ? image.string(names + dynamic.value(DT_SONAME), limits.maxNameBytes())
                    : null;
        } catch (ExtractionException malformed) {
            return null;
        }
    }

    /** Counts bytes that are examined. More than the file has can be only because segments share them. */
    private boolean isExaminedAgain(long bytes) {
        examinedBytes += bytes;
        return examinedBytes > file.size();
    }

    private static long pageAbove(long address) {
        return address + PAGE - 1 & -PAGE;
    }

    private @Nullable BuildId buildId(ProgramHeaders segments, long bias) throws MalformedInputException {
        for (Segment segment : segments.ofType(ProgramHeaders.PT_NOTE)) {
            Section notes = memory(bias + segment.address(), segment.memorySize());
            if (notes.size() > MAX_NOTE_BYTES || isExaminedAgain(notes.size())) {
                continue;
            }
            Optional<BuildId> found = Notes.buildIdIn(notes, segment.align());
            if (found.isPresent()) {
                return found.get();
            }
        }
        return null;
    }

    /** Returns up to so many bytes of memory that the file has from an address on. */
    private Section memory(long address, long bytes) throws MalformedInputException {
        Optional<Segment> segment = elf.programHeaders().holding(address);
        if (segment.isEmpty()
                || !segment.get().hasInFile(address)
                || !segment.get().isIn(file)) {
            return Section.absent("memory", file.byteOrder());
        }
        Section rest =
                segment.get().bytesIn(file, "memory", address - segment.get().address());
        return bytes >= 0 && bytes < rest.size()
                ? new Section("memory", rest.bytes().asSlice(0, bytes), file.byteOrder())
                : rest;
    }
}
