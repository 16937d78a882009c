package dev.offsetd.server.prewarms.enrichment;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.answers.offsets.BuildCoverage;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.builds.identity.SetCoverage;
import dev.offsetd.server.operations.health.FatalErrors;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.operations.work.Backoff;
import dev.offsetd.server.prewarms.enrichment.ExecutableSearch.Result;
import dev.offsetd.server.prewarms.enrichment.ExecutableSearch.Search;
import dev.offsetd.server.storage.objects.StoreUnreachableException;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ProblemException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
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

    private static final String CUT_OFF = "each attempt was cut off before its end";

    /** Longest time between attempts, as a multiple of the first. */
    private static final int LONGEST_RETRY = 1 << 10;

    private final Identities identities;
    private final Builds builds;
    private final ExecutableSearch executables;
    private final TypeSets typeSets;
    private final BuildCoverage coverage;
    private final IdentityProperties properties;
    private final MeterRegistry meters;
    private final Drift drift;
    private final Backoff backoff;
    private volatile boolean stopping;

    IdentityWork(
            Identities identities,
            Builds builds,
            ExecutableSearch executables,
            TypeSets typeSets,
            BuildCoverage coverage,
            Drift drift,
            IdentityProperties properties,
            MeterRegistry meters,
            PeriodicTasks tasks) {
        this.identities = identities;
        this.builds = builds;
        this.executables = executables;
        this.typeSets = typeSets;
        this.coverage = coverage;
        this.properties = properties;
        this.meters = meters;
        this.drift = drift;
        this.backoff = new Backoff(properties.retry(), properties.retry().multipliedBy(LONGEST_RETRY));
        for (Result result : Result.values()) {
            var _ = counter(result);
        }
        tasks.add("completing the names of builds", properties.poll(), this::workOnAll);
    }

    private Counter counter(Result result) {
        return Counter.builder("offsetd.identities.executables")
                .description("Executables that were looked for to name a build, by result")
                .tag("result", result.name().toLowerCase(Locale.ROOT))
                .register(meters);
    }

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
        List<SetCoverage> covered = List.of();
        Search search;
        try {
            covered = covered(build, sets);
            identities.storeSets(work, covered);
            search = work.attempts() > properties.attempts()
                    ? new Search(Result.FAILED, Identity.UNKNOWN, CUT_OFF)
                    : executables.search(build, sets);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        } catch (StoreUnreachableException e) {
            // The build is not the cause.
            identities.postpone(work, String.valueOf(e.getMessage()), backoff.after(work.attempts(), Duration.ZERO));
            return;
        } catch (RuntimeException e) {
            FatalErrors.haltIfFatal(e);
            log.error("build {}: its type sets or the names in its executable cannot be read", work.id(), e);
            search = new Search(Result.FAILED, Identity.UNKNOWN, "unexpected error");
        }
        counter(search.result()).increment();
        if (search.result() == Result.FOUND) {
            identities.add(work, file.architecture(), search.identity());
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

    /** Returns the coverage of the sets, without those that take too long. */
    private List<SetCoverage> covered(Build build, List<TypeSet> sets) {
        List<SetCoverage> covered = new ArrayList<>();
        for (TypeSet set : sets) {
            try {
                covered.addAll(coverage.required(build, List.of(set.name())));
            } catch (ProblemException e) {
                log.warn(
                        "build {}: the coverage of @{} is not stored: {}",
                        build.id(),
                        set.name(),
                        e.problem().detail());
            }
        }
        return covered;
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
}
