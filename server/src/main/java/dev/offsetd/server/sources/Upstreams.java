package dev.offsetd.server.sources;

import java.util.List;

/** All configured upstreams, enabled or not. */
public final class Upstreams {

    private final List<UpstreamGate> gates;

    Upstreams(List<UpstreamGate> gates) {
        this.gates = List.copyOf(gates);
    }

    /** Returns the health of all upstreams in query order. */
    public List<UpstreamHealth> health() {
        return gates.stream().map(UpstreamGate::health).toList();
    }
}
