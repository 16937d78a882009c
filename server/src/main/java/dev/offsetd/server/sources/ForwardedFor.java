package dev.offsetd.server.sources;

import com.google.re2j.Pattern;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * The chain of {@code X-Forwarded-For}, which debuginfods that query each other use to end loops. This server adds a random
 * identifier instead of the client's address (RFC 7239 section 6.3), so that it recognizes a request that comes back and tells
 * upstreams nothing about its clients.
 *
 * @param hops earlier senders, the first one first
 */
public record ForwardedFor(List<String> hops) {

    public static final String HEADER = "X-Forwarded-For";

    /** The chain of a request that starts here. */
    public static final ForwardedFor NONE = new ForwardedFor(List.of());

    /** The limit of elfutils' debuginfod. */
    public static final int MAX_HOPS = 8;

    /** An address with or without port, or an identifier. */
    private static final Pattern HOP = Pattern.compile("[A-Za-z0-9._:\\[\\]-]{1,64}");

    private static final String UNREADABLE = "unknown";

    private static final String SELF = "_offsetd-" + random();

    public ForwardedFor {
        hops = List.copyOf(hops);
    }

    private static String random() {
        byte[] bytes = new byte[8];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Parses the values of the headers. An entry of another form counts as a hop. */
    public static ForwardedFor of(List<String> headers) {
        List<String> hops = new ArrayList<>();
        headers.stream()
                .flatMap(header -> Arrays.stream(header.split(",", MAX_HOPS + 2)))
                .map(String::strip)
                .limit(MAX_HOPS + 1L)
                .forEach(hop -> hops.add(HOP.matcher(hop).matches() ? hop : UNREADABLE));
        return new ForwardedFor(hops);
    }

    /** Returns whether the request must not reach another server: it was here before, or has passed too many servers. */
    public boolean mustNotForward() {
        return hops.size() >= MAX_HOPS || hops.contains(SELF);
    }

    /** Returns the header of a request to an upstream. */
    String toUpstream() {
        List<String> chain = new ArrayList<>(hops);
        chain.add(SELF);
        return String.join(", ", chain);
    }
}
