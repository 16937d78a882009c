package dev.offsetd.server.answers;

import java.util.ArrayList;
import java.util.List;

/** Bodies that take the share of the heap for those that are sent or wait, until this is closed. */
public final class HeldBodies implements AutoCloseable {

    private static final int LARGE = SpooledBody.MOST_IN_MEMORY;

    private final List<SpooledBody> held = new ArrayList<>();
    private long bytes;

    public HeldBodies() {
        while (SpooledBody.heldBytes() + LARGE <= SpooledBody.MOST_HELD) {
            hold(LARGE);
        }
        hold((int) (SpooledBody.MOST_HELD - SpooledBody.heldBytes()));
    }

    static SpooledBody body(int size) {
        return SpooledBody.of(out -> out.write(new byte[size]));
    }

    private void hold(int size) {
        SpooledBody body = body(size);
        body.hold();
        held.add(body);
        bytes += size;
    }

    long bytes() {
        return bytes;
    }

    @Override
    public void close() {
        held.forEach(SpooledBody::release);
    }
}
