package dev.offsetd.server.exports;

import dev.offsetd.server.web.ETag;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounded folder of rendered exports. The least recently used files are evicted when all together exceed the limit.
 *
 * <p>A file is written under a temporary name and then renamed to {@code KEY-ETAG-OMITTED}, so a file of this name is complete
 * whenever the process dies. A file is never replaced. Incomplete files are removed at the next start.
 */
final class ExportFiles {

    private static final Logger log = LoggerFactory.getLogger(ExportFiles.class);

    /** Share of the limit down to which files are evicted, so that not every new file causes an eviction. */
    private static final double LOW_WATER = 0.9;

    private static final Pattern NAME = Pattern.compile("([0-9a-f]{64})-([0-9a-f]{64})-([0-9]{1,18})");

    private static final String TEMPORARY = "tmp-";

    private final Path folder;
    private final long maxBytes;

    /** By key, least recently used first. Guarded by {@code this}, as is the sum of their sizes. */
    private final LinkedHashMap<String, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    private long totalBytes;

    private record Entry(Path path, String etag, long omitted, long bytes, FileTime used) {}

    /** Writes an export. */
    @FunctionalInterface
    interface Rendering {

        /** Writes all bytes and returns the number of types and symbols that were left out. */
        long to(OutputStream out) throws IOException;
    }

    private ExportFiles(Path folder, long maxBytes) {
        this.folder = folder;
        this.maxBytes = maxBytes;
    }

    /** Opens a folder, creates it if necessary, and removes incomplete files of a killed process. */
    static ExportFiles open(Path folder, long maxBytes) throws IOException {
        // Private whatever the umask is; files below it are protected by it.
        Files.createDirectories(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        ExportFiles files = new ExportFiles(folder, maxBytes);
        files.readFolder();
        return files;
    }

    private synchronized void readFolder() throws IOException {
        Map<String, Entry> found = new LinkedHashMap<>();
        try (Stream<Path> paths = Files.list(folder)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                String name = String.valueOf(path.getFileName());
                Matcher parts = NAME.matcher(name);
                if (parts.matches()) {
                    found.put(
                            parts.group(1),
                            new Entry(
                                    path,
                                    '"' + parts.group(2) + '"',
                                    Long.parseLong(parts.group(3)),
                                    Files.size(path),
                                    Files.getLastModifiedTime(path)));
                } else if (name.startsWith(TEMPORARY)) {
                    Files.delete(path);
                }
            }
        }
        List<Map.Entry<String, Entry>> byUse = new ArrayList<>(found.entrySet());
        byUse.sort(Map.Entry.comparingByValue(Comparator.comparing(Entry::used)));
        byUse.forEach(entry -> add(entry.getKey(), entry.getValue()));
        evictAbove(maxBytes);
    }

    /** Returns the bytes of all files. */
    synchronized long bytes() {
        return totalBytes;
    }

    /** Opens the file of a key, if it is stored. */
    synchronized Optional<ExportFile> find(String key) throws IOException {
        Entry entry = entries.get(key);
        if (entry == null) {
            return Optional.empty();
        }
        try {
            FileChannel channel = FileChannel.open(entry.path);
            // For the order after a restart.
            Files.setLastModifiedTime(entry.path, FileTime.from(Instant.now()));
            return Optional.of(new ExportFile(channel, entry.etag, entry.bytes, entry.omitted));
        } catch (NoSuchFileException e) {
            log.warn("export {} is gone; it is made again", entry.path);
            remove(key);
            return Optional.empty();
        }
    }

    /**
     * Renders and stores the file of a key.
     *
     * @throws ExportTooLargeException if it does not fit into the folder
     */
    void make(String key, Rendering rendering) throws IOException {
        Path temporary = Files.createTempFile(folder, TEMPORARY, "");
        try {
            long omitted;
            String etag;
            try (ETag.Digest out = ETag.digest(
                    new LimitedOutput(new BufferedOutputStream(Files.newOutputStream(temporary)), maxBytes))) {
                omitted = rendering.to(out);
                out.flush();
                etag = out.etag();
            }
            store(key, temporary, etag, omitted);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private synchronized void store(String key, Path temporary, String etag, long omitted) throws IOException {
        if (entries.containsKey(key)) {
            return;
        }
        long bytes = Files.size(temporary);
        evictAbove(maxBytes - bytes);
        Path path = folder.resolve(key + "-" + etag.replace("\"", "") + "-" + omitted);
        Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
        add(key, new Entry(path, etag, omitted, bytes, Files.getLastModifiedTime(path)));
    }

    private synchronized void add(String key, Entry entry) {
        entries.put(key, entry);
        totalBytes += entry.bytes;
    }

    private synchronized void remove(String key) {
        Entry entry = entries.remove(key);
        if (entry != null) {
            totalBytes -= entry.bytes;
        }
    }

    private synchronized void evictAbove(long bytes) {
        if (totalBytes <= bytes) {
            return;
        }
        long target = Math.min(bytes, (long) (maxBytes * LOW_WATER));
        for (Iterator<Entry> i = entries.values().iterator(); i.hasNext() && totalBytes > target; ) {
            Entry entry = i.next();
            i.remove();
            totalBytes -= entry.bytes;
            try {
                Files.deleteIfExists(entry.path);
            } catch (IOException e) {
                log.warn("cannot remove export {}: {}", entry.path, e.toString());
            }
        }
    }

    /** Fails when more is written than the folder can hold. */
    private static final class LimitedOutput extends FilterOutputStream {

        private final long limit;
        private long left;

        LimitedOutput(OutputStream out, long limit) {
            super(out);
            this.limit = limit;
            this.left = limit;
        }

        @Override
        public void write(int value) throws IOException {
            take(1);
            out.write(value);
        }

        @Override
        public void write(byte[] from, int offset, int count) throws IOException {
            take(count);
            out.write(from, offset, count);
        }

        private void take(int count) throws IOException {
            left -= count;
            if (left < 0) {
                throw new ExportTooLargeException(limit);
            }
        }
    }
}
