package dev.offsetd.server.storage.objects;

import com.google.re2j.Pattern;
import dev.offsetd.server.storage.files.BoundedFolder;
import dev.offsetd.server.storage.files.BoundedFolder.FolderEntry;
import dev.offsetd.server.storage.files.BoundedFolder.FoundFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.codec.digest.DigestUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@linkplain BoundedFolder Bounded folder} of whole objects. A failing disk costs only speed. */
final class ObjectFolder {

    private static final Logger log = LoggerFactory.getLogger(ObjectFolder.class);

    private static final Pattern NAME = Pattern.compile("[0-9a-f]{64}");

    /** Unfinished files of a killed process, and the parts of objects that earlier versions kept. */
    private static final Pattern LEFT_OVER = Pattern.compile("tmp-.*|[0-9a-f]{64}-[0-9]{1,9}");

    private final Path folder;
    private final BoundedFolder<String, Path> files;

    /** Objects whose bytes this process has compared with their hash. */
    private final Set<String> verified = ConcurrentHashMap.newKeySet();

    private ObjectFolder(Path folder, long maxBytes) {
        this.folder = folder;
        this.files = new BoundedFolder<>(maxBytes, this::delete);
    }

    /** Opens a folder, creates it if necessary, and removes what is left over in it. */
    static ObjectFolder open(Path folder, long maxBytes) throws IOException {
        BoundedFolder.create(folder);
        ObjectFolder objects = new ObjectFolder(folder, maxBytes);
        List<FoundFile<String, Path>> found = new ArrayList<>();
        for (Path path : BoundedFolder.filesIn(folder)) {
            String name = String.valueOf(path.getFileName());
            if (NAME.matcher(name).matches()) {
                found.add(new FoundFile<>(name, path, Files.size(path), Files.getLastModifiedTime(path)));
            } else if (LEFT_OVER.matcher(name).matches()) {
                Files.delete(path);
            }
        }
        objects.files.restore(found);
        return objects;
    }

    long bytes() {
        return files.bytes();
    }

    /** Returns whether a read of the object does not hash it. */
    boolean isVerified(StoredObject object) {
        return verified.contains(object.sha256());
    }

    /** Returns bytes of an object, which has them; empty if it is not here, or damaged. */
    Optional<byte[]> read(StoredObject object, long offset, int length) {
        FolderEntry<String, Path> entry = files.pin(object.sha256()).orElse(null);
        if (entry == null) {
            return Optional.empty();
        }
        try (RandomAccessFile file = new RandomAccessFile(entry.facts().toFile(), "r")) {
            verify(object, entry.facts());
            byte[] bytes = new byte[length];
            file.seek(offset);
            file.readFully(bytes);
            files.unpin(entry);
            return Optional.of(bytes);
        } catch (IOException e) {
            log.warn(
                    "object {} on this disk is unreadable or damaged; it is fetched again: {}",
                    entry.key(),
                    e.toString());
            files.drop(entry);
            return Optional.empty();
        }
    }

    private void verify(StoredObject object, Path file) throws IOException {
        if (!isVerified(object)) {
            if (!new DigestUtils(DigestUtils.getSha256Digest())
                    .digestAsHex(file)
                    .equals(object.sha256())) {
                throw new IOException("its bytes do not have its hash");
            }
            verified.add(object.sha256());
        }
    }

    /** Stores the verified bytes of an object. No-op if they are stored, or cannot be. */
    void add(StoredObject object, byte[] content) {
        try {
            Path temporary = Files.createTempFile(folder, "tmp-", "");
            try {
                Files.write(temporary, content);
                Path path = folder.resolve(object.sha256());
                files.add(object.sha256(), path, content.length, () -> {
                            Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
                            verified.add(object.sha256());
                        })
                        .ifPresent(files::unpin);
            } finally {
                Files.deleteIfExists(temporary);
            }
        } catch (IOException e) {
            log.warn("object {} cannot be kept on this disk: {}", object.sha256(), e.toString());
        }
    }

    /** Removes the copy of an object that is written again, because its bytes turned out to be damaged. */
    void discard(String sha256) {
        files.discard(sha256);
    }

    private void delete(FolderEntry<String, Path> entry) {
        verified.remove(entry.key());
        try {
            Files.deleteIfExists(entry.facts());
        } catch (IOException e) {
            log.warn("cannot remove {}: {}", entry.facts(), e.toString());
        }
    }
}
