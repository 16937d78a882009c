package dev.offsetd.extractor.bytes;

import dev.offsetd.extractor.input.MalformedInputException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads numbers one after the other out of a part of a section. An access outside the part is a
 * {@link MalformedInputException} that names section and offset. Reading advances; offsets are counted from the start of
 * the <em>section</em>. Not thread-safe.
 */
public final class ByteCursor {

    private final Section section;
    private final long start;
    private final long end;

    /** The next bytes of the part, up to a gibibyte. */
    private ByteBuffer window;

    /** Where the window starts: bytes from the start of the section. */
    private long base;

    /** Where the next read starts: bytes from the start of the window. */
    private int position;

    ByteCursor(Section section, long offset, long length) {
        this.section = section;
        this.start = offset;
        this.end = offset + length;
        this.base = offset;
        this.window = section.window(offset, length);
    }

    /** Returns where the next read starts: bytes from the start of the section. */
    public long offset() {
        return base + position;
    }

    /** Goes to a place given in bytes from the start of the section; a read outside the part fails when it is tried. */
    public void seek(long sectionOffset) {
        long at = sectionOffset - base;
        if (at >= 0 && at <= window.limit()) {
            position = (int) at;
        } else {
            moveWindow(sectionOffset);
        }
    }

    private void moveWindow(long sectionOffset) {
        window = section.window(sectionOffset, sectionOffset < start ? 0 : Math.max(end - sectionOffset, 0));
        base = sectionOffset;
        position = 0;
    }

    /**
     * Moves the window to the next read, which goes beyond its end.
     *
     * @throws MalformedInputException if it goes beyond the end of the part too
     */
    private void require(int bytes) throws MalformedInputException {
        if (offset() < start || end - offset() < bytes) {
            throw outside(bytes);
        }
        moveWindow(offset());
    }

    /** Returns the end of the part: bytes from the start of the section, exclusive. */
    public long end() {
        return end;
    }

    public boolean hasRemaining() {
        return offset() < end;
    }

    /** Reads an unsigned byte. */
    public int u8() throws MalformedInputException {
        if (position >= window.limit()) {
            require(1);
        }
        return window.get(position++) & 0xff;
    }

    /** Reads an unsigned 16-bit number. */
    public int u16() throws MalformedInputException {
        if (window.limit() - position < 2) {
            require(2);
        }
        int value = window.getShort(position) & 0xffff;
        position += 2;
        return value;
    }

    /** Reads an unsigned 32-bit number. */
    public long u32() throws MalformedInputException {
        if (window.limit() - position < 4) {
            require(4);
        }
        long value = window.getInt(position) & 0xffff_ffffL;
        position += 4;
        return value;
    }

    /** Returns the unsigned 32-bit number that stands this many bytes ahead. Does not advance. */
    public long u32Ahead(int bytesAhead) throws MalformedInputException {
        if (window.limit() - position - 4 < bytesAhead) {
            return beyondWindow(bytesAhead, 4);
        }
        return window.getInt(position + bytesAhead) & 0xffff_ffffL;
    }

    /** Returns the unsigned number of 1 or 2 bytes that stands this many bytes ahead. Does not advance. */
    public int unsignedAhead(int bytesAhead, int width) throws MalformedInputException {
        if (window.limit() - position - width < bytesAhead) {
            return (int) beyondWindow(bytesAhead, width);
        }
        return width == 1 ? window.get(position + bytesAhead) & 0xff : window.getShort(position + bytesAhead) & 0xffff;
    }

    private long beyondWindow(int bytesAhead, int width) throws MalformedInputException {
        long at = offset() + bytesAhead;
        if (offset() < start || end - at < width) {
            throw outside((long) bytesAhead + width);
        }
        return new ByteCursor(section, at, width).unsigned(width);
    }

    /** Reads a 64-bit number; unsigned ones past 2^63 come out negative. */
    public long u64() throws MalformedInputException {
        if (window.limit() - position < 8) {
            require(8);
        }
        long value = window.getLong(position);
        position += 8;
        return value;
    }

    /** Reads an unsigned number of 1, 2, 3, 4 or 8 bytes. */
    public long unsigned(int width) throws MalformedInputException {
        return switch (width) {
            case 1 -> u8();
            case 2 -> u16();
            case 3 -> {
                int first = u8();
                int second = u8();
                int third = u8();
                yield window.order() == ByteOrder.BIG_ENDIAN
                        ? first << 16 | second << 8 | third
                        : third << 16 | second << 8 | first;
            }
            case 4 -> u32();
            case 8 -> u64();
            default -> throw new IllegalArgumentException("width is " + width + "; expected 1, 2, 3, 4 or 8");
        };
    }

    /**
     * Returns an unsigned LEB128 number (DWARF 5 §7.6).
     *
     * @throws MalformedInputException if it does not fit 64 bits, or does not end inside the part
     */
    public long uleb128() throws MalformedInputException {
        int first = u8();
        return first < 0x80 ? first : ulebRest(first & 0x7f);
    }

    private long ulebRest(long low) throws MalformedInputException {
        long value = low;
        for (int shift = 7; ; shift += 7) {
            int next = u8();
            long bits = next & 0x7f;
            if (shift > 63 ? bits != 0 : shift == 63 && bits > 1) {
                throw malformed(offset() - 1, "unsigned LEB128 number does not fit 64 bits");
            }
            if (shift <= 63) {
                value |= bits << shift;
            }
            if (next < 0x80) {
                return value;
            }
        }
    }

    /**
     * Returns a signed LEB128 number (DWARF 5 §7.6).
     *
     * @throws MalformedInputException if it does not fit 64 bits, or does not end inside the part
     */
    public long sleb128() throws MalformedInputException {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            int next = u8();
            long bits = next & 0x7f;
            if (shift < 63) {
                value |= bits << shift;
            } else if (shift == 63 && (bits == 0 || bits == 0x7f)) {
                value |= bits << 63;
            } else if (bits != (value < 0 ? 0x7f : 0)) {
                throw malformed(offset() - 1, "signed LEB128 number does not fit 64 bits");
            }
            if (next < 0x80) {
                return shift < 57 && (next & 0x40) != 0 ? value | -1L << (shift + 7) : value;
            }
        }
    }

    /** Passes over a LEB128 number of either kind, without looking at its size. */
    public void skipLeb128() throws MalformedInputException {
        while (u8() >= 0x80) {
            // u8 advances
        }
    }

    /**
     * Passes over this many bytes.
     *
     * @throws MalformedInputException if fewer are left
     */
    public void skip(long count) throws MalformedInputException {
        if (count < 0 || count > end - offset()) {
            throw outside(count);
        }
        seek(offset() + count);
    }

    /** Passes over a null-terminated string. */
    public void skipString() throws MalformedInputException {
        while (u8() != 0) {
            // u8 advances
        }
    }

    /** Returns a fault of the input at a place of this section, given in bytes from its start. */
    public MalformedInputException malformed(long sectionOffset, String problem) {
        return new MalformedInputException(section.name(), sectionOffset, problem);
    }

    private MalformedInputException outside(long wanted) {
        return malformed(
                offset(),
                "need " + Long.toUnsignedString(wanted) + " bytes, the part from 0x" + Long.toHexString(start)
                        + " ends at 0x" + Long.toHexString(end));
    }
}
