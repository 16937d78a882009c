package dev.offsetd.server.web;

import dev.offsetd.extractor.input.HostileText;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.springframework.http.HttpStatus;

/**
 * The rule that every text of a request is held to, wherever in the request it stands: no control characters other than tabs and
 * line ends, and no halves of surrogate pairs. PostgreSQL refuses some of them, and logs and terminals take others for commands.
 */
public final class PlainText {

    private PlainText() {}

    /**
     * Requires that a text is plain.
     *
     * @param place of the text, for the caller
     * @throws ProblemException if it is not: 400, with the character's position
     */
    public static void require(String text, Supplier<String> place) {
        int forbidden = HostileText.firstForbidden(text);
        if (forbidden >= 0) {
            throw refused(place.get(), text.codePointCount(0, forbidden), text.charAt(forbidden));
        }
    }

    /**
     * Requires that the value of a header is plain. It is taken for UTF-8 where it can be, else for ISO-8859-1.
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
     * @param path as it came, percent-encoded
     * @throws ProblemException as {@link #require}, and if it cannot be decoded
     */
    public static void requirePath(String path) {
        if (path.indexOf('%') >= 0) {
            require(PercentEncoding.PATH.decode(path, 0, path.length(), false), () -> "the path");
        }
    }

    private static ProblemException refused(String place, int index, char c) {
        return new ProblemException(Problem.of(
                        HttpStatus.BAD_REQUEST,
                        "bad_text",
                        "A text has a character that is not allowed",
                        "%s, character %d: U+%04X; expected %s"
                                .formatted(
                                        place,
                                        index + 1,
                                        (int) c,
                                        Character.isSurrogate(c)
                                                ? "no half of a surrogate pair"
                                                : "no control character other than tabs and line ends"))
                .with("place", place)
                .with("position", index + 1));
    }
}
