package dev.offsetd.server.web;

import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/**
 * Where the next page of a list begins, as text that says nothing to callers. It names the list that it was made for, so
 * that one of another list, or of another order, is refused.
 */
public final class Cursor {

    private static final int MAX_CHARS = 512;

    private Cursor() {}

    /**
     * The text for a place.
     *
     * @param list a letter for the list and its order
     */
    public static String encode(char list, byte[] place) {
        byte[] bytes = new byte[1 + place.length];
        bytes[0] = (byte) list;
        System.arraycopy(place, 0, bytes, 1, place.length);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** The place that {@link #encode} was given; empty if the text is no cursor of this list. */
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
