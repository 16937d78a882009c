package dev.offsetd.server.fetch;

import java.util.List;

/** All upstreams that are configured, whether they are asked or not. */
public final class Upstreams {

    private final List<UpstreamGate> gates;

    Upstreams(List<UpstreamGate> gates) {
        this.gates = List.copyOf(gates);
    }

    /** Those that are asked, in the order in which to ask them. */
    List<UpstreamGate> enabled() {
        return gates.stream().filter(gate -> gate.policy().enabled()).toList();
    }

    /** How they have been doing, in the order in which they are asked. */
    public List<UpstreamHealth> health() {
        return gates.stream().map(UpstreamGate::health).toList();
    }
}
