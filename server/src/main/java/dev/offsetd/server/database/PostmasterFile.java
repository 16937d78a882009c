package dev.offsetd.server.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The file in which a running PostgreSQL tells about itself, {@code postmaster.pid}: a line each for its process id,
 * data folder, start, port, socket folder, address, shared memory and state (PostgreSQL's {@code miscinit.h}).
 */
final class PostmasterFile {

    private static final int PORT_LINE = 3;
    private static final int STATE_LINE = 7;

    private PostmasterFile() {}

    /** Its port; empty if no PostgreSQL runs on this data, or it takes no connections yet. */
    static OptionalInt port(Path data) throws IOException {
        List<String> lines = lines(data);
        boolean ready =
                lines.size() > STATE_LINE && lines.get(STATE_LINE).strip().equals("ready");
        boolean alive = pid(data).flatMap(ProcessHandle::of).isPresent();
        return ready && alive
                ? OptionalInt.of(Integer.parseInt(lines.get(PORT_LINE).strip()))
                : OptionalInt.empty();
    }

    /** Its process id; empty if there is no such file or no such line. */
    static Optional<Long> pid(Path data) throws IOException {
        List<String> lines = lines(data);
        try {
            return lines.isEmpty()
                    ? Optional.empty()
                    : Optional.of(Long.parseLong(lines.getFirst().strip()));
        } catch (NumberFormatException e) {
            throw new IOException(file(data) + ": first line is no process id", e);
        }
    }

    /** The file's place. */
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
