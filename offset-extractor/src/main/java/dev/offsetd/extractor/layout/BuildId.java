package dev.offsetd.extractor.layout;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * A GNU build-id: the descriptor of an ELF {@code NT_GNU_BUILD_ID} note, 8 to 64 bytes. Text is lower-case hex, two
 * digits a byte; upper case is understood.
 */
public final class BuildId implements Comparable<BuildId> {

    /** Fewest bytes a build-id may have; shorter ones are too likely to meet by chance. */
    public static final int MIN_BYTES = 8;

    /** Most bytes a build-id may have: the longest hash a linker writes, with room to spare. */
    public static final int MAX_BYTES = 64;

    private final byte[] bytes;

    private BuildId(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Returns the build-id with these bytes.
     *
     * @throws IllegalArgumentException if there are fewer than {@link #MIN_BYTES} or more than {@link #MAX_BYTES}
     */
    public static BuildId of(byte[] bytes) {
        if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "build-id of " + bytes.length + " bytes; expected " + MIN_BYTES + " to " + MAX_BYTES + " bytes");
        }
        return new BuildId(bytes.clone());
    }

    /**
     * Returns the build-id that this hex text spells.
     *
     * @throws IllegalArgumentException if the text is not an even number of hex digits for 8 to 64 bytes; the message
     *     names the length, or the position of the first character that is not a hex digit
     */
    public static BuildId parse(String hex) {
        for (int i = 0; i < hex.length(); i++) {
            if (!HexFormat.isHexDigit(hex.charAt(i))) {
                throw new IllegalArgumentException(
                        "character " + (i + 1) + " is not a hex digit; expected 16 to 128 hex digits");
            }
        }
        if (hex.length() % 2 != 0 || hex.length() < 2 * MIN_BYTES || hex.length() > 2 * MAX_BYTES) {
            throw new IllegalArgumentException(
                    hex.length() + " hex digits; expected an even number of them, from 16 to 128");
        }
        return new BuildId(HexFormat.of().parseHex(hex));
    }

    /** Returns a copy of the bytes. */
    public byte[] toBytes() {
        return bytes.clone();
    }

    /**
     * Returns where the debug file of this build is below a folder of installed debug files: {@code
     * .build-id/ab/cdef.debug}.
     */
    public String debugFilePath() {
        String hex = toString();
        return ".build-id/" + hex.substring(0, 2) + "/" + hex.substring(2) + ".debug";
    }

    @Override
    public int compareTo(BuildId other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BuildId that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Lower-case hex. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
