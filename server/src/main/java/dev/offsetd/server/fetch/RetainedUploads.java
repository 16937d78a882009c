package dev.offsetd.server.fetch;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.BuildId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Uploaded files that are retained so that a later extractor can read them again, if the operator has configured that. The folder
 * has one file per build in the layout of a {@code .build-id} folder. The server never removes them; the operator may, and then
 * the build cannot be renewed.
 */
public final class RetainedUploads {

    private static final Logger log = LoggerFactory.getLogger(RetainedUploads.class);

    private final Optional<Path> folder;
    private final FileVerification verification;

    /** @param folder empty to retain no files */
    RetainedUploads(Optional<Path> folder, FileVerification verification) {
        this.folder = folder;
        this.verification = verification;
    }

    /**
     * Moves a file to the folder, where it replaces an earlier file of the build. No-op if no files are retained.
     *
     * @throws DiskException if it cannot be moved; an earlier file stays
     */
    public void retain(BuildId id, ReceivedFiles.ReceivedFile file) throws DiskException {
        if (folder.isEmpty()) {
            return;
        }
        Path target = BuildIdPath.below(folder.get(), id);
        try {
            Files.createDirectories(target.resolveSibling(""));
            Files.setPosixFilePermissions(file.path(), DiskCache.OWNER_READS);
            Files.move(file.path(), target, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new DiskException(e);
        }
    }

    /** Returns the retained file of a build; empty if there is none, or it has another hash. */
    public Optional<Path> find(BuildId id, String sha256) {
        Optional<Path> retained =
                folder.map(root -> BuildIdPath.below(root, id)).filter(Files::isRegularFile);
        return retained.filter(file -> isSound(file, id, sha256));
    }

    private boolean isSound(Path file, BuildId id, String sha256) {
        try {
            verification.verify(file, id);
            if (FileHash.of(file).equals(sha256)) {
                return true;
            }
            log.warn("retained upload {} is not the file that was stored; it is ignored", file);
        } catch (ExtractionException | IOException e) {
            log.warn("retained upload {} is ignored: {}", file, e.getMessage());
        }
        return false;
    }
}
