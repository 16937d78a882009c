package dev.offsetd.server.sources.http;

import java.net.ProtocolException;

/**
 * Count of the bytes received since the last byte of a body: status lines, headers, chunk sizes, trailers, gzip headers. Parsers
 * of HTTP and gzip buffer such a part until its end, so a peer that never ends it would fill the heap. Thread-safe.
 */
public final class Framing {

    /** Limit of response headers, and of any other framing in one piece. */
    public static final int MAX_BYTES = 16 << 10;

    /** Bytes read at once, framing and body together: a segment of Okio. */
    private static final int READ_AHEAD_BYTES = 8 << 10;

    /** Allowance for a TLS record (RFC 8446 section 5.2), the overhead of smaller records, and the certificates of a handshake. */
    private static final int TLS_BYTES = 40 << 10;

    // Both guarded by this.
    private int limit = MAX_BYTES + READ_AHEAD_BYTES;

    private long bytes;

    /** Raises the limit for a connection whose encrypted bytes are counted. */
    synchronized void encrypted() {
        limit = MAX_BYTES + READ_AHEAD_BYTES + TLS_BYTES;
    }

    /**
     * Counts received bytes of any kind.
     *
     * @throws ProtocolException if there are too many since the last byte of a body. OkHttp does not retry a request after this
     *     exception
     */
    public synchronized void received(long count) throws ProtocolException {
        bytes += count;
        if (bytes > limit) {
            throw new ProtocolException("more than " + limit + " bytes without a byte of the body");
        }
    }

    /** Restarts the count, because bytes of a body were received or a new request starts. */
    public synchronized void reset() {
        bytes = 0;
    }
}
