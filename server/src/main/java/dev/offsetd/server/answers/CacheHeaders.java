package dev.offsetd.server.answers;

/** Cache headers of answers about builds (RFC 9111). */
public final class CacheHeaders {

    /** {@code Vary}: the request headers that answers depend on. */
    public static final String VARY = "Accept, Accept-Encoding";

    /** {@code Cache-Control} of a complete answer. */
    public static final String LASTING = "public, max-age=60, stale-while-revalidate=300";

    /** {@code Cache-Control} of an answer that is incomplete or may be out of date. */
    public static final String SHORT_LIVED = "public, max-age=10";

    private CacheHeaders() {}
}
