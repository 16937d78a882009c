package dev.offsetd.server.storage.objects;

import com.google.re2j.Pattern;
import dev.offsetd.server.storage.files.BoundedFolder;
import dev.offsetd.server.storage.files.BoundedFolder.FolderEntry;
import dev.offsetd.server.storage.files.BoundedFolder.FoundFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@linkplain BoundedFolder Bounded folder} of parts of objects. A reader verifies them. A failing disk costs only speed. */
final class PartCache {

    private static final Logger log = LoggerFactory.getLogger(PartCache.class);

    private static final Pattern NAME = Pattern.compile("[0-9a-f]{64}-[0-9]{1,9}");
    private static final String TEMPORARY = "tmp-";

    private final Path folder;
    private final BoundedFolder<String, Path> files;

    private PartCache(Path folder, long maxBytes) {
        this.folder = folder;
        this.files = new BoundedFolder<>(maxBytes, entry -> delete(entry.facts()));
    }

    /** Opens a folder, creates it if necessary, and removes incomplete files of a killed process. */
    static PartCache open(Path folder, long maxBytes) throws IOException {
        BoundedFolder.create(folder);
        PartCache cache = new PartCache(folder, maxBytes);
        List<FoundFile<String, Path>> found = new ArrayList<>();
        BoundedFolder.removeUnfinished(folder, TEMPORARY);
        for (Path path : BoundedFolder.filesIn(folder)) {
            String name = String.valueOf(path.getFileName());
            if (NAME.matcher(name).matches()) {
                found.add(new FoundFile<>(name, path, Files.size(path), Files.getLastModifiedTime(path)));
            }
        }
        cache.files.restore(found);
        return cache;
    }

    long bytes() {
        return files.bytes();
    }

    /** Returns the bytes of a part if it is stored; they may be damaged. */
    Optional<byte[]> find(String name) {
        Optional<FolderEntry<String, Path>> entry = files.pin(name);
        if (entry.isEmpty()) {
            return Optional.empty();
        }
        try {
            byte[] content = Files.readAllBytes(entry.get().facts());
            files.unpin(entry.get());
            return Optional.of(content);
        } catch (IOException e) {
            log.warn("part {} of an object cannot be read: {}", name, e.toString());
            files.drop(entry.get());
            return Optional.empty();
        }
    }

    /** Stores a part. No-op if it is stored, or cannot be. */
    void add(String name, byte[] content) {
        try {
            Path temporary = Files.createTempFile(folder, TEMPORARY, "");
            try {
                Files.write(temporary, content);
                Path path = folder.resolve(name);
                files.add(name, path, content.length, () -> Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE))
                        .ifPresent(files::unpin);
            } finally {
                Files.deleteIfExists(temporary);
            }
        } catch (IOException e) {
            log.warn("part {} of an object cannot be kept: {}", name, e.toString());
        }
    }

    /** Removes a damaged part. */
    void discard(String name) {
        files.discard(name);
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            log.warn("cannot remove {}: {}", file, e.toString());
        }
    }
}
