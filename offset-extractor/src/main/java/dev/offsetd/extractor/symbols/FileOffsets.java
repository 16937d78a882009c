package dev.offsetd.extractor.symbols;

import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Offsets in the file of a program, by its loaded segments (gABI, "Program Loading"). Kernels and uprobes state code by them. The
 * segments of a separate debug file do not count: {@code objcopy --only-keep-debug} keeps their addresses only. Immutable.
 */
public final class FileOffsets {

    private static final long PT_LOAD = 1;

    private static final long SMALLEST_PAGE = 1 << 12;

    /** AArch64 and PowerPC have pages of 64 KiB. */
    private static final long LARGEST_PAGE = 1 << 16;

    /**
     * Loaded segment of a program, {@code PT_LOAD}.
     *
     * @param offset {@code p_offset}
     * @param address {@code p_vaddr}
     * @param fileSize {@code p_filesz}: its bytes in the file
     */
    public record Segment(long offset, long address, long fileSize) {}

    private final List<ProgramHeader> loaded;
    private final List<Segment> segments;
    private final ValueRule values;
    private final @Nullable String missing;

    private FileOffsets(
            List<ProgramHeader> loaded, List<Segment> segments, ValueRule values, @Nullable String missing) {
        this.loaded = loaded;
        this.segments = segments;
        this.values = values;
        this.missing = missing;
    }

    /**
     * Returns the offsets that the program headers of a file state.
     *
     * @param headers program header table of the file that the symbols come from
     * @param values meaning of the values of its symbols
     */
    public static FileOffsets of(List<ProgramHeader> headers, ValueRule values) {
        List<ProgramHeader> loaded =
                headers.stream().filter(header -> header.type() == PT_LOAD).toList();
        String missing = null;
        if (values == ValueRule.SECTION_OFFSET) {
            missing = "a relocatable file has no segments";
        } else if (loaded.isEmpty()) {
            missing = "no program headers are known of the file";
        } else if (loaded.stream().anyMatch(header -> header.offset() == null)) {
            missing = "the file has the addresses of the program's segments, but not their bytes";
        }
        List<Segment> segments = (missing == null ? loaded : List.<ProgramHeader>of())
                .stream()
                        .map(header -> new Segment(
                                Objects.requireNonNull(header.offset()),
                                header.address(),
                                Objects.requireNonNull(header.fileSize())))
                        .toList();
        return new FileOffsets(loaded, segments, values, missing);
    }

    /** Returns the loaded segments of the program; none if they are not known. */
    public List<Segment> segments() {
        return segments;
    }

    /**
     * Returns the offsets by the segments of the program itself. A prelinked program has other addresses than its debug file:
     * all of them are moved by the same distance. With some of the segments this distance would be a guess.
     *
     * @param program from another file of the same build
     */
    public FileOffsets by(List<Segment> program) {
        if (values == ValueRule.SECTION_OFFSET) {
            return this;
        }
        long moved = isOfFile(program, 0) || program.isEmpty() || loaded.isEmpty()
                ? 0
                : program.getFirst().address() - loaded.getFirst().address();
        return !program.isEmpty()
                        && (loaded.isEmpty() || (isOfFile(program, moved) && (moved == 0 || hasAll(program, moved))))
                ? new FileOffsets(
                        loaded,
                        program.stream()
                                .map(part -> new Segment(part.offset(), part.address() - moved, part.fileSize()))
                                .toList(),
                        values,
                        null)
                : new FileOffsets(loaded, List.of(), values, refusal(program));
    }

    /** Returns why the given segments are not those of the file. */
    private String refusal(List<Segment> program) {
        return program.stream()
                .flatMap(segment -> loaded.stream()
                        .filter(header -> startsAt(header, segment.address(), segment.fileSize())
                                && !isOf(header, segment.address(), segment.fileSize()))
                        .map(header -> "the given segment at 0x%x has 0x%x bytes; expected at most 0x%x, or whole pages"
                                .formatted(
                                        segment.address(),
                                        segment.fileSize(),
                                        header.address() - segment.address() + header.memorySize())))
                .findFirst()
                .orElse("the given segments start at other addresses than those of the file");
    }

    /** Returns the same offsets, none of which is known, with more of the reason. */
    public FileOffsets because(String detail) {
        return new FileOffsets(loaded, segments, values, missing + "; " + detail);
    }

    private boolean isOfFile(List<Segment> program, long moved) {
        return program.stream()
                .allMatch(segment -> loaded.stream()
                        .anyMatch(header -> isOf(header, segment.address() - moved, segment.fileSize())));
    }

    private boolean hasAll(List<Segment> program, long moved) {
        return loaded.stream()
                .allMatch(header -> program.stream()
                        .anyMatch(segment -> isOf(header, segment.address() - moved, segment.fileSize())));
    }

    /** Returns whether a range is that of a segment, or its mapping: {@code /proc/PID/maps} rounds both ends to pages. */
    private static boolean isOf(ProgramHeader header, long address, long bytes) {
        long more = bytes - (header.address() - address) - header.memorySize();
        return startsAt(header, address, bytes) && (more <= 0 || (more < LARGEST_PAGE && bytes % SMALLEST_PAGE == 0));
    }

    private static boolean startsAt(ProgramHeader header, long address, long bytes) {
        long before = header.address() - address;
        boolean isRounded = before > 0 && before < Math.min(bytes, LARGEST_PAGE) && address % SMALLEST_PAGE == 0;
        return before == 0 || isRounded;
    }

    /** Returns why no offset is known; null if the segments are known. */
    public @Nullable String missing() {
        return missing;
    }

    /** Returns the offset of the byte that is loaded at an address; empty if the file has no such byte, as of {@code .bss}. */
    public OptionalLong ofAddress(long address) {
        return segments.stream()
                .filter(segment -> Long.compareUnsigned(address - segment.address(), segment.fileSize()) < 0)
                .mapToLong(segment -> segment.offset() + (address - segment.address()))
                .findFirst();
    }

    /** Returns the offset of the first byte of a symbol; empty if it is not a place in the file. */
    public OptionalLong of(Symbol symbol) {
        return symbol.isPlace() ? ofAddress(values.addressOf(symbol)) : OptionalLong.empty();
    }

    /** Returns the address at which a byte of the file is loaded; empty if it is in none of the segments. */
    public OptionalLong addressOf(long offset) {
        return segments.stream()
                .filter(segment -> Long.compareUnsigned(offset - segment.offset(), segment.fileSize()) < 0)
                .mapToLong(segment -> segment.address() + (offset - segment.offset()))
                .findFirst();
    }
}
