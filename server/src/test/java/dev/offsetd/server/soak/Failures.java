package dev.offsetd.server.soak;

import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicInteger;

/** Violations that the soak test found. Each is printed at once, up to a limit. */
final class Failures {

    private static final int PRINTED = 100;

    private final PrintStream out;
    private final AtomicInteger count = new AtomicInteger();

    Failures(PrintStream out) {
        this.out = out;
    }

    void add(String what) {
        if (count.incrementAndGet() <= PRINTED) {
            out.println("FAILURE: " + what);
        }
    }

    int count() {
        return count.get();
    }
}
