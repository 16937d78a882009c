package dev.offsetd.server.web;

import dev.offsetd.extractor.input.HostileText;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Percent-encoded UTF-8 (RFC 3986 section 2.1) in one part of a URL. */
enum PercentEncoding {
    PATH("path", "bad_path"),
    QUERY("query string", "bad_query");

    private final String part;
    private final String code;

    PercentEncoding(String part, String code) {
        this.part = part;
        this.code = code;
    }

    /**
     * Decodes a range.
     *
     * @param url the whole part, undecoded: each {@code char} is one byte
     * @throws ProblemException if an escape is malformed, or the decoded bytes are not UTF-8: 400
     */
    String decode(String url, int from, int to, boolean plusIsSpace) {
        if (isPlain(url, from, to)) {
            return url.substring(from, to);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(to - from);
        for (int i = from; i < to; i++) {
            char c = url.charAt(i);
            if (c == '%') {
                int high = i + 1 < to ? Character.digit(url.charAt(i + 1), 16) : -1;
                int low = i + 2 < to ? Character.digit(url.charAt(i + 2), 16) : -1;
                if (high < 0 || low < 0) {
                    throw malformed(", character " + (i + 1) + ": "
                            + HostileText.quote(url.substring(i, Math.min(i + 3, to)))
                            + " is not an escape; expected % and two hex digits");
                }
                bytes.write(high << 4 | low);
                i += 2;
            } else {
                bytes.write(plusIsSpace && c == '+' ? ' ' : c);
            }
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw malformed(", characters " + (from + 1) + " to " + to
                    + ": the bytes are not UTF-8; expected percent-encoded UTF-8");
        }
    }

    private ProblemException malformed(String detail) {
        return ProblemException.badRequest(code, "The " + part + " cannot be read", part + detail);
    }

    /** Returns whether the range needs no decoding. Most do not, and this runs for every request. */
    static boolean isPlain(String url, int from, int to) {
        for (int i = from; i < to; i++) {
            char c = url.charAt(i);
            if (c == '%' || c == '+' || c < ' ' || c >= 0x7f) {
                return false;
            }
        }
        return true;
    }
}
