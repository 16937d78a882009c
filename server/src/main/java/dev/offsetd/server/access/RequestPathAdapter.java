package dev.offsetd.server.access;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.connector.CoyoteAdapter;
import org.apache.coyote.Request;
import org.apache.coyote.Response;
import org.apache.tomcat.util.buf.ByteChunk;
import org.apache.tomcat.util.buf.MessageBytes;

/**
 * Changes the path of a request before any other part of Tomcat reads it: takes out a {@linkplain PathToken token}, and below {@code
 * /buildid/} normalizes what the firewall would refuse. Clients of debuginfod whose base URL ends with a slash send two, some encode
 * the dot of a section's name, and compilers leave dot segments in paths of source files (RFC 3986 sections 5.2.4 and 6.2.2.2).
 */
final class RequestPathAdapter extends CoyoteAdapter {

    private static final String FILES = "/buildid/";
    private static final byte[] FILES_BYTES = FILES.getBytes(StandardCharsets.US_ASCII);
    private static final String SOURCE = "/source/";

    private RequestPathAdapter(Connector connector) {
        super(connector);
    }

    /** Installs the adapter when the connector is initialized, which replaces Tomcat's own. */
    static void install(Connector connector) {
        connector.addLifecycleListener(event -> {
            if (event.getType().equals(Lifecycle.AFTER_INIT_EVENT)) {
                connector.getProtocolHandler().setAdapter(new RequestPathAdapter(connector));
            }
        });
    }

    @Override
    public void service(Request request, Response response) throws Exception {
        change(request);
        super.service(request, response);
    }

    /** Logs a request that Tomcat has rejected, which was never served. */
    @Override
    public void log(Request request, Response response, long time) {
        change(request);
        super.log(request, response, time);
    }

    private static void change(Request request) {
        PathToken.takeFrom(request);
        MessageBytes uri = request.requestURI();
        if (uri.getType() == MessageBytes.T_BYTES && startOf(uri.getByteChunk(), FILES_BYTES) >= 0) {
            normalize(uri);
        }
    }

    /**
     * Returns where a prefix of paths is in the buffer, after superfluous slashes; -1 if the path has another start. Hot: for every
     * request.
     */
    static int startOf(ByteChunk path, byte[] prefix) {
        byte[] bytes = path.getBuffer();
        int start = path.getStart();
        while (start + 1 < path.getEnd() && bytes[start] == '/' && bytes[start + 1] == '/') {
            start++;
        }
        int end = start + prefix.length;
        return end <= path.getEnd() && Arrays.equals(bytes, start, end, prefix, 0, prefix.length) ? start : -1;
    }

    private static void normalize(MessageBytes uri) {
        ByteChunk bytes = uri.getByteChunk();
        String sent = new String(bytes.getBuffer(), bytes.getStart(), bytes.getLength(), StandardCharsets.ISO_8859_1);
        String path = withoutDotSegments(
                sent.substring(sent.indexOf(FILES)).replace("%2E", ".").replace("%2e", "."));
        if (!path.equals(sent)) {
            byte[] changed = path.getBytes(StandardCharsets.ISO_8859_1);
            uri.setBytes(changed, 0, changed.length);
        }
    }

    private static String withoutDotSegments(String path) {
        int source = path.indexOf(SOURCE, FILES.length());
        if (source < 0 || (!path.contains("/.") && path.indexOf("//", source) < 0)) {
            return path;
        }
        String start = path.substring(0, source + SOURCE.length() - 1);
        Deque<String> segments = new ArrayDeque<>();
        for (String segment : path.substring(start.length()).split("/", -1)) {
            if (segment.equals("..")) {
                segments.pollLast();
            } else if (!segment.isEmpty() && !segment.equals(".")) {
                segments.addLast(segment);
            }
        }
        return start + "/" + String.join("/", segments);
    }
}
