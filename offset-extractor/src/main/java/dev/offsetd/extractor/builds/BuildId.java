package dev.offsetd.extractor.builds;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Identifies a build: by its GNU build-id, or by an alias key where a build has none.
 *
 * <p>A GNU build-id is the descriptor of an ELF {@code NT_GNU_BUILD_ID} note, 8 to 64 bytes. Its text is lower-case hex,
 * two digits a byte; upper case is understood. An alias key is the text {@code PREFIX:VALUE}, see {@link Alias}.
 */
public final class BuildId implements Comparable<BuildId> {

    /** Fewest bytes a build-id may have; shorter ones are too likely to meet by chance. */
    public static final int MIN_BYTES = 8;

    /** Most bytes a build-id may have: the longest hash a linker writes, with room to spare. */
    public static final int MAX_BYTES = 64;

    /** Longest Go build-id that is an alias key; the Go tool writes 83 characters. */
    private static final int MAX_GO_CHARACTERS = 200;

    /**
     * Bytes of the shortest stored alias key. Shorter ones are filled up with spaces, so that no GNU build-id has the same
     * bytes.
     */
    private static final int MIN_ALIAS_BYTES = MAX_BYTES + 1;

    /** Kinds of alias keys. */
    public enum Alias {
        /** Go build-id, with {@code /} written as {@code ~}. Stripping a program keeps it. */
        GO("go:"),

        /**
         * OpenTelemetry's {@code process.executable.build_id.htlhash} in hex: SHA-256 of the first 4096 bytes of an
         * executable, its last 4096 bytes and its length as a big-endian 64-bit number, cut to 16 bytes.
         */
        HTLHASH("htl:"),

        /** SHA-256 of a file in hex. */
        SHA256("sha256:");

        private final String prefix;

        Alias(String prefix) {
            this.prefix = prefix;
        }

        private boolean accepts(String value) {
            return switch (this) {
                case GO ->
                    value.length() <= MAX_GO_CHARACTERS
                            && !value.isEmpty()
                            && value.chars().allMatch(BuildId::isGoCharacter);
                case HTLHASH -> value.length() == 32 && value.chars().allMatch(HexFormat::isHexDigit);
                case SHA256 -> value.length() == 64 && value.chars().allMatch(HexFormat::isHexDigit);
            };
        }

        private String expected() {
            return switch (this) {
                case GO -> "1 to " + MAX_GO_CHARACTERS + " letters, digits or _ - . = + ~";
                case HTLHASH -> "32 hex digits";
                case SHA256 -> "64 hex digits";
            };
        }
    }

    /**
     * Keys of Go programs that Bazel has built. It gives all of them the Go build-id "redacted", and Go derives the GNU
     * build-id from that: the first 20 bytes of its SHA-256 with the bits of the first byte inverted (Go 1.24 and later), or of
     * all bytes (before).
     */
    private static final Set<BuildId> SHARED = Set.of(
            alias(Alias.GO, "redacted"),
            parse("498919aff001d8366249403a2544fba2d833084f"),
            parse("4976e6500ffe27c99db6bfc5dabb045d27ccf7b0"));

    private final byte[] bytes;

    private BuildId(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Returns the build with these bytes: those of a GNU build-id, or those that {@link #toBytes} returned for an alias key.
     *
     * @throws IllegalArgumentException if there are fewer than {@link #MIN_BYTES}, or more than {@link #MAX_BYTES} that are
     *     not an alias key
     */
    public static BuildId of(byte[] bytes) {
        if (bytes.length >= MIN_ALIAS_BYTES) {
            BuildId key = parseKey(new String(bytes, StandardCharsets.US_ASCII).stripTrailing());
            if (key.isGnu()) {
                throw unexpected(bytes);
            }
            return key;
        }
        if (bytes.length < MIN_BYTES) {
            throw unexpected(bytes);
        }
        return new BuildId(bytes.clone());
    }

    private static IllegalArgumentException unexpected(byte[] bytes) {
        return new IllegalArgumentException(
                "build-id of " + bytes.length + " bytes; expected " + MIN_BYTES + " to " + MAX_BYTES + " bytes");
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

    /**
     * Returns the build that a GNU build-id in hex or an alias key identifies.
     *
     * @throws IllegalArgumentException if the text is neither
     */
    public static BuildId parseKey(String key) {
        for (Alias alias : Alias.values()) {
            if (key.startsWith(alias.prefix)) {
                return alias(alias, key.substring(alias.prefix.length()));
            }
        }
        return parse(key);
    }

    /**
     * Returns an alias key.
     *
     * @throws IllegalArgumentException if it cannot have this value
     */
    public static BuildId alias(Alias alias, String value) {
        if (!alias.accepts(value)) {
            throw new IllegalArgumentException(
                    value.length() + " characters after " + alias.prefix + "; expected " + alias.expected());
        }
        String text = alias.prefix + (alias == Alias.GO ? value : value.toLowerCase(Locale.ROOT));
        return ofText(text);
    }

    /** Returns the alias key of a Go build-id, or empty if the build-id has characters that a path cannot have. */
    public static Optional<BuildId> ofGo(String goBuildId) {
        String value = goBuildId.replace('/', '~');
        return goBuildId.indexOf('~') >= 0 || !Alias.GO.accepts(value)
                ? Optional.empty()
                : Optional.of(alias(Alias.GO, value));
    }

    private static BuildId ofText(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        byte[] stored = Arrays.copyOf(bytes, Math.max(bytes.length, MIN_ALIAS_BYTES));
        Arrays.fill(stored, bytes.length, stored.length, (byte) ' ');
        return new BuildId(stored);
    }

    private static boolean isGoCharacter(int c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || "_-.=+~".indexOf(c) >= 0;
    }

    /** Returns whether this is a GNU build-id, not an alias key. */
    public boolean isGnu() {
        return bytes.length < MIN_ALIAS_BYTES;
    }

    /** Returns whether this is an alias key of this kind. */
    public boolean isA(Alias alias) {
        return !isGnu() && toString().startsWith(alias.prefix);
    }

    /** Returns whether different programs are known to have this key. */
    public boolean isShared() {
        return SHARED.contains(this);
    }

    /** Returns a copy of the bytes: those of the GNU build-id, or the text of the alias key, filled up with spaces. */
    public byte[] toBytes() {
        return bytes.clone();
    }

    /**
     * Returns where the debug file of this build is below a folder of installed debug files: {@code
     * .build-id/ab/cdef.debug}.
     */
    public String debugFilePath() {
        if (!isGnu()) {
            throw new IllegalStateException(this + " is an alias key; expected a GNU build-id");
        }
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

    /** Lower-case hex of a GNU build-id; the text of an alias key. */
    @Override
    public String toString() {
        return !isGnu()
                ? new String(bytes, StandardCharsets.US_ASCII).stripTrailing()
                : HexFormat.of().formatHex(bytes);
    }
}
