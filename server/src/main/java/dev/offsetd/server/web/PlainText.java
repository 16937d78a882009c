package dev.offsetd.server.web;

import dev.offsetd.extractor.input.HostileText;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/**
 * Rule for all text in requests: no control characters except tabs and line ends, and no unpaired surrogates.
 * PostgreSQL rejects some of them; logs and terminals interpret others as commands.
 */
public final class PlainText {

    private PlainText() {}

    /**
     * Requires that a text is plain.
     *
     * @param location of the text, for the client
     * @throws ProblemException if it is not: 400, with the position of the character
     */
    public static void require(String text, Supplier<String> location) {
        int forbidden = HostileText.firstForbidden(text);
        if (forbidden >= 0) {
            throw refused(location.get(), text.codePointCount(0, forbidden), text.charAt(forbidden));
        }
    }

    /**
     * Requires that the value of a header is plain. It is decoded as UTF-8 if possible, else as ISO-8859-1.
     *
     * @param value each {@code char} is one byte
     * @throws ProblemException as {@link #require}
     */
    public static void requireHeader(String name, String value) {
        ByteBuffer bytes = ByteBuffer.wrap(value.getBytes(StandardCharsets.ISO_8859_1));
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException e) {
            text = value;
        }
        require(text, () -> "header " + name);
    }

    /**
     * Requires that the path of a request is plain.
     *
     * @param path percent-encoded
     * @throws ProblemException as {@link #require}, and if it cannot be decoded
     */
    public static void requirePath(String path) {
        if (path.indexOf('%') >= 0) {
            require(PercentEncoding.PATH.decode(path, 0, path.length(), false), () -> "the path");
        }
    }

    private static ProblemException refused(String location, int index, char c) {
        return ProblemException.badRequest(
                        "bad_text",
                        "A text has a character that is not allowed",
                        "%s, character %d: U+%04X; expected %s"
                                .formatted(
                                        location,
                                        index + 1,
                                        (int) c,
                                        Character.isSurrogate(c)
                                                ? "no half of a surrogate pair"
                                                : "no control character other than tabs and line ends"))
                .with("place", location)
                .with("position", index + 1);
    }
}
