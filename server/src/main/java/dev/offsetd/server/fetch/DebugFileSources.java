package dev.offsetd.server.fetch;

import java.util.List;

/** All places that debug files come from. */
public final class DebugFileSources {

    private final List<DebugFileSource> inOrder;

    DebugFileSources(List<? extends DebugFileSource> inOrder) {
        this.inOrder = List.copyOf(inOrder);
    }

    /** In the order in which to ask them: folders on this machine first, then upstreams as they are configured. */
    public List<DebugFileSource> inOrder() {
        return inOrder;
    }
}
