package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Names behind each {@link NameRef}, as bytes or text. Thread-safe. */
public final class DieNames {

    /** Length from which reading a name checks the deadline. */
    private static final int LONG_NAME = 1 << 12;

    private final DwarfSections[] files;
    private final Limits limits;

    /** Names composed by the reader, by number. */
    private final List<Section> composed = new ArrayList<>();

    private final Map<String, Long> composedRefs = new ConcurrentHashMap<>();

    /** Long names by place. Many DIEs can share one, and a hostile file can make a bounded cache forget it after each of them. */
    private final Map<Long, LongName> longNames = new ConcurrentHashMap<>();

    private final AtomicLong longNameBytes = new AtomicLong();

    /** @param angle whether it has an opening angle bracket */
    private record LongName(long hash, boolean angle) {}

    private final Deadline deadline;

    /** Whether all names that became text have only characters of ISO/IEC 8859-1. */
    private volatile boolean latin = true;

    /** @param files the file itself and those that it is to be read with, each at its number */
    DieNames(DwarfSections[] files, Limits limits, Deadline deadline) {
        this.files = files.clone();
        this.limits = limits;
        this.deadline = deadline;
    }

    /** Returns the composed name with this text, or {@link NameRef#NONE}. */
    long composed(String text) {
        return composedRefs.getOrDefault(text, NameRef.NONE);
    }

    /** Composes a name with this text. */
    synchronized long compose(String text) {
        return composedRefs.computeIfAbsent(text, name -> {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            composed.add(new Section(
                    files[0].info().name(),
                    MemorySegment.ofArray(Arrays.copyOf(bytes, bytes.length + 1)),
                    files[0].info().byteOrder()));
            return NameRef.of(NameRef.COMPOSED, composed.size() - 1);
        });
    }

    private synchronized Section composed(long ref) {
        return composed.get((int) NameRef.offset(ref));
    }

    /** Returns the name as text. */
    public String text(long ref, Unit unit) throws ExtractionException {
        long found = resolve(ref, unit);
        return text(found);
    }

    /** Returns the name as text, of a unit whose string offsets base is just being read. */
    public String text(long ref, UnitHeader header, long strOffsetsBase) throws ExtractionException {
        long found = resolve(ref, header, strOffsetsBase);
        return text(found);
    }

    /**
     * Returns a text that is no longer than this.
     *
     * @throws LimitExceededException if it is
     */
    public String text(long ref, Unit unit, int maxBytes) throws ExtractionException {
        long found = resolve(ref, unit);
        return section(found).string(checkedOffset(found), maxBytes);
    }

    private String text(long found) throws ExtractionException {
        Section section = section(found);
        String text = section.string(start(found), limits.maxNameBytes());
        checkTime(section, text.length());
        if (latin && !isLatin(text)) {
            latin = false;
        }
        return text;
    }

    /** Returns whether all names that became text so far, and so all texts made of them, are Latin: most files have no others. */
    boolean areLatin() {
        return latin;
    }

    private static boolean isLatin(String text) {
        int bits = 0;
        // Without a branch in the loop, the compiler makes vector instructions of it.
        for (int i = 0; i < text.length(); i++) {
            bits |= text.charAt(i);
        }
        return bits <= 0xff;
    }

    /** Reading a long name takes as long as reading many DIEs, and many DIEs can refer to it. */
    private void checkTime(Section section, long length) throws ExtractionException {
        if (length > LONG_NAME) {
            deadline.check(section.name());
        }
    }

    /** Resolves an index into {@code .debug_str_offsets} to a section and offset; other names stay as they are. */
    public long resolve(long ref, Unit unit) throws ExtractionException {
        return resolve(ref, unit.header(), unit.strOffsetsBase());
    }

    private long resolve(long ref, UnitHeader header, long strOffsetsBase) throws ExtractionException {
        if (NameRef.kind(ref) != NameRef.INDEX) {
            return ref;
        }
        int file = NameRef.file(ref);
        long index = NameRef.offset(ref);
        int offsetSize = header.offsetSize();
        Section offsets = files[file].strOffsets();
        if (strOffsetsBase < 0 || index >= offsets.size() / offsetSize) {
            throw new MalformedInputException(
                    offsets.name(),
                    Math.max(strOffsetsBase, 0),
                    "string index " + index + ", the section has " + offsets.size() + " bytes");
        }
        ByteCursor in = offsets.cursor(strOffsetsBase + index * offsetSize, offsetSize);
        return NameRef.of(NameRef.STR | NameRef.inFile(file), in.unsigned(offsetSize));
    }

    /** {@code .debug_str} of a file. */
    public Section strings(int file) {
        return files[file].str();
    }

    /** Returns the section that a resolved name stands in. */
    public Section section(long ref) throws ExtractionException {
        int number = NameRef.file(ref);
        if (number >= files.length) {
            throw new UnsupportedInputException(
                    files[0].info().name(),
                    ExtractionException.NO_OFFSET,
                    "a name is in a supplementary file, but the file refers to none");
        }
        DwarfSections file = files[number];
        return switch (NameRef.kind(ref)) {
            case NameRef.STR -> file.str();
            case NameRef.LINE_STR -> file.lineStr();
            case NameRef.INFO -> file.info();
            case NameRef.TYPES -> file.types();
            case NameRef.COMPOSED -> composed(ref);
            default ->
                throw new MalformedInputException(
                        file.info().name(),
                        ExtractionException.NO_OFFSET,
                        "a name is at 0x" + Long.toHexString(ref) + "; expected an offset into a section");
        };
    }

    private static long start(long ref) {
        return NameRef.kind(ref) == NameRef.COMPOSED ? 0 : NameRef.offset(ref);
    }

    /** Returns the offset of a resolved name; it lies inside its section. */
    public long checkedOffset(long ref) throws ExtractionException {
        long offset = start(ref);
        if (offset >= section(ref).size()) {
            section(ref).string(offset, limits.maxNameBytes());
        }
        return offset;
    }

    /** Returns whether an opening angle bracket is in a resolved name, as in those with template arguments. */
    public boolean hasAngle(long ref) throws ExtractionException {
        LongName known = longName(ref);
        if (known != null) {
            return known.angle;
        }
        Section section = section(ref);
        long start = checkedOffset(ref);
        long length = section.stringLength(start, limits.maxNameBytes());
        return length > LONG_NAME ? readLong(ref, section, start, length).angle : hasAngle(section, start, length);
    }

    private static boolean hasAngle(Section section, long start, long length) {
        for (long at = start; at < start + length; at++) {
            if (section.byteAt(at) == '<') {
                return true;
            }
        }
        return false;
    }

    private @Nullable LongName longName(long ref) {
        return longNames.isEmpty() ? null : longNames.get(ref);
    }

    /** Reads a long name, each once. Names may overlap, so the size of the section does not bound them. */
    private LongName readLong(long ref, Section section, long start, long length) throws ExtractionException {
        checkTime(section, length);
        long bytes = longNameBytes.addAndGet(length);
        if (bytes > limits.maxTextChars()) {
            throw new LimitExceededException(
                    section.name(),
                    start,
                    "maxTextChars",
                    limits.maxTextChars(),
                    "names of more than " + LONG_NAME + " bytes come to " + bytes + " bytes");
        }
        LongName read = new LongName(hash(section, start, length), hasAngle(section, start, length));
        longNames.put(ref, read);
        return read;
    }

    /** Returns a 64-bit hash of the bytes of a resolved name; equal names have equal hashes wherever they stand. */
    public long hash(long ref) throws ExtractionException {
        LongName known = longName(ref);
        if (known != null) {
            return known.hash;
        }
        Section section = section(ref);
        long start = checkedOffset(ref);
        long length = section.stringLength(start, limits.maxNameBytes());
        return length > LONG_NAME ? readLong(ref, section, start, length).hash : hash(section, start, length);
    }

    private static long hash(Section section, long start, long length) {
        long end = start + length;
        long hash = length * HashMixing.GOLDEN;
        for (long at = start; end - at > Long.BYTES; at += Long.BYTES) {
            hash = HashMixing.mix(hash ^ section.longAt(at));
        }
        long tail = 0;
        if (length >= Long.BYTES) {
            tail = section.longAt(end - Long.BYTES);
        } else {
            for (long at = start; at < end; at++) {
                tail = (tail << Byte.SIZE) | (section.byteAt(at) & 0xff);
            }
        }
        return HashMixing.mix(hash ^ tail);
    }
}
