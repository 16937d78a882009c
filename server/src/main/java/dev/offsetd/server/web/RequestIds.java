package dev.offsetd.server.web;

import com.google.re2j.Pattern;
import jakarta.servlet.http.HttpServletRequest;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Request ids: the client's {@code X-Request-ID} if it is safe for logs and headers, else a generated one. */
public final class RequestIds {

    /** Key in the logging context. */
    public static final String MDC_KEY = "requestId";

    /** Header of the id, in requests and responses. */
    public static final String HEADER = "X-Request-ID";

    private static final String ATTRIBUTE = RequestIds.class.getName();
    private static final Pattern USABLE = Pattern.compile("[A-Za-z0-9._:+/=@-]{1,128}");

    /** Distinguishes ids of different servers and starts. */
    private static final long SERVER = new SecureRandom().nextLong();

    private static final AtomicLong NEXT = new AtomicLong(new SecureRandom().nextLong());

    private RequestIds() {}

    /** Returns the id for a request with this header; null if absent. */
    static String choose(@Nullable String header) {
        return header != null
                        && USABLE.matcher(header).matches()
                        && TokenShape.redact(header).equals(header)
                ? header
                : next();
    }

    /**
     * Generates an id in the format of a UUID. It must be unique but not secret: random bits would cost more than the
     * cache lookup that most requests are.
     */
    private static String next() {
        return new UUID(SERVER, scrambled(NEXT.getAndIncrement())).toString();
    }

    /** Makes consecutive numbers look different. Each step is invertible, so ids stay unique. */
    private static long scrambled(long number) {
        long mixed = (number ^ (number >>> 32)) * 0x9e3779b97f4a7c15L;
        return (mixed ^ (mixed >>> 29)) * 0xbf58476d1ce4e5b9L;
    }

    /** Returns the id of a request, chosen at the first call. */
    public static String of(HttpServletRequest request) {
        if (request.getAttribute(ATTRIBUTE) instanceof String known) {
            return known;
        }
        String id = choose(request.getHeader(HEADER));
        request.setAttribute(ATTRIBUTE, id);
        return id;
    }
}
