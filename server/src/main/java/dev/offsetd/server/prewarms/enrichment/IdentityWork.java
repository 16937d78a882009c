package dev.offsetd.server.prewarms.enrichment;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.answers.offsets.BuildCoverage;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.extraction.KeptUploads;
import dev.offsetd.server.builds.identity.ExecutableNames;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.builds.identity.SetCoverage;
import dev.offsetd.server.operations.health.FatalErrors;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.operations.work.Backoff;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.sources.DebugFileSource;
import dev.offsetd.server.sources.DebugFileSources;
import dev.offsetd.server.sources.DiskException;
import dev.offsetd.server.sources.FetchOutcome;
import dev.offsetd.server.sources.FileKind;
import dev.offsetd.server.sources.FileRequest;
import dev.offsetd.server.sources.ForwardedFor;
import dev.offsetd.server.storage.objects.StoreUnreachableException;
import dev.offsetd.server.typesets.TypeSets;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Completes identities, one build at a time on each server. */
@Component
class IdentityWork {

    private static final Logger log = LoggerFactory.getLogger(IdentityWork.class);

    /** Longest time between attempts, as a multiple of the first. */
    private static final int LONGEST_RETRY = 1 << 10;

    private final Identities identities;
    private final Builds builds;
    private final List<DebugFileSource> sources;
    private final KeptUploads uploads;
    private final TypeSets typeSets;
    private final BuildCoverage coverage;
    private final IdentityProperties properties;
    private final MeterRegistry meters;
    private final ExecutableNames names;
    private final BuildKeys keys;
    private final Drift drift;
    private final Backoff backoff;
    private volatile boolean stopping;

    IdentityWork(
            Identities identities,
            Builds builds,
            DebugFileSources sources,
            KeptUploads uploads,
            TypeSets typeSets,
            BuildCoverage coverage,
            ExecutableNames names,
            BuildKeys keys,
            Drift drift,
            IdentityProperties properties,
            MeterRegistry meters,
            PeriodicTasks tasks) {
        this.identities = identities;
        this.builds = builds;
        this.sources = sources.inOrder();
        this.uploads = uploads;
        this.typeSets = typeSets;
        this.coverage = coverage;
        this.properties = properties;
        this.meters = meters;
        this.names = names;
        this.keys = keys;
        this.drift = drift;
        this.backoff = new Backoff(properties.retry(), properties.retry().multipliedBy(LONGEST_RETRY));
        for (Result result : Result.values()) {
            var _ = counter(result);
        }
        tasks.add("completing the names of builds", properties.poll(), this::workOnAll);
    }

    /** How the search for an executable ended. */
    private enum Result {
        FOUND,
        NOT_FOUND,
        FAILED
    }

    private Counter counter(Result result) {
        return Counter.builder("offsetd.identities.executables")
                .description("Executables that were looked for to name a build, by result")
                .tag("result", result.name().toLowerCase(Locale.ROOT))
                .register(meters);
    }

    /** An executable states names, or why there is none. */
    private record Search(Result result, Identity identity, String detail) {}

    @EventListener
    void drain(AvailabilityChangeEvent<ReadinessState> event) {
        stopping |= event.getState() == ReadinessState.REFUSING_TRAFFIC;
    }

    /** Names the sets of the setting that do not exist. They may be stored later, so this does not stop the start. */
    @EventListener
    void warnOfUnknownSets(ApplicationStartedEvent event) {
        typeSets.unknown(List.copyOf(drift.watchedSets()))
                .forEach(problem -> log.warn("offsetd.events.sets: {}", problem));
    }

    /** Works until nothing is due. */
    void workOnAll() {
        Optional<Identities.Work> work = claim();
        if (work.isPresent()) {
            // Read once: a round takes as long as there is work, and the next one starts soon after.
            List<TypeSet> sets = sets();
            for (; work.isPresent(); work = claim()) {
                complete(work.get(), sets);
            }
        }
    }

    /** Returns the first type sets, and all whose builds are compared. */
    private List<TypeSet> sets() {
        List<TypeSet> sets = new ArrayList<>(typeSets.searched());
        Set<String> others = new TreeSet<>(drift.watchedSets());
        sets.forEach(set -> others.remove(set.name()));
        others.forEach(name ->
                typeSets.find(name).ifPresent(known -> sets.add(known.document().set())));
        return sets;
    }

    private Optional<Identities.Work> claim() {
        return stopping ? Optional.empty() : identities.claim(properties.claim());
    }

    private void complete(Identities.Work work, List<TypeSet> sets) {
        Build build = builds.find(work.id()).orElse(null);
        StoredFile file = build == null ? null : build.file();
        if (build == null || file == null) {
            identities.end(work, null, null);
            return;
        }
        List<SetCoverage> covered =
                coverage.required(build, sets.stream().map(TypeSet::name).toList());
        identities.storeSets(work.id(), covered);
        Search search;
        try {
            search = search(build, sets);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        } catch (StoreUnreachableException e) {
            search = new Search(Result.FAILED, Identity.UNKNOWN, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            FatalErrors.haltIfFatal(e);
            log.error("build {}: the names in its executable cannot be read", work.id(), e);
            search = new Search(Result.FAILED, Identity.UNKNOWN, "unexpected error");
        }
        counter(search.result()).increment();
        if (search.result() == Result.FOUND) {
            identities.add(work.id(), file.architecture(), search.identity());
        }
        boolean isLast = search.result() != Result.FAILED || work.attempts() >= properties.attempts();
        if (work.uncompared()) {
            // Before the work ends: a killed server leaves it to be claimed again.
            search = compared(work.id(), covered, isLast, search);
        }
        if (search.result() == Result.FOUND) {
            identities.end(work, null, null);
        } else {
            identities.end(
                    work,
                    search.detail(),
                    work.attempts() >= properties.attempts() ? null : backoff.after(work.attempts(), Duration.ZERO));
        }
    }

    /** Reports what the build changes; a failure of that is tried again as a failed search is. */
    private Search compared(BuildId id, List<SetCoverage> covered, boolean isLast, Search search) {
        try {
            drift.report(id, covered, isLast);
            return search;
        } catch (RuntimeException e) {
            FatalErrors.haltIfFatal(e);
            log.warn("build {}: cannot be compared with the one before it: {}", id, e.toString());
            return new Search(Result.FAILED, Identity.UNKNOWN, "not compared with the build before it");
        }
    }

    /** Reads the executable: the upload that answers, if it is kept, else the first one that a source has. */
    private Search search(Build build, List<TypeSet> sets) throws InterruptedException {
        BuildId id = build.id();
        // Sources know builds by their GNU build-id only.
        if (properties.maxExecutable().toBytes() == 0 || !id.isGnu()) {
            return new Search(Result.FOUND, Identity.UNKNOWN, "");
        }
        Optional<Identity> uploaded = namesInUpload(build, sets);
        if (uploaded.isPresent()) {
            return new Search(Result.FOUND, uploaded.get(), "");
        }
        Search last = new Search(Result.NOT_FOUND, Identity.UNKNOWN, "no source has the executable");
        for (DebugFileSource source : sources) {
            FetchOutcome outcome = readFacts(id, source);
            if (outcome instanceof FetchOutcome.Fetched) {
                outcome = source.fetch(request(id, FileKind.EXECUTABLE));
            }
            if (outcome instanceof FetchOutcome.Fetched(CachedFile file)) {
                try (file) {
                    Identity identity = names.of(file.path(), sets);
                    keys.record(id, names.keysOf(file.path(), file.sha256()), source.origin());
                    return new Search(Result.FOUND, identity, "");
                } catch (IOException | ExtractionException e) {
                    last = new Search(Result.FAILED, Identity.UNKNOWN, source.name() + ": " + e.getMessage());
                }
            } else if (!(outcome instanceof FetchOutcome.NotFound)) {
                last = new Search(Result.FAILED, Identity.UNKNOWN, source.name() + ": " + detail(outcome));
            }
        }
        return last;
    }

    private FileRequest request(BuildId id, FileKind kind) {
        return FileRequest.of(id, kind, properties.maxExecutable().toBytes(), ForwardedFor.NONE);
    }

    /**
     * Stores where the code and the thread-local variables of a source's executable are, for which a part of it is read. It takes
     * a moment, unlike the names, and is done for executables of any size.
     *
     * @return the outcome, with a closed file
     */
    private FetchOutcome readFacts(BuildId id, DebugFileSource source) throws InterruptedException {
        FetchOutcome outcome = source.fetch(request(id, FileKind.PROGRAM));
        if (outcome instanceof FetchOutcome.Fetched(CachedFile file)) {
            try (file) {
                identities.storeExecutable(id, names.factsOf(file.path()));
            } catch (IOException | ExtractionException e) {
                log.info("build {}: the executable of {} cannot be read: {}", id, source.name(), e.getMessage());
            }
        }
        return outcome;
    }

    /** Returns the names in the kept upload of a build; empty if none is kept, or it is not a program. */
    private Optional<Identity> namesInUpload(Build build, List<TypeSet> sets) throws InterruptedException {
        long limit = properties.maxExecutable().toBytes();
        if (build.file() == null || build.file().bytes() > limit) {
            return Optional.empty();
        }
        try {
            Optional<CachedFile> kept = uploads.find(build);
            if (kept.isEmpty()) {
                return Optional.empty();
            }
            try (CachedFile file = kept.get()) {
                if (names.areIn(file.path())) {
                    identities.storeExecutable(build.id(), names.factsOf(file.path()));
                    return Optional.of(names.of(file.path(), sets));
                }
                return Optional.empty();
            }
        } catch (DiskException e) {
            log.warn("build {}: the kept upload cannot be written to the disk cache: {}", build.id(), e.detail());
        } catch (IOException | ExtractionException e) {
            log.warn("build {}: the names in the kept upload cannot be read: {}", build.id(), e.getMessage());
        }
        return Optional.empty();
    }

    private static String detail(FetchOutcome outcome) {
        return switch (outcome) {
            case FetchOutcome.Skipped skipped -> skipped.detail();
            case FetchOutcome.Refused refused -> refused.detail();
            case FetchOutcome.Failed failed -> failed.detail();
            case FetchOutcome.Fetched _, FetchOutcome.NotFound _ -> "";
        };
    }
}
