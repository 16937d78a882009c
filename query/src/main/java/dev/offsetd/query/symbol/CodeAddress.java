package dev.offsetd.query.symbol;

import dev.offsetd.extractor.symbols.FileOffsets;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.OptionalLong;

/**
 * Address of code or data as a client states it: {@code 0x1234} is an ELF virtual address, {@code file:0x1234} an offset in the file
 * of the program, as kernels and uprobes state it.
 *
 * @param value unsigned
 * @param inFile whether it is an offset in the file
 */
public record CodeAddress(long value, boolean inFile) implements Comparable<CodeAddress> {

    private static final Comparator<CodeAddress> ORDER =
            Comparator.comparing(CodeAddress::inFile).thenComparing(CodeAddress::value, Long::compareUnsigned);

    /** Description of the two forms, for messages. */
    public static final String EXPECTED =
            "0x and 1 to 16 hex digits: a virtual address, or with file: in front an offset in the program's file";

    /** Prefix of an offset in the file of a program. */
    public static final String FILE = "file:";

    private static final String HEX = "0x";
    private static final int MAX_DIGITS = 16;

    /** Virtual addresses come first; both in ascending order. */
    @Override
    public int compareTo(CodeAddress other) {
        return ORDER.compare(this, other);
    }

    /** Returns whether a text is an address. */
    public static boolean matches(String text) {
        int first = firstDigit(text);
        int count = text.length() - first;
        return count > 0
                && count <= MAX_DIGITS
                && text.regionMatches(true, first - HEX.length(), HEX, 0, HEX.length())
                && text.chars().skip(first).allMatch(HexFormat::isHexDigit);
    }

    private static int firstDigit(String text) {
        return (text.startsWith(FILE) ? FILE.length() : 0) + HEX.length();
    }

    /**
     * Parses an address.
     *
     * @throws IllegalArgumentException if the text is none; the message says what is expected
     */
    public static CodeAddress parse(String text) {
        if (!matches(text)) {
            throw new IllegalArgumentException(EXPECTED);
        }
        return new CodeAddress(Long.parseUnsignedLong(text.substring(firstDigit(text)), 16), text.startsWith(FILE));
    }

    /** Returns the virtual address; empty if it is an offset outside of all segments, or no segments are known. */
    public OptionalLong in(FileOffsets offsets) {
        return inFile ? offsets.addressOf(value) : OptionalLong.of(value);
    }

    /**
     * Returns the virtual address at which functions and lines are looked up.
     *
     * @param returnAddress whether that is the byte before, which is part of the call
     */
    public OptionalLong in(FileOffsets offsets, boolean returnAddress) {
        OptionalLong place = in(offsets);
        return returnAddress && place.orElse(0) != 0 ? OptionalLong.of(place.getAsLong() - 1) : place;
    }

    /** Returns why {@link #in} is empty. */
    public String missing(FileOffsets offsets) {
        return offsets.missing() == null
                ? "offset 0x" + Long.toHexString(value) + " is outside of all loaded segments of the program"
                : "the offset has no address: " + offsets.missing();
    }

    /** Returns the text that {@link #parse} reads. */
    @Override
    public String toString() {
        return (inFile ? FILE : "") + "0x" + Long.toHexString(value);
    }
}
