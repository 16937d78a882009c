package dev.offsetd.server.web;

import jakarta.servlet.http.HttpServletRequest;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Names requests: by the caller's {@code X-Request-ID} if it is fit for logs and headers, else by one made up here. */
public final class RequestIds {

    /** Names the id in the logging context. */
    public static final String MDC_KEY = "requestId";

    static final String HEADER = "X-Request-ID";
    private static final String ATTRIBUTE = RequestIds.class.getName();
    private static final Pattern USABLE = Pattern.compile("[A-Za-z0-9._:+/=@-]{1,128}");

    private RequestIds() {}

    /** The id for a request with this header; null is a request without. */
    static String choose(@Nullable String header) {
        return header != null && USABLE.matcher(header).matches()
                ? header
                : UUID.randomUUID().toString();
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
