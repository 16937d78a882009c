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
 * Changes the path of a request before any other part of Tomcat reads it: takes out a {@linkplain PathToken token}, and removes the
 * dot segments that compilers leave in paths of source files (RFC 3986 section 5.2.4), which the firewall would refuse.
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
        if (uri.getType() == MessageBytes.T_BYTES && isFile(uri.getByteChunk())) {
            removeDotSegments(uri);
        }
    }

    private static boolean isFile(ByteChunk path) {
        int end = path.getStart() + FILES_BYTES.length;
        return end <= path.getEnd()
                && Arrays.equals(path.getBuffer(), path.getStart(), end, FILES_BYTES, 0, FILES_BYTES.length);
    }

    private static void removeDotSegments(MessageBytes uri) {
        ByteChunk bytes = uri.getByteChunk();
        String path = new String(bytes.getBuffer(), bytes.getStart(), bytes.getLength(), StandardCharsets.ISO_8859_1);
        int source = path.indexOf(SOURCE, FILES.length());
        if (source < 0 || (!path.contains("/.") && path.indexOf("//", source) < 0)) {
            return;
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
        byte[] changed = (start + "/" + String.join("/", segments)).getBytes(StandardCharsets.ISO_8859_1);
        uri.setBytes(changed, 0, changed.length);
    }
}
