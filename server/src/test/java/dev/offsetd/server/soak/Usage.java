package dev.offsetd.server.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Memory, file descriptors and threads of a process and its children, as Linux counts them. */
record Usage(long rssMebibytes, long descriptors, long threads) {

    /** Usage of a process; empty once it has ended. */
    static Optional<Usage> of(ProcessHandle process) {
        long kibibytes = 0;
        long descriptors = 0;
        long threads = 0;
        for (ProcessHandle each :
                Stream.concat(Stream.of(process), process.descendants()).toList()) {
            Path proc = Path.of("/proc", Long.toString(each.pid()));
            try (Stream<Path> open = Files.list(proc.resolve("fd"))) {
                descriptors += open.count();
                List<String> status = Files.readAllLines(proc.resolve("status"));
                kibibytes += number(status, "VmRSS:");
                threads += number(status, "Threads:");
            } catch (IOException ended) {
                if (each.equals(process)) {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(new Usage(kibibytes / 1024, descriptors, threads));
    }

    private static long number(List<String> status, String name) {
        return status.stream()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElse(0);
    }

    @Override
    public String toString() {
        return "RSS " + rssMebibytes + " MiB, " + descriptors + " file descriptors, " + threads + " threads";
    }
}
