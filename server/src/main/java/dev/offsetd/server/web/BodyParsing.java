package dev.offsetd.server.web;

import jakarta.servlet.http.HttpServletRequest;
import java.util.function.Supplier;

/** Runs the parsing of large bodies elsewhere than on the thread of the request, which also answers other requests. */
@FunctionalInterface
public interface BodyParsing {

    /** Bytes of a body that takes about 2 ms. */
    int SMALL_BYTES = 128 << 10;

    <T> T run(Supplier<T> parsing);

    /** Lets this run the parsing of the body of a request. */
    default void install(HttpServletRequest request) {
        request.setAttribute(BodyParsing.class.getName(), this);
    }

    /** Parses a body of this size, on the calling thread if it is small or nothing is installed. */
    static <T> T of(HttpServletRequest request, int bytes, Supplier<T> parsing) {
        return bytes > SMALL_BYTES && request.getAttribute(BodyParsing.class.getName()) instanceof BodyParsing elsewhere
                ? elsewhere.run(parsing)
                : parsing.get();
    }
}
