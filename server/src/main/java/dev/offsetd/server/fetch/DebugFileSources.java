package dev.offsetd.server.fetch;

import java.util.List;

/** All places that debug files come from. */
public final class DebugFileSources {

    private final List<DebugFileSource> inOrder;
    private final int maxConcurrentPerHost;

    DebugFileSources(List<? extends DebugFileSource> inOrder, int maxConcurrentPerHost) {
        this.inOrder = List.copyOf(inOrder);
        this.maxConcurrentPerHost = maxConcurrentPerHost;
    }

    /** In the order in which to ask them: folders on this machine first, then upstreams as they are configured. */
    public List<DebugFileSource> inOrder() {
        return inOrder;
    }

    /** Requests that may be under way to one host; further ones wait. */
    public int maxConcurrentPerHost() {
        return maxConcurrentPerHost;
    }
}
