package dev.offsetd.server.exports;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.server.storage.files.BoundedFolder;
import dev.offsetd.server.storage.files.BoundedFolder.FolderEntry;
import dev.offsetd.server.storage.files.BoundedFolder.FoundFile;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@linkplain BoundedFolder Bounded folder} of rendered exports.
 *
 * <p>A file is written under a temporary name and then renamed to {@code KEY-ETAG-OMITTED}, so a file of this name is complete
 * whenever the process dies. A file is never replaced. Incomplete files are removed at the next start.
 */
final class ExportFiles {

    private static final Logger log = LoggerFactory.getLogger(ExportFiles.class);

    private static final Pattern NAME = Pattern.compile("([0-9a-f]{64})-([0-9a-f]{64})-([0-9]{1,18})");

    private static final String TEMPORARY = "tmp-";

    private final Path folder;
    private final long maxBytes;

    private final BoundedFolder<String, StoredExport> files;

    private record StoredExport(Path path, String etag, long omitted) {}

    @FunctionalInterface
    interface Rendering {

        /** Writes all bytes and returns the number of types and symbols that were left out. */
        long to(OutputStream out) throws IOException;
    }

    private ExportFiles(Path folder, long maxBytes) {
        this.folder = folder;
        this.maxBytes = maxBytes;
        this.files = new BoundedFolder<>(maxBytes, entry -> remove(entry.facts().path()));
    }

    /** Opens a folder, creates it if necessary, and removes incomplete files of a killed process. */
    static ExportFiles open(Path folder, long maxBytes) throws IOException {
        BoundedFolder.create(folder);
        ExportFiles files = new ExportFiles(folder, maxBytes);
        files.readFolder();
        return files;
    }

    private void readFolder() throws IOException {
        List<FoundFile<String, StoredExport>> found = new ArrayList<>();
        BoundedFolder.removeUnfinished(folder, TEMPORARY);
        for (Path path : BoundedFolder.filesIn(folder)) {
            Matcher parts = NAME.matcher(String.valueOf(path.getFileName()));
            if (parts.matches()) {
                found.add(new FoundFile<>(
                        parts.group(1),
                        new StoredExport(path, '"' + parts.group(2) + '"', Long.parseLong(parts.group(3))),
                        Files.size(path),
                        Files.getLastModifiedTime(path)));
            }
        }
        files.restore(found);
    }

    long bytes() {
        return files.bytes();
    }

    /** Opens the file of a key, if it is stored. */
    Optional<ExportFile> find(String key) throws IOException {
        Optional<FolderEntry<String, StoredExport>> pinned = files.pin(key);
        if (pinned.isEmpty()) {
            return Optional.empty();
        }
        FolderEntry<String, StoredExport> entry = pinned.get();
        StoredExport export = entry.facts();
        boolean gone = false;
        try {
            // For the order after a restart.
            Files.setLastModifiedTime(export.path(), FileTime.from(Instant.now()));
            return Optional.of(
                    new ExportFile(FileChannel.open(export.path()), export.etag(), entry.bytes(), export.omitted()));
        } catch (NoSuchFileException e) {
            log.warn("export {} is gone; it is made again", export.path());
            gone = true;
            return Optional.empty();
        } finally {
            if (gone) {
                files.drop(entry);
            } else {
                files.unpin(entry);
            }
        }
    }

    /**
     * Renders and stores the file of a key.
     *
     * @throws TooLargeException if it does not fit into the folder
     */
    void make(String key, Rendering rendering) throws IOException {
        Path temporary = Files.createTempFile(folder, TEMPORARY, "");
        try {
            long omitted;
            String etag;
            try (ETag.Digest out = new ETag.Digest(
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

    private void store(String key, Path temporary, String etag, long omitted) throws IOException {
        Path path = folder.resolve(key + "-" + etag.replace("\"", "") + "-" + omitted);
        files.add(
                        key,
                        new StoredExport(path, etag, omitted),
                        Files.size(temporary),
                        () -> Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE))
                .ifPresent(files::unpin);
    }

    private static void remove(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            log.warn("cannot remove export {}: {}", file, e.toString());
        }
    }

    /** An export that is larger than all exports may be. */
    static final class TooLargeException extends IOException {

        private TooLargeException(long limit) {
            super("the export is larger than offsetd.exports.max-size, which is " + limit + " bytes");
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
            Deadline.checkCurrent();
            left -= count;
            if (left < 0) {
                throw new TooLargeException(limit);
            }
        }
    }
}
