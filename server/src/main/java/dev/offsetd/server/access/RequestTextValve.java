package dev.offsetd.server.access;

import dev.offsetd.server.web.PlainText;
import dev.offsetd.server.web.ProblemBody;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.QueryString;
import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.apache.tomcat.util.buf.ByteChunk;
import org.apache.tomcat.util.buf.MessageBytes;
import org.apache.tomcat.util.http.MimeHeaders;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/**
 * Refuses requests whose path, query string or headers are not {@linkplain PlainText plain}, before anything else reads them, and
 * writes the {@link SecurityHeaders} of the others.
 * Parameters of pages are left to {@link PageLimitFilter}, which answers with a page.
 */
final class RequestTextValve extends ValveBase {

    /** Longest {@code Accept} that is considered, of all its headers together. Browsers send about 200 bytes. */
    static final int MAX_ACCEPT_BYTES = 1024;

    /** Most entries of {@code Accept}. Spring compares each with every format, and sorts them several times. */
    static final int MAX_ACCEPT_ENTRIES = 32;

    RequestTextValve() {
        super(true);
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        if (!Routes.isPage(request.getRequestURI())) {
            SecurityHeaders.write(request, response);
        }
        try {
            requirePlain(request);
        } catch (ProblemException e) {
            SecurityHeaders.write(request, response);
            ProblemBody.write(e.problem(), request, response);
            return;
        }
        getNext().invoke(request, response);
        if (request.getAttribute(BodyFilter.ABANDONED) != null) {
            // Otherwise Tomcat reads the rest, however slowly it arrives.
            request.getCoyoteRequest().action(ActionCode.DISABLE_SWALLOW_INPUT, null);
        }
    }

    private static void requirePlain(Request request) {
        MimeHeaders headers = request.getCoyoteRequest().getMimeHeaders();
        int acceptBytes = 0;
        int acceptEntries = 0;
        for (int i = 0; i < headers.size(); i++) {
            MessageBytes value = headers.getValue(i);
            if (!isPlain(value)) {
                PlainText.requireHeader(headers.getName(i).toString(), value.toString());
            }
            if (headers.getName(i).equalsIgnoreCase(HttpHeaders.ACCEPT)) {
                String accept = value.toString();
                acceptBytes += accept.length();
                acceptEntries += 1 + (int) accept.chars().filter(c -> c == ',').count();
            }
        }
        // A server may ignore the header (RFC 9110 section 12.5.1).
        if (acceptBytes > MAX_ACCEPT_BYTES || acceptEntries > MAX_ACCEPT_ENTRIES || acceptBytes == 0) {
            headers.removeHeader(HttpHeaders.ACCEPT);
        }
        String path = request.getRequestURI();
        PlainText.requirePath(path);
        if (!Routes.isPage(path)) {
            QueryString.requirePlain(request.getQueryString());
        }
        if (HttpMethod.PUT.matches(request.getMethod()) && request.getHeader(HttpHeaders.CONTENT_RANGE) != null) {
            throw ProblemException.badRequest(
                    "partial_put",
                    "Partial PUT is not supported",
                    "PUT has a Content-Range header; expected the whole content without it (RFC 9110 section"
                            + " 14.5)");
        }
    }

    /** Returns whether the value is ASCII without control characters: a fast path for nearly every header. */
    private static boolean isPlain(MessageBytes value) {
        if (value.getType() != MessageBytes.T_BYTES) {
            return false;
        }
        ByteChunk bytes = value.getByteChunk();
        byte[] buffer = bytes.getBuffer();
        for (int i = bytes.getStart(); i < bytes.getEnd(); i++) {
            if (buffer[i] < ' ' || buffer[i] == 0x7f) {
                return false;
            }
        }
        return true;
    }
}
