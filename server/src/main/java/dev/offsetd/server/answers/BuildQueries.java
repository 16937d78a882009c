package dev.offsetd.server.answers;

import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.BuildResources;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.PinCounts;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.UnstoredBuild;
import dev.offsetd.server.builds.demand.Demand;
import dev.offsetd.server.builds.extraction.BuildStatus;
import dev.offsetd.server.builds.extraction.BusyException;
import dev.offsetd.server.builds.extraction.DrainingException;
import dev.offsetd.server.builds.extraction.Extractions;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;

/** Access of queries to builds: begins and awaits extractions, and says what is stored, or why nothing is. */
@Component
public class BuildQueries {

    private static final Logger log = LoggerFactory.getLogger(BuildQueries.class);

    private static final Duration IN_PROGRESS_RETRY_AFTER = Duration.ofSeconds(2);

    private final Extractions extractions;
    private final Builds builds;
    private final BuildResources resources;
    private final PinCounts pins;
    private final Demand demand;
    private final BuildKeys keys;

    BuildQueries(
            Extractions extractions,
            Builds builds,
            BuildResources resources,
            PinCounts pins,
            Demand demand,
            BuildKeys keys) {
        this.keys = keys;
        this.extractions = extractions;
        this.builds = builds;
        this.resources = resources;
        this.pins = pins;
        this.demand = demand;
    }

    /** Part of a stored build that a query reads. */
    public enum Part {
        TYPES,

        /** Stored also for files whose debug information is unusable. */
        SYMBOLS
    }

    /**
     * Returns what is stored of a build. Begins its extraction if nothing is, and waits for it.
     *
     * @param wait how long the client waits
     * @throws ProblemException if the build-id is shared: 409; if the server is busy: 503
     */
    public BuildAccess.Settled access(BuildId id, Part part, Duration wait) {
        return access(id, part, extractions.ask(id), System.nanoTime() + wait.toNanos());
    }

    /**
     * Returns the stored types of a build, or those of these names before all are stored.
     *
     * @param names whose types are read first; none if the query needs more than types
     * @param wait how long the client waits
     * @throws ProblemException as {@link #access(BuildId, Part, Duration)}
     */
    public BuildAccess access(BuildId id, RequestedNames names, Duration wait) {
        long deadline = System.nanoTime() + wait.toNanos();
        BuildStatus status = extractions.ask(id, names);
        return status instanceof BuildStatus.InProgress running && !names.equals(RequestedNames.NONE)
                ? first(id, running, deadline, running.first(), running.unstored(), running.result())
                : access(id, Part.TYPES, status, deadline);
    }

    /**
     * Returns the stored build that a query reads.
     *
     * @return empty if its extraction takes longer
     * @throws ProblemException if nothing that the query reads is stored: 404, 422 or 5xx
     */
    public Optional<BuildAccess.Stored> stored(BuildAccess.Settled access) {
        return switch (access) {
            case BuildAccess.Stored stored -> Optional.of(stored);
            case BuildAccess.InProgress _ -> Optional.empty();
            case BuildAccess.OnlyPins(Build build) -> throw unavailable(build);
            case BuildAccess.Unavailable(Build build) -> throw unavailable(build);
        };
    }

    /** Returns what follows types that did not suffice. */
    public BuildAccess after(BuildAccess.Early early) {
        BuildId id = early.build().build().id();
        BuildStatus.InProgress running = early.progress();
        return early.build().types().areAll()
                ? access(id, Part.TYPES, running, early.deadline())
                : first(id, running, early.deadline(), running.unstored(), running.result());
    }

    /**
     * Discards what is stored of a build, and extracts it again.
     *
     * @param corrupt in which a query found damage
     * @throws ProblemException if another version of the server stored it: 503
     */
    public BuildAccess.Settled extractAgain(BuildAccess corrupt, Part part, Duration wait, CorruptBlobException cause) {
        Build build = switch (corrupt) {
            case BuildAccess.Stored stored -> stored.build();
            case BuildAccess.OnlyPins pinned -> pinned.build();
            case BuildAccess.Unavailable unavailable -> unavailable.build();
            case BuildAccess.InProgress _, BuildAccess.Early _ -> throw cause;
        };
        if (OffsetExtractor.VERSIONS.areBehind(build.versions())) {
            throw new ProblemException(BuildProblems.storedByLaterVersion(build));
        }
        if (build.versions().areBehind(OffsetExtractor.VERSIONS)) {
            throw new ProblemException(BuildProblems.storedByEarlierVersion(build));
        }
        log.error("build {}: the stored types are corrupt; extracting again", build.id(), cause);
        builds.discard(build.id(), build.generation());
        return access(build.id(), part, wait);
    }

    /**
     * Counts a query that nothing stored answers as unmet demand. A failure of a source says nothing about the build.
     *
     * @throws ProblemException if a source failed, because it may have the build: 5xx
     */
    public void countMiss(Build build) {
        if (build.state() == BuildState.FAILED) {
            throw new ProblemException(BuildProblems.of(build));
        }
        build.failure().ifPresent(failure -> demand.missed(build.id(), failure.cause()));
    }

    /** Returns the problem of a build that no source has a usable file of, and counts it as unmet demand. */
    public ProblemException unavailable(Build build) {
        countMiss(build);
        return new ProblemException(problemOf(build));
    }

    /** Returns the problem of a build that no source has a usable file of. */
    public Problem problemOf(Build build) {
        return BuildProblems.of(build);
    }

    private BuildAccess.Settled access(BuildId id, Part part, BuildStatus status, long deadline) {
        return switch (status) {
            case BuildStatus.Settled(Build build) -> access(build, part);
            case BuildStatus.Busy(Duration retryAfter) -> throw new ProblemException(BuildProblems.busy(retryAfter));
            case BuildStatus.InProgress running -> {
                Optional<Build> settled = waitFor(id, running.result(), deadline);
                yield settled.isPresent() ? access(settled.get(), part) : new BuildAccess.InProgress(id);
            }
        };
    }

    private BuildAccess.Settled access(Build build, Part part) {
        if (build.shared()) {
            throw keys.notUnique(build.id());
        }
        Optional<StoredFile> file = part == Part.TYPES ? build.file() : build.symbolsFile();
        if (file.isPresent()) {
            return new BuildAccess.Stored(build, file.get());
        }
        return pins.activePins(List.of(build.id())).isEmpty()
                ? new BuildAccess.Unavailable(build)
                : new BuildAccess.OnlyPins(build);
    }

    /** Waits for the first of these: types, or the build. */
    private BuildAccess first(
            BuildId id, BuildStatus.InProgress running, long deadline, CompletableFuture<?>... events) {
        Optional<Object> first = waitFor(id, CompletableFuture.anyOf(events), deadline);
        if (first.isEmpty()) {
            return new BuildAccess.InProgress(id);
        }
        return first.get() instanceof UnstoredBuild types
                ? new BuildAccess.Early(types, running, deadline)
                : access(id, Part.TYPES, running, deadline);
    }

    /** @param deadline as {@link System#nanoTime()} */
    private static <T> Optional<T> waitFor(BuildId id, CompletableFuture<T> result, long deadline) {
        try {
            return Optional.of(result.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProblemException(BuildProblems.busy(IN_PROGRESS_RETRY_AFTER));
        } catch (ExecutionException e) {
            if (e.getCause() instanceof DrainingException) {
                return Optional.empty();
            }
            throw switch (e.getCause()) {
                case BusyException busy -> new ProblemException(BuildProblems.busy(busy.retryAfter()));
                case RuntimeException known -> known;
                case null, default -> new IllegalStateException("the extraction of build " + id + " failed", e);
            };
        }
    }

    /**
     * Returns the 202 response for a build that takes longer than the caller waits.
     *
     * @param representation of the answer to come; JSON stands in for text
     */
    public ResponseEntity<dev.offsetd.server.api.model.Build> inProgress(
            BuildId id, Wait wait, Representation representation) {
        Representation interim =
                Representation.STRUCTURED.contains(representation) ? representation : Representation.JSON;
        ResponseEntity.BodyBuilder response = ResponseEntity.accepted()
                .header(HttpHeaders.CONTENT_TYPE, interim.contentType())
                .header(HttpHeaders.LOCATION, BuildResources.PATH + id)
                .header(HttpHeaders.RETRY_AFTER, Long.toString(IN_PROGRESS_RETRY_AFTER.toSeconds()))
                .header(HttpHeaders.CACHE_CONTROL, "no-store");
        wait.applyTo(response);
        return response.body(resources.find(id).orElseThrow());
    }
}
