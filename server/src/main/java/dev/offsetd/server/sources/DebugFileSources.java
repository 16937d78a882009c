package dev.offsetd.server.sources;

import java.util.List;

/** All enabled sources of debug files. */
public final class DebugFileSources {

    /** Name of the disk cache, which answers in place of the upstreams while the server is offline. */
    public static final String DISK_CACHE = "disk cache";

    private final List<DebugFileSource> inOrder;
    private final List<UpstreamGate> remote;
    private final int maxConcurrentPerHost;

    /** @param remote remote sources in query order, enabled or not */
    DebugFileSources(List<? extends DebugFileSource> inOrder, List<UpstreamGate> remote, int maxConcurrentPerHost) {
        this.inOrder = List.copyOf(inOrder);
        this.remote = List.copyOf(remote);
        this.maxConcurrentPerHost = maxConcurrentPerHost;
    }

    /** Returns the sources in query order: local folders first, then S3 folders and upstreams in the configured order. */
    public List<DebugFileSource> inOrder() {
        return inOrder;
    }

    /** Returns the health of all remote sources in query order, enabled or not. */
    public List<UpstreamHealth> health() {
        return remote.stream().map(UpstreamGate::health).toList();
    }

    /** Returns the limit of concurrent requests to one host; further requests wait. */
    public int maxConcurrentPerHost() {
        return maxConcurrentPerHost;
    }
}
