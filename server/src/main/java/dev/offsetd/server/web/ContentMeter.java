package dev.offsetd.server.web;

import jakarta.servlet.http.HttpServletRequest;

/** Counts the contents of a request against its caller's rate limit before they are worked on. */
@FunctionalInterface
public interface ContentMeter {

    /** Adds contents of the request. */
    void add(long items, long characters);

    /** Lets this meter count the contents of a request. */
    default void install(HttpServletRequest request) {
        request.setAttribute(ContentMeter.class.getName(), this);
    }

    /** Adds contents of a request; no-op if the request is not counted. */
    static void add(HttpServletRequest request, long items, long characters) {
        if (request.getAttribute(ContentMeter.class.getName()) instanceof ContentMeter meter) {
            meter.add(items, characters);
        }
    }
}
