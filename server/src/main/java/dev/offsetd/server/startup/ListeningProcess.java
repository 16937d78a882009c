package dev.offsetd.server.startup;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds the process that listens on a TCP port, as far as {@code /proc} (proc(5)) shows it to this account. */
final class ListeningProcess {

    private static final Pattern SPACES = Pattern.compile(" +");

    /** State of a listening socket in {@code /proc/net/tcp}. */
    private static final String LISTEN = "0A";

    private static final int LOCAL_ADDRESS = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;

    private ListeningProcess() {}

    /**
     * Returns the process.
     *
     * @param proc mount point of procfs
     */
    static Optional<ProcessDescription> find(Path proc, int port) {
        Set<String> sockets = new HashSet<>();
        for (String table : List.of("tcp", "tcp6")) {
            addListening(proc.resolve("net").resolve(table), port, sockets);
        }
        if (sockets.isEmpty()) {
            return Optional.empty();
        }
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path process : processes) {
                if (holdsOneOf(process.resolve("fd"), sockets)) {
                    return Optional.of(new ProcessDescription(
                            Long.parseLong(process.getFileName().toString()), command(process)));
                }
            }
        } catch (IOException e) {
            // No procfs, or no access to it.
            return Optional.empty();
        }
        return Optional.empty();
    }

    private static void addListening(Path table, int port, Set<String> sockets) {
        List<String> lines;
        try {
            lines = Files.readAllLines(table, StandardCharsets.US_ASCII);
        } catch (IOException e) {
            return;
        }
        String localPort = String.format(":%04X", port);
        for (String line : lines) {
            String[] columns = SPACES.split(line.strip(), -1);
            if (columns.length > INODE && columns[LOCAL_ADDRESS].endsWith(localPort) && columns[STATE].equals(LISTEN)) {
                sockets.add("socket:[" + columns[INODE] + "]");
            }
        }
    }

    private static boolean holdsOneOf(Path descriptors, Set<String> sockets) {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(descriptors)) {
            for (Path descriptor : open) {
                if (sockets.contains(target(descriptor))) {
                    return true;
                }
            }
        } catch (IOException e) {
            // A process of another user, or one that just ended.
            return false;
        }
        return false;
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return "";
        }
    }

    private static String command(Path process) throws IOException {
        return Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1)
                .replace('\0', ' ')
                .strip();
    }

    /** Process id and command line, for messages. */
    record ProcessDescription(long pid, String command) {

        @Override
        public String toString() {
            return "process " + pid + " " + HostileText.quote(command);
        }
    }
}
