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
 * Uploaded files that stay, where the operator wants that: a later extractor can read them again. One for each build, laid
 * out as in a {@code .build-id} folder. Nothing here removes them; who deletes one gives up its renewal and nothing else.
 */
public final class KeptUploads {

    private static final Logger log = LoggerFactory.getLogger(KeptUploads.class);

    private final Optional<Path> folder;
    private final FileVerification verification;

    /** @param folder empty to keep none */
    KeptUploads(Optional<Path> folder, FileVerification verification) {
        this.folder = folder;
        this.verification = verification;
    }

    /**
     * Keeps a file that is no longer needed elsewhere, in place of any that is kept of the build; does nothing where none
     * are kept.
     *
     * @throws DiskException if it cannot be moved; what was kept before stays
     */
    public void keep(BuildId id, ReceivedFiles.ReceivedFile file) throws DiskException {
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

    /** The kept file of a build; empty if there is none, or it is not the one with this hash. */
    public Optional<Path> find(BuildId id, String sha256) {
        Optional<Path> kept = folder.map(root -> BuildIdPath.below(root, id)).filter(Files::isRegularFile);
        return kept.filter(file -> isSound(file, id, sha256));
    }

    private boolean isSound(Path file, BuildId id, String sha256) {
        try {
            verification.verify(file, id);
            if (FileHash.of(file).equals(sha256)) {
                return true;
            }
            log.warn("kept upload {} is not the file that was stored; it is passed over", file);
        } catch (ExtractionException | IOException e) {
            log.warn("kept upload {} is passed over: {}", file, e.getMessage());
        }
        return false;
    }
}
