package dev.offsetd.server.access;

import dev.offsetd.server.web.TokenShape;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.coyote.Request;
import org.apache.tomcat.util.buf.ByteChunk;
import org.apache.tomcat.util.buf.MessageBytes;

/**
 * A token in front of the path, {@code /t/TOKEN/v1/…}, for tools that cannot send a header. It permits reading only, whatever its
 * scopes. It is taken out of the path before anything reads that; a path that is not served behind a token shows
 * {@value TokenShape#HIDDEN} in its place, whatever the text is. {@link TokenShape} takes tokens out of other places.
 */
public final class PathToken {

    /** Start of a path with a token. */
    public static final String START = "/t/";

    /** Request attribute with the start of the path and the token. */
    private static final String ATTRIBUTE = PathToken.class.getName();

    private static final byte[] START_BYTES = START.getBytes(StandardCharsets.US_ASCII);

    private static final List<String> SERVED = List.of("/buildid/", "/v1/", "/volatility/", "/symbolicate/");

    private PathToken() {}

    /**
     * Returns what stands before the path in the URLs of this client: {@code /t/TOKEN} if its request had a token there, else
     * nothing. Never log it.
     */
    public static String before(HttpServletRequest request) {
        return request.getAttribute(ATTRIBUTE) instanceof String prefix ? prefix : "";
    }

    /** Moves the token of a request to its {@code Authorization} header. */
    static void takeFrom(Request request) {
        MessageBytes uri = request.requestURI();
        if (uri.getType() != MessageBytes.T_BYTES) {
            return;
        }
        ByteChunk bytes = uri.getByteChunk();
        int start = RequestPathAdapter.startOf(bytes, START_BYTES);
        if (start < 0) {
            return;
        }
        String text = new String(bytes.getBuffer(), start, bytes.getEnd() - start, StandardCharsets.ISO_8859_1);
        int end = text.indexOf('/', START.length());
        String token = text.substring(START.length(), end < 0 ? text.length() : end);
        // Clients whose base URL ends with a slash send two.
        while (end >= 0 && text.startsWith("//", end)) {
            end++;
        }
        String path = end < 0 ? "" : text.substring(end);
        if (SERVED.stream().anyMatch(path::startsWith)) {
            request.getMimeHeaders().addValue("Authorization").setString("Bearer " + token);
            request.setAttribute(ATTRIBUTE, START + token);
        } else {
            path = START + TokenShape.HIDDEN + path;
        }
        byte[] rest = path.getBytes(StandardCharsets.ISO_8859_1);
        uri.setBytes(rest, 0, rest.length);
    }
}
