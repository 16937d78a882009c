package dev.offsetd.packages.repositories;

import dev.offsetd.extractor.input.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** SHA-256, the only hash that downloads are verified by. */
final class Hash {

    /** Precedes a hash in hex in keys and digests. */
    static final String PREFIX = "sha256:";

    private static final int HEX_DIGITS = 64;

    private Hash() {}

    /** Returns the hash of a text in hex. */
    static String of(String text) {
        return Sha256.hex(text.getBytes(StandardCharsets.UTF_8));
    }

    static String hex(byte[] hash) {
        return HexFormat.of().formatHex(hash);
    }

    /** Returns whether a text is the prefix and a hash. */
    static boolean isKey(String text) {
        return text.startsWith(PREFIX) && isHex(text.substring(PREFIX.length()));
    }

    /** Returns whether a text is a hash in lower-case hex. */
    static boolean isHex(String text) {
        return text.length() == HEX_DIGITS
                && text.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
    }
}
