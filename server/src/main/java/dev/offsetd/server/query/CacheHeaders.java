package dev.offsetd.server.query;

/** What answers about builds say to caches (RFC 9111). */
public final class CacheHeaders {

    /** {@code Vary}: request headers that answers depend on. */
    public static final String VARY = "Accept, Accept-Encoding";

    /** {@code Cache-Control} of an answer that has everything that was asked for. */
    public static final String LASTING = "public, max-age=60, stale-while-revalidate=300";

    /** {@code Cache-Control} of an answer that something is missing from, or that may be out of date. */
    public static final String SHORT_LIVED = "public, max-age=10";

    private CacheHeaders() {}
}
