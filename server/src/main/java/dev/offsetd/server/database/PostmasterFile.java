package dev.offsetd.server.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * {@code postmaster.pid} of a running PostgreSQL: one line each for process id, data folder, start, port, socket
 * folder, address, shared memory and status (PostgreSQL's {@code miscinit.h}).
 */
final class PostmasterFile {

    private static final int PORT_LINE = 3;
    private static final int STATE_LINE = 7;

    private PostmasterFile() {}

    /** Returns the port; empty if PostgreSQL does not run on this data or does not accept connections yet. */
    static OptionalInt port(Path data) throws IOException {
        List<String> lines = lines(data);
        boolean ready =
                lines.size() > STATE_LINE && lines.get(STATE_LINE).strip().equals("ready");
        boolean alive = pid(data).flatMap(ProcessHandle::of).isPresent();
        return ready && alive
                ? OptionalInt.of(Integer.parseInt(lines.get(PORT_LINE).strip()))
                : OptionalInt.empty();
    }

    /** Returns the process id; empty if the file or line is missing. */
    static Optional<Long> pid(Path data) throws IOException {
        List<String> lines = lines(data);
        try {
            return lines.isEmpty()
                    ? Optional.empty()
                    : Optional.of(Long.parseLong(lines.getFirst().strip()));
        } catch (NumberFormatException e) {
            throw new IOException(file(data) + ": the first line is not a process id", e);
        }
    }

    static Path file(Path data) {
        return data.resolve("postmaster.pid");
    }

    private static List<String> lines(Path data) throws IOException {
        try {
            return Files.readAllLines(file(data));
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }
}
