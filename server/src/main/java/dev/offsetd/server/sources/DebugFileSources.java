package dev.offsetd.server.sources;

import java.util.List;

/** All enabled sources of debug files. */
public final class DebugFileSources {

    private final List<DebugFileSource> inOrder;
    private final Upstreams upstreams;
    private final int maxConcurrentPerHost;

    DebugFileSources(List<? extends DebugFileSource> inOrder, Upstreams upstreams, int maxConcurrentPerHost) {
        this.inOrder = List.copyOf(inOrder);
        this.upstreams = upstreams;
        this.maxConcurrentPerHost = maxConcurrentPerHost;
    }

    /** Returns the sources in query order: local folders first, then upstreams in the configured order. */
    public List<DebugFileSource> inOrder() {
        return inOrder;
    }

    /** Returns the upstreams, enabled or not. */
    Upstreams upstreams() {
        return upstreams;
    }

    /** Returns the limit of concurrent requests to one host; further requests wait. */
    public int maxConcurrentPerHost() {
        return maxConcurrentPerHost;
    }
}
