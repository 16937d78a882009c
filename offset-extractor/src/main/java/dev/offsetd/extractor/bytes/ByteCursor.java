package dev.offsetd.extractor.bytes;

import dev.offsetd.extractor.input.MalformedInputException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Reads numbers one after the other out of a part of a section. The part is the bound: the virtual machine checks every
 * access against it, and an access outside becomes a {@link MalformedInputException} that names section and offset.
 * Reading advances; offsets are counted from the start of the <em>section</em>. Not thread-safe.
 */
public final class ByteCursor {

    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final String sectionName;
    private final MemorySegment bytes;
    private final long start;
    private final boolean bigEndian;
    private long position;

    ByteCursor(Section section, long offset, long length) {
        this.sectionName = section.name();
        this.bytes = section.bytes().asSlice(offset, length);
        this.start = offset;
        this.bigEndian = section.byteOrder() == ByteOrder.BIG_ENDIAN;
    }

    /** Returns where the next read starts: bytes from the start of the section. */
    public long offset() {
        return start + position;
    }

    /** Goes to a place given in bytes from the start of the section; a read outside the part fails when it is tried. */
    public void seek(long sectionOffset) {
        position = sectionOffset - start;
    }

    /** Returns the end of the part: bytes from the start of the section, exclusive. */
    public long end() {
        return start + bytes.byteSize();
    }

    public boolean hasRemaining() {
        return position < bytes.byteSize();
    }

    /** Reads an unsigned byte. */
    public int u8() throws MalformedInputException {
        try {
            return bytes.get(BYTE, position++) & 0xff;
        } catch (IndexOutOfBoundsException _) {
            throw outside(1, 1);
        }
    }

    /** Reads an unsigned 16-bit number. */
    public int u16() throws MalformedInputException {
        try {
            short value = bytes.get(SHORT, position);
            position += 2;
            return (bigEndian ? Short.reverseBytes(value) : value) & 0xffff;
        } catch (IndexOutOfBoundsException _) {
            throw outside(2, 0);
        }
    }

    /** Reads an unsigned 32-bit number. */
    public long u32() throws MalformedInputException {
        try {
            int value = bytes.get(INT, position);
            position += 4;
            return (bigEndian ? Integer.reverseBytes(value) : value) & 0xffff_ffffL;
        } catch (IndexOutOfBoundsException _) {
            throw outside(4, 0);
        }
    }

    /** Returns the unsigned 32-bit number that stands this many bytes ahead. Does not advance. */
    public long u32Ahead(long bytesAhead) throws MalformedInputException {
        try {
            int value = bytes.get(INT, position + bytesAhead);
            return (bigEndian ? Integer.reverseBytes(value) : value) & 0xffff_ffffL;
        } catch (IndexOutOfBoundsException _) {
            throw outside(bytesAhead + 4, 0);
        }
    }

    /** Reads a 64-bit number; unsigned ones past 2^63 come out negative. */
    public long u64() throws MalformedInputException {
        try {
            long value = bytes.get(LONG, position);
            position += 8;
            return bigEndian ? Long.reverseBytes(value) : value;
        } catch (IndexOutOfBoundsException _) {
            throw outside(8, 0);
        }
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
                yield bigEndian ? first << 16 | second << 8 | third : third << 16 | second << 8 | first;
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
        if (count < 0 || count > bytes.byteSize() - position) {
            throw outside(count, 0);
        }
        position += count;
    }

    /** Passes over a null-terminated string. */
    public void skipString() throws MalformedInputException {
        while (u8() != 0) {
            // u8 advances
        }
    }

    /** Returns a fault of the input at a place of this section, given in bytes from its start. */
    public MalformedInputException malformed(long sectionOffset, String problem) {
        return new MalformedInputException(sectionName, sectionOffset, problem);
    }

    private MalformedInputException outside(long wanted, int advanced) {
        long from = position - advanced;
        return malformed(
                start + from,
                "need " + Long.toUnsignedString(wanted) + " bytes, the part from 0x" + Long.toHexString(start)
                        + " ends at 0x" + Long.toHexString(end()));
    }
}
