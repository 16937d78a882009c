package dev.offsetd.server.fetch;

import java.net.ProtocolException;

/**
 * Bytes that came since the last byte of a body: status lines, headers, chunk sizes, trailers, a gzip header. Readers of
 * HTTP and gzip look for the end of such a part in memory, and a peer that never ends it would fill the heap.
 *
 * <p>Safe for any number of threads.
 */
final class Framing {

    /** Most bytes of response headers, or of any other framing in one piece. */
    static final int MAX_BYTES = 16 << 10;

    /** What a reader takes at once, framing and body together: a segment of Okio. */
    private static final int READ_AHEAD_BYTES = 8 << 10;

    /** A TLS record (RFC 8446 section 5.2), the overhead of smaller ones, and the certificates of a handshake. */
    private static final int TLS_BYTES = 40 << 10;

    /** Guarded by {@code this}, as is what follows. */
    private int limit = MAX_BYTES + READ_AHEAD_BYTES;

    private long bytes;

    /** Allows for the overhead of TLS, where encrypted bytes are counted. */
    synchronized void encrypted() {
        limit = MAX_BYTES + READ_AHEAD_BYTES + TLS_BYTES;
    }

    /**
     * Counts bytes that came, whatever they are.
     *
     * @throws ProtocolException if there are too many since the last byte of a body. OkHttp does not repeat a request
     *     after this exception
     */
    synchronized void received(long count) throws ProtocolException {
        bytes += count;
        if (bytes > limit) {
            throw new ProtocolException("more than " + limit + " bytes without a byte of the body");
        }
    }

    /** Starts anew: a part of the body was among the bytes, or nothing has been asked yet. */
    synchronized void reset() {
        bytes = 0;
    }
}
