package dev.offsetd.server.web;

import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/**
 * Opaque position of the next page of a list. It names the list and order that it was made for, and is refused by
 * others.
 */
public final class Cursor {

    private static final int MAX_CHARS = 512;

    private Cursor() {}

    /**
     * Encodes a position.
     *
     * @param list letter of the list and its order
     */
    public static String encode(char list, byte[] position) {
        byte[] bytes = new byte[1 + position.length];
        bytes[0] = (byte) list;
        System.arraycopy(position, 0, bytes, 1, position.length);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Decodes {@link #encode}; empty if the text is not a cursor of this list. */
    public static Optional<byte[]> decode(char list, String text) {
        if (text.length() > MAX_CHARS) {
            return Optional.empty();
        }
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
        return bytes.length > 0 && bytes[0] == list
                ? Optional.of(Arrays.copyOfRange(bytes, 1, bytes.length))
                : Optional.empty();
    }
}
