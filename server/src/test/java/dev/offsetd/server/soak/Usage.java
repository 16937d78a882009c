package dev.offsetd.server.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Memory, file descriptors and threads of a process and its children, as Linux counts them, and the size of their data. */
record Usage(long rssMebibytes, long descriptors, long threads, long diskMebibytes) {

    /**
     * Usage of a process; empty once it has ended.
     *
     * @param data folder with its data, if it exists
     */
    static Optional<Usage> of(ProcessHandle process, Path data) {
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
        return Optional.of(new Usage(kibibytes / 1024, descriptors, threads, size(data) >> 20));
    }

    /** Returns the bytes in a folder, whose files may disappear meanwhile. */
    private static long size(Path data) {
        long[] bytes = {0};
        try {
            Files.walkFileTree(data, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    bytes[0] += attributes.size();
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException gone) {
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException gone) {
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes[0];
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
        return "RSS " + rssMebibytes + " MiB, " + descriptors + " file descriptors, " + threads + " threads, "
                + diskMebibytes + " MiB on disk";
    }
}
