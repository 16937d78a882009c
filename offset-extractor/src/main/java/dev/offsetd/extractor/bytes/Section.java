package dev.offsetd.extractor.bytes;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The contents of one section, decompressed. The bytes belong to the arena that mapped or allocated them.
 *
 * <p>Single bytes and numbers are read through byte buffers. The JVM links the var handles of a {@link MemorySegment} anew
 * in every process, which takes longer than reading a small file (docs/rationale/startup.md).
 */
public final class Section {

    /** Most bytes of a window, which has to be less than 2 GiB. */
    private static final long WINDOW_BYTES = 1L << 30;

    private static final int WINDOW_SHIFT = 30;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();
    private static final long LOWEST_BITS = 0x0101_0101_0101_0101L;
    private static final long HIGHEST_BITS = 0x8080_8080_8080_8080L;

    private final String name;
    private final MemorySegment bytes;
    private final ByteOrder byteOrder;
    private final @Nullable SectionProgress progress;

    /** The bytes, little-endian. A window starts every gibibyte, and ends a number after the next one starts. */
    private final ByteBuffer[] windows;

    /** Window at the start of the section; most sections have only one window. */
    private final ByteBuffer first;

    /**
     * Creates a section.
     *
     * @param name its name, for messages
     * @param bytes its contents; while it is being decompressed, only bytes within a cursor may be read
     * @param byteOrder of the numbers in it
     * @param progress progress of decompression, or null if it is complete
     */
    public Section(String name, MemorySegment bytes, ByteOrder byteOrder, @Nullable SectionProgress progress) {
        this.name = name;
        this.bytes = bytes;
        this.byteOrder = byteOrder;
        this.progress = progress;
        this.windows = new ByteBuffer[(int) ((bytes.byteSize() + WINDOW_BYTES - 1) >>> WINDOW_SHIFT)];
        for (int i = 0; i < windows.length; i++) {
            long from = (long) i << WINDOW_SHIFT;
            windows[i] = bytes.asSlice(from, Math.min(bytes.byteSize() - from, WINDOW_BYTES + Long.BYTES))
                    .asByteBuffer()
                    .order(ByteOrder.LITTLE_ENDIAN);
        }
        this.first = windows.length == 0 ? NOTHING : windows[0];
    }

    /** Creates a complete section. */
    public Section(String name, MemorySegment bytes, ByteOrder byteOrder) {
        this(name, bytes, byteOrder, null);
    }

    /** Returns the empty stand-in for a section that the file does not have. */
    public static Section absent(String name, ByteOrder byteOrder) {
        return new Section(name, MemorySegment.NULL, byteOrder);
    }

    /** Returns its name, for messages. */
    public String name() {
        return name;
    }

    /** Returns its contents; while it is being decompressed, only bytes within a cursor may be read. */
    public MemorySegment bytes() {
        return bytes;
    }

    /** Returns the order of the numbers in it. */
    public ByteOrder byteOrder() {
        return byteOrder;
    }

    /** Returns the progress of decompression, or null if it is complete. */
    public @Nullable SectionProgress progress() {
        return progress;
    }

    /** Returns the byte at this offset, which must be inside. */
    public byte byteAt(long offset) {
        return offset >>> WINDOW_SHIFT == 0
                ? first.get((int) offset)
                : windows[(int) (offset >>> WINDOW_SHIFT)].get((int) (offset & (WINDOW_BYTES - 1)));
    }

    /** Returns the eight bytes from this offset, which must be inside, as a number whose lowest byte is the first. */
    public long longAt(long offset) {
        return offset >>> WINDOW_SHIFT == 0
                ? first.getLong((int) offset)
                : windows[(int) (offset >>> WINDOW_SHIFT)].getLong((int) (offset & (WINDOW_BYTES - 1)));
    }

    /** Returns a buffer of at most this many bytes from this offset, fewer where a window ends. */
    public ByteBuffer window(long offset, long length) {
        if (length == 0) {
            return NOTHING;
        }
        ByteBuffer window = windows[(int) (offset >>> WINDOW_SHIFT)];
        int start = (int) (offset & (WINDOW_BYTES - 1));
        return window.slice(start, (int) Math.min(length, window.limit() - start))
                .order(byteOrder);
    }

    /** Returns the size in bytes. */
    public long size() {
        return bytes.byteSize();
    }

    public boolean isEmpty() {
        return size() == 0;
    }

    /**
     * Returns a cursor over the whole section.
     *
     * @throws MalformedInputException if its contents are broken
     */
    public ByteCursor cursor() throws MalformedInputException {
        return cursor(0, size());
    }

    /**
     * Returns a cursor that is confined to {@code length} bytes from {@code offset}. Waits until they are decompressed.
     *
     * @throws MalformedInputException if they are not all inside the section, or its contents are broken before their end
     */
    public ByteCursor cursor(long offset, long length) throws MalformedInputException {
        requireInside(offset, length);
        if (progress != null) {
            progress.await(offset + length);
        }
        return new ByteCursor(this, offset, length);
    }

    /**
     * Waits until it is complete.
     *
     * @throws MalformedInputException if its contents are broken
     */
    public void awaitEnd() throws MalformedInputException {
        if (progress != null) {
            progress.awaitEnd();
        }
    }

    /**
     * Returns the null-terminated UTF-8 string at {@code offset}; malformed bytes become U+FFFD.
     *
     * @throws MalformedInputException if it starts outside the section or does not end inside it
     * @throws LimitExceededException if it is longer than {@code maxNameBytes}
     */
    public String string(long offset, int maxNameBytes) throws MalformedInputException, LimitExceededException {
        requireInside(offset, 1);
        long length = stringLength(offset, maxNameBytes);
        byte[] text = new byte[(int) length];
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, offset, text, 0, text.length);
        return new String(text, StandardCharsets.UTF_8);
    }

    /**
     * Bytes of the string at {@code offset} without its end.
     *
     * @throws MalformedInputException if it does not end inside the section
     * @throws LimitExceededException if it is longer than {@code maxNameBytes}
     */
    public long stringLength(long offset, int maxNameBytes) throws MalformedInputException, LimitExceededException {
        long last = Math.min(size(), offset + maxNameBytes + 1);
        long end = endOfString(offset, last);
        if (end < last) {
            return end - offset;
        }
        if (last == size()) {
            throw new MalformedInputException(
                    name, offset, "string does not end; the section ends after " + (last - offset) + " bytes");
        }
        byte[] start = new byte[(int) Math.min(40, size() - offset)];
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, offset, start, 0, start.length);
        throw new LimitExceededException(
                name,
                offset,
                "maxNameBytes",
                maxNameBytes,
                "a string of " + (maxNameBytes + 1L) + " bytes or more starts with "
                        + HostileText.quote(new String(start, StandardCharsets.UTF_8)));
    }

    /** Returns the place of the first zero byte before {@code last}, or {@code last}. */
    private long endOfString(long offset, long last) {
        long at = offset;
        // Names of C++ have hundreds of bytes, so eight are read at once. Subtracting 1 from each byte sets the highest
        // bit of those that were 0 or had it already; a borrow reaches only bytes after the first zero.
        for (; last - at >= Long.BYTES; at += Long.BYTES) {
            long word = longAt(at);
            long zeros = word - LOWEST_BITS & ~word & HIGHEST_BITS;
            if (zeros != 0) {
                return at + Long.numberOfTrailingZeros(zeros) / Byte.SIZE;
            }
        }
        while (at < last && byteAt(at) != 0) {
            at++;
        }
        return at;
    }

    private void requireInside(long offset, long length) throws MalformedInputException {
        if (offset < 0 || length < 0 || offset > size() || length > size() - offset) {
            throw new MalformedInputException(
                    name,
                    offset,
                    size() == 0
                            ? "the file has no such section, or it is empty"
                            : "need " + Long.toUnsignedString(length) + " bytes, the section has " + size());
        }
    }
}
