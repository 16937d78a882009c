package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.sources.DiskException;
import dev.offsetd.server.sources.ReceivedFiles;
import dev.offsetd.server.sources.ReceivedFiles.ReceivedFile;
import dev.offsetd.server.storage.KeptFiles;
import dev.offsetd.server.storage.objects.StoreUnreachableException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.Optional;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Uploaded files that are kept, if the operator has configured that: a later extractor reads them again, and debuggers get them.
 * They are in the database or the object store, so every server has them. Only the file that answers for a build is kept.
 */
@Component
public class KeptUploads {

    private final KeptFiles files;
    private final ReceivedFiles received;
    private final Builds builds;
    private final TransactionTemplate transaction;

    KeptUploads(KeptFiles files, ReceivedFiles received, Builds builds, PlatformTransactionManager transactions) {
        this.files = files;
        this.received = received;
        this.builds = builds;
        this.transaction = new TransactionTemplate(transactions);
    }

    /**
     * Keeps a received file, unless another file answers for the build by then. No-op if it is kept already.
     *
     * @throws IOException if it cannot be read, or the object store fails
     */
    public void keep(BuildId id, ReceivedFile file) throws IOException {
        if (files.has(id, file.sha256(), file.bytes())) {
            return;
        }
        try (InputStream in = Files.newInputStream(file.path())) {
            files.store(id, file.sha256(), in);
        }
        // Each chunk was a transaction. A file that replaced this one has deleted only those that were stored by then.
        transaction.executeWithoutResult(status -> {
            builds.addAndLock(id);
            boolean answers = builds.find(id)
                    .map(Build::file)
                    .filter(stored -> stored.sha256().equals(file.sha256()))
                    .isPresent();
            if (!answers) {
                files.delete(id, file.sha256());
            }
        });
    }

    /** Deletes what is kept of a build but this file. Part of the caller's transaction. */
    public void dropOthers(BuildId id, String sha256) {
        files.deleteOthers(id, sha256);
    }

    /**
     * Returns the file of a build that an upload answers for; empty if it is not kept.
     *
     * @throws DiskException if the server's own disk fails
     * @throws StoreUnreachableException if the file is in the object store, which fails
     */
    public Optional<CachedFile> find(Build build) throws DiskException, InterruptedException {
        StoredFile file = build.file();
        if (file == null || !file.origin().isUpload() || !files.has(build.id(), file.sha256(), file.bytes())) {
            return Optional.empty();
        }
        return received.copy(build.id(), file.sha256(), part -> files.chunk(build.id(), file.sha256(), part));
    }
}
