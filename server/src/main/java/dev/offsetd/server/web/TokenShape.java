package dev.offsetd.server.web;

/**
 * Shape of an access token in text: {@value #PREFIX} and characters of base64url. Any text may contain one, because clients put
 * tokens into wrong places of URLs; {@link #redact} takes them out before it is logged, traced or sent. A token that was cut
 * off counts, and so does one with percent escapes, also of escapes.
 */
public final class TokenShape {

    public static final String PREFIX = "offsetd_";

    /** Stands for a token. */
    public static final String HIDDEN = "hidden";

    /** Fewest characters after the prefix: fewer reveal less than half of a token. */
    private static final int MIN_CHARACTERS = 16;

    /** Most escapes of escapes of a character. */
    private static final int MAX_ESCAPES = 8;

    private TokenShape() {}

    /** Returns whether a character is of the alphabet of base64url. */
    public static boolean isCharacter(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    }

    /** Returns the text with {@value #HIDDEN} in place of each token; the same instance if it has none. */
    public static String redact(String text) {
        StringBuilder redacted = null;
        int copied = 0;
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            int end = c == PREFIX.charAt(0) || c == '%' ? tokenEnd(text, at) : -1;
            if (end >= 0) {
                redacted = redacted == null ? new StringBuilder(text.length()) : redacted;
                redacted.append(text, copied, at).append(HIDDEN);
                copied = end;
                at = end - 1;
            }
        }
        return redacted == null
                ? text
                : redacted.append(text, copied, text.length()).toString();
    }

    /** Returns the end of the token that begins here; -1 if none does. */
    private static int tokenEnd(String text, int start) {
        int at = start;
        for (int i = 0; i < PREFIX.length(); i++) {
            if (characterAt(text, at) != PREFIX.charAt(i)) {
                return -1;
            }
            at = endOfCharacter(text, at);
        }
        int characters = 0;
        while (isCharacter(characterAt(text, at))) {
            at = endOfCharacter(text, at);
            characters++;
        }
        return characters >= MIN_CHARACTERS ? at : -1;
    }

    /** Returns the character that begins here, unescaped; -1 at the end of the text. */
    private static int characterAt(String text, int at) {
        if (at >= text.length()) {
            return -1;
        }
        int digits = digits(text, at);
        return digits < 0 ? text.charAt(at) : hex(text, digits);
    }

    private static int endOfCharacter(String text, int at) {
        int digits = digits(text, at);
        return digits < 0 ? at + 1 : digits + 2;
    }

    /** Returns where the two digits of the escape that begins here are; -1 if there is none. */
    private static int digits(String text, int at) {
        if (text.charAt(at) != '%') {
            return -1;
        }
        int digits = at + 1;
        // %2541 is an escaped %41, which is A.
        for (int i = 0; i < MAX_ESCAPES && text.startsWith("25", digits) && hex(text, digits + 2) >= 0; i++) {
            digits += 2;
        }
        return hex(text, digits) < 0 ? -1 : digits;
    }

    /** Returns the number that two digits are; -1 if they are none. */
    private static int hex(String text, int at) {
        if (at + 2 > text.length()) {
            return -1;
        }
        int high = Character.digit(text.charAt(at), 16);
        int low = Character.digit(text.charAt(at + 1), 16);
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }
}
