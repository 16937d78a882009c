package dev.offsetd.server.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * PostgreSQL that outlived the server that started it: {@code pg_ctl} starts it as a daemon, so it survives a killed
 * server and blocks its data.
 */
final class OrphanedPostmaster {

    private static final Duration FAST_SHUTDOWN = Duration.ofSeconds(20);
    private static final Duration IMMEDIATE_SHUTDOWN = Duration.ofSeconds(10);

    private OrphanedPostmaster() {}

    /**
     * Stops the PostgreSQL that runs on this data, if any, and removes a {@code postmaster.pid} whose process id
     * belongs to another program now. The caller holds the lock on the data.
     *
     * @throws UncheckedIOException if it cannot be stopped
     */
    static void stop(Path data) {
        try {
            Optional<ProcessHandle> process = PostmasterFile.pid(data).flatMap(ProcessHandle::of);
            if (process.isEmpty()) {
                // PostgreSQL handles the file of a dead postmaster itself, and checks for surviving children first.
                return;
            }
            if (!runsOn(process.get(), data)) {
                Files.deleteIfExists(PostmasterFile.file(data));
                return;
            }
            if (!signal(process.get(), "INT", FAST_SHUTDOWN) && !signal(process.get(), "QUIT", IMMEDIATE_SHUTDOWN)) {
                throw new IOException("PostgreSQL with pid " + process.get().pid() + " runs on " + data
                        + " and does not stop; end it by hand");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException("interrupted while stopping PostgreSQL on " + data, e));
        }
    }

    private static boolean runsOn(ProcessHandle process, Path data) {
        String[] arguments = process.info().arguments().orElse(new String[0]);
        for (int i = 0; i + 1 < arguments.length; i++) {
            if (arguments[i].equals("-D") && Path.of(arguments[i + 1]).equals(data)) {
                return true;
            }
        }
        return false;
    }

    /** Sends a signal; returns whether the process ended in time. */
    private static boolean signal(ProcessHandle process, String signal, Duration wait)
            throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        try {
            process.onExit().get(wait.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IOException("cannot wait for process " + process.pid(), e);
        }
    }
}
