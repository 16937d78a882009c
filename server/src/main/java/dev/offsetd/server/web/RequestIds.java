package dev.offsetd.server.web;

import jakarta.servlet.http.HttpServletRequest;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Names requests: by the caller's {@code X-Request-ID} if it is fit for logs and headers, else by one made up here. */
public final class RequestIds {

    /** Names the id in the logging context. */
    public static final String MDC_KEY = "requestId";

    /** The header that carries the id, in both directions. */
    public static final String HEADER = "X-Request-ID";

    private static final String ATTRIBUTE = RequestIds.class.getName();
    private static final Pattern USABLE = Pattern.compile("[A-Za-z0-9._:+/=@-]{1,128}");

    /** Ids are told apart from those of other servers, and of this one before its last start, by these bits. */
    private static final long SERVER = new SecureRandom().nextLong();

    private static final AtomicLong NEXT = new AtomicLong(new SecureRandom().nextLong());

    private RequestIds() {}

    /** The id for a request with this header; null is a request without. */
    static String choose(@Nullable String header) {
        return header != null && USABLE.matcher(header).matches() ? header : next();
    }

    /**
     * A new id, in the form of a UUID. It has to be another each time, but no secret: random bits for each request would
     * cost more than the look into the memory that most requests are.
     */
    private static String next() {
        return new UUID(SERVER, scrambled(NEXT.getAndIncrement())).toString();
    }

    /** Makes numbers that follow each other look different. Each step can be undone, so no two become one. */
    private static long scrambled(long number) {
        long mixed = (number ^ (number >>> 32)) * 0x9e3779b97f4a7c15L;
        return (mixed ^ (mixed >>> 29)) * 0xbf58476d1ce4e5b9L;
    }

    /** The request's id, chosen at the first call. */
    public static String of(HttpServletRequest request) {
        if (request.getAttribute(ATTRIBUTE) instanceof String known) {
            return known;
        }
        String id = choose(request.getHeader(HEADER));
        request.setAttribute(ATTRIBUTE, id);
        return id;
    }
}
