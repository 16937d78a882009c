package dev.offsetd.server.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restarts the embedded PostgreSQL when it ends: after 1 s, then 2, 4, 8 and 16 s. It gives up at the sixth end within
 * ten minutes.
 */
final class PostmasterSupervisor implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(PostmasterSupervisor.class);

    private static final int MAX_RESTARTS = 5;
    private static final Duration WINDOW = Duration.ofMinutes(10);

    private final Postmaster postmaster;
    private final Runnable giveUp;
    private final Thread thread;

    /** @param giveUp called when PostgreSQL ends repeatedly */
    PostmasterSupervisor(Postmaster postmaster, ProcessHandle process, Runnable giveUp) {
        this.postmaster = postmaster;
        this.giveUp = giveUp;
        thread = Thread.ofPlatform().daemon().name("postgres-supervisor").unstarted(() -> run(process));
        thread.start();
    }

    private void run(ProcessHandle first) {
        ProcessHandle process = first;
        Deque<Long> restarts = new ArrayDeque<>();
        try {
            while (true) {
                process.onExit().get();
                log.error("PostgreSQL (process {}) ended; restarting", process.pid());
                process = restart(process, restarts);
                log.warn("PostgreSQL restarted (process {})", process.pid());
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | GivenUpException e) {
            log.error("PostgreSQL ends repeatedly: {}", e.toString());
            giveUp.run();
        }
    }

    private ProcessHandle restart(ProcessHandle ended, Deque<Long> restarts)
            throws InterruptedException, GivenUpException {
        String failure = "process " + ended.pid() + " ended";
        while (true) {
            long now = System.nanoTime();
            restarts.removeIf(at -> now - at > WINDOW.toNanos());
            if (restarts.size() == MAX_RESTARTS) {
                throw new GivenUpException(MAX_RESTARTS + " restarts within " + WINDOW + "; " + failure);
            }
            Thread.sleep(Duration.ofSeconds(1L << restarts.size()));
            restarts.add(System.nanoTime());
            try {
                return postmaster.start();
            } catch (IOException | UncheckedIOException e) {
                failure = String.valueOf(e.getMessage());
                log.error("PostgreSQL did not start: {}", failure);
            }
        }
    }

    /** Ends the supervision, but not PostgreSQL. Returns when no restart is running. */
    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class GivenUpException extends Exception {

        GivenUpException(String message) {
            super(message);
        }
    }
}
