package dev.offsetd.server.uploads;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.audit.AuditLog;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.extraction.BusyException;
import dev.offsetd.server.builds.identity.ExecutableNames;
import dev.offsetd.server.builds.identity.ExecutableNames.Statements;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.builds.lease.LeaseHolder.UnleasedWork;
import dev.offsetd.server.sources.outcome.Origin;
import java.io.IOException;
import java.util.Map;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Stores what uploaded executables state about their builds. */
@Component
class ExecutableUploads {

    private final Uploads uploads;
    private final Builds builds;
    private final BuildKeys keys;
    private final Identities identities;
    private final ExecutableNames names;
    private final AuditLog audit;
    private final TransactionTemplate transaction;

    ExecutableUploads(
            Uploads uploads,
            Builds builds,
            BuildKeys keys,
            Identities identities,
            ExecutableNames names,
            AuditLog audit,
            PlatformTransactionManager transactions) {
        this.uploads = uploads;
        this.builds = builds;
        this.keys = keys;
        this.identities = identities;
        this.names = names;
        this.audit = audit;
        this.transaction = new TransactionTemplate(transactions);
    }

    /**
     * Stores the keys, names and symbols of an executable, and its layouts if it has debug information and takes precedence.
     *
     * @param named what the file's name says of the build
     * @return the build
     * @throws ExtractionException if the file is not this build's, or unusable
     * @throws IOException if the server's own disk fails
     * @throws BusyException if the server is overloaded, another worker holds the lease for too long, or a server ended
     */
    Build take(IdentifiedFile upload, Identity named, Actor actor)
            throws IOException, ExtractionException, InterruptedException {
        try {
            uploads.store(upload, named, actor);
        } catch (ExtractionException e) {
            // The types that an executable describes are a bonus; it has its names even if they are unreadable.
            if (upload.elf().hasDwarf() || upload.elf().hasBtf()) {
                throw e;
            }
        }
        BuildId id = upload.build();
        Statements stated = read(upload);
        builds.insertIfAbsent(id);
        transaction.executeWithoutResult(status -> {
            builds.addAndLock(id);
            keys.record(id, upload.keys(), Origin.UPLOAD);
            identities.add(id, upload.elf().architecture(), stated.names().merge(named));
            identities.storeExecutable(id, stated.facts());
            audit.record(
                    actor,
                    "build.executable",
                    id.toString(),
                    null,
                    Map.of(
                            "sha256",
                            upload.file().sha256(),
                            "bytes",
                            upload.file().bytes()));
        });
        return builds.find(id).orElseThrow();
    }

    private Statements read(IdentifiedFile upload) throws IOException, ExtractionException, InterruptedException {
        try (UnleasedWork work = uploads.startWithoutLease(upload.build())) {
            return names.in(upload.file().path(), work.progress()::computing);
        }
    }
}
