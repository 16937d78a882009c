package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.EarlyBuild;
import dev.offsetd.server.builds.lease.Lease;
import dev.offsetd.server.builds.lease.LeaseHolder;
import dev.offsetd.server.builds.lease.LeaseHolder.Claimed;
import dev.offsetd.server.builds.lease.WorkProgress;
import dev.offsetd.server.sources.DebugFileSources;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.storage.objects.ObjectStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.stereotype.Component;

/** One attempt at a build under its lease: queries the sources, reads a file, and stores the result in one transaction. */
@Component
class ExtractionWorker {

    private static final Logger log = LoggerFactory.getLogger(ExtractionWorker.class);

    private final LeaseHolder leases;
    private final ObjectStore objects;
    private final StoredLayouts layouts;
    private final SourceRound round;
    private final ExtractionProperties.Retry retry;
    private final UploadRenewal uploads;
    private final AttemptStore store;
    private final ExtractionMeters meters;

    ExtractionWorker(
            LeaseHolder leases,
            ObjectStore objects,
            StoredLayouts layouts,
            DebugFileSources sources,
            DebugFileReader reader,
            UploadRenewal uploads,
            AttemptStore store,
            ExtractionProperties properties,
            ExtractionMeters meters) {
        this.leases = leases;
        this.objects = objects;
        this.layouts = layouts;
        this.retry = properties.retry();
        this.round = new SourceRound(
                sources.inOrder(), reader, retry, properties.maxExecutable().toBytes());
        this.uploads = uploads;
        this.store = store;
        this.meters = meters;
    }

    /**
     * Works on a build and ends its lease.
     *
     * @param early consumes the types before they are stored, if they may answer by then
     * @throws Lease.LeaseLostException if another server took the lease over. It stores its own result; this one is rolled back
     */
    void work(Claimed<Build> claimed, EarlyConsumer<EarlyBuild> early) throws InterruptedException {
        Lease lease = claimed.lease();
        Build before = claimed.before();
        try (claimed;
                ExtractionMeters.Metered attempt = meters.begin()) {
            AttemptResult result = result(before, leases.startProgress(lease), early);
            store.store(lease, before, result);
            attempt.ended(result.state());
            logEnd(lease, before, result);
        }
    }

    private AttemptResult result(Build before, WorkProgress progress, EarlyConsumer<EarlyBuild> early)
            throws InterruptedException {
        objects.checkWritable();
        // Debug information that answers is not replaced by the types that a program describes.
        boolean needsExecutable = before.file() == null || layouts.areFromProgram(before.id(), before.generation());
        AttemptResult result = round.run(before, needsExecutable, progress, early);
        if (result instanceof AttemptResult.Extracted extracted && staysBefore(before, extracted.usable())) {
            result = new AttemptResult.Without(
                    SourceQueries.damage(extracted.usable().content()), retry.unusable(), extracted.outcomes());
        }
        return result instanceof AttemptResult.Without without
                ? uploads.of(before, without.outcomes(), progress).orElse(result)
                : result;
    }

    /** Returns whether the file that answers for the build is as good as a damaged one, or better. */
    private boolean staysBefore(Build before, AttemptResult.UsableFile damaged) {
        if (!damaged.content().isDamaged()
                || before.file() == null
                || before.file().isClaimed()) {
            return false;
        }
        return before.file().sha256().equals(damaged.file().sha256())
                ? !before.versions().areBehind(PartVersions.CURRENT)
                : !layouts.areDamaged(before.id(), before.generation());
    }

    private static void logEnd(Lease lease, Build before, AttemptResult result) {
        switch (result) {
            case AttemptResult.Extracted extracted ->
                log.info(
                        "build {}: stored {} bytes, read from {} ({} bytes)",
                        lease.id(),
                        extracted.usable().content().catalogue().length,
                        extracted.usable().file().upstream(),
                        extracted.usable().file().bytes());
            case AttemptResult.SymbolsAgain again ->
                log.info(
                        "build {}: stored the symbols, read again from {}",
                        lease.id(),
                        again.file().upstream());
            case AttemptResult.Without without
            when before.file() != null && without.state() == BuildState.NOT_FOUND ->
                log.info(
                        "build {}: {}",
                        lease.id(),
                        before.file().origin().isUpload()
                                ? "kept the upload; no source has a debug file of this build"
                                : "kept the stored types; no source has their debug file any more");
            case AttemptResult.Without without ->
                log.atLevel(without.state() == BuildState.FAILED ? Level.WARN : Level.INFO)
                        .log(
                                "build {}: {}: {}",
                                lease.id(),
                                without.failure().cause().code(),
                                without.failure().detail());
        }
    }
}
