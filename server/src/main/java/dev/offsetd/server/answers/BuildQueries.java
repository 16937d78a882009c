package dev.offsetd.server.answers;

import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.answers.BuildRequest.Part;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.BuildResources;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.EarlyBuild;
import dev.offsetd.server.builds.PinCounts;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.demand.Demand;
import dev.offsetd.server.builds.extraction.BuildStatus;
import dev.offsetd.server.builds.extraction.BusyException;
import dev.offsetd.server.builds.extraction.DrainingException;
import dev.offsetd.server.builds.extraction.Extractions;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.QueryString;
import dev.offsetd.server.web.Representation;
import dev.offsetd.server.web.Wait;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
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

    /**
     * Returns the request for a build.
     *
     * @param key of the build
     * @throws ProblemException if the key is malformed (400), or different builds have it (409)
     */
    public BuildRequest request(String key, Part part, HttpServletRequest request) {
        return new BuildRequest(keys.resolve(key), part, Wait.of(request), name(request.getQueryString()));
    }

    private static @Nullable String name(@Nullable String query) {
        return query == null || !query.contains(BuildRequest.NAME + "=")
                ? null
                : QueryString.parse(query, _ -> false).stream()
                        .filter(parameter -> parameter.name().equals(BuildRequest.NAME))
                        .map(QueryString.Parameter::value)
                        .findFirst()
                        .orElse(null);
    }

    /**
     * Returns what is stored of a build. Begins its extraction if nothing is, and waits for it.
     *
     * @throws ProblemException if the build-id is shared: 409; if the server is busy: 503
     */
    public BuildAccess.Settled access(BuildRequest request) {
        return access(request, extractions.request(request.id()), deadline(request));
    }

    /**
     * Returns the stored types of a build, or those of these names before all are stored.
     *
     * @param names whose types are read first; none if the query needs more than types
     * @throws ProblemException as {@link #access(BuildRequest)}
     */
    public BuildAccess access(BuildRequest request, RequestedNames names) {
        long deadline = deadline(request);
        BuildStatus status = extractions.request(request.id(), names);
        return status instanceof BuildStatus.InProgress running && !names.equals(RequestedNames.NONE)
                ? first(request, running, deadline, running.first(), running.unstored(), running.result())
                : access(request, status, deadline);
    }

    /** Returns until when the client waits, as {@link System#nanoTime()}. */
    public static long deadline(BuildRequest request) {
        return System.nanoTime() + request.waiting().time().toNanos();
    }

    /**
     * Returns the stored build that a query reads.
     *
     * @return empty if its extraction takes longer
     * @throws ProblemException if nothing that the query reads is stored: 404, 422 or 5xx
     */
    public Optional<BuildAccess.Stored> stored(BuildRequest request) {
        return stored(access(request), request);
    }

    private Optional<BuildAccess.Stored> stored(BuildAccess.Settled access, BuildRequest request) {
        return switch (access) {
            case BuildAccess.Stored stored -> Optional.of(stored);
            case BuildAccess.InProgress _ -> Optional.empty();
            case BuildAccess.OnlyPins(Build build) -> throw unavailable(build, request);
            case BuildAccess.Unavailable(Build build) -> throw unavailable(build, request);
        };
    }

    /** Returns the access of a query for which these types did not suffice. */
    public BuildAccess after(BuildAccess.Early early, BuildRequest request) {
        BuildStatus.InProgress running = early.progress();
        return early.build().types().areAll()
                ? access(request, running, early.deadline())
                : first(request, running, early.deadline(), running.unstored(), running.result());
    }

    /**
     * Answers a query from a build. If what is stored of the build is damaged, it is discarded and extracted again, and the query is
     * answered once more.
     *
     * @param query answers from an access
     * @throws ProblemException if another version of the server stored what is damaged: 503
     */
    public <T> T answer(BuildAccess.Settled access, BuildRequest request, Function<BuildAccess.Settled, T> query) {
        try {
            return query.apply(access);
        } catch (CorruptBlobException e) {
            return query.apply(extractAgain(access, request, e));
        }
    }

    /**
     * Answers a query from what is stored of a build, as {@link #answer}.
     *
     * @return empty if the build takes longer
     * @throws ProblemException if nothing that the query reads is stored: 404, 422 or 5xx
     */
    public <T> Optional<T> answerStored(BuildRequest request, Function<BuildAccess.Stored, T> query) {
        return answer(
                access(request), request, access -> stored(access, request).map(query));
    }

    /**
     * Discards what is stored of a build, and extracts it again.
     *
     * @param damaged in which a query found damage
     * @throws ProblemException if another version of the server stored it: 503
     */
    public BuildAccess.Settled extractAgain(
            BuildAccess.Settled damaged, BuildRequest request, CorruptBlobException cause) {
        Build build = switch (damaged) {
            case BuildAccess.Stored(Build stored, StoredFile _) -> stored;
            case BuildAccess.OnlyPins(Build pinned) -> pinned;
            case BuildAccess.Unavailable(Build unavailable) -> unavailable;
            case BuildAccess.InProgress _ -> throw cause;
        };
        if (PartVersions.CURRENT.areBehind(build.versions())) {
            throw new ProblemException(BuildProblems.storedByLaterVersion(build));
        }
        if (build.versions().areBehind(PartVersions.CURRENT)) {
            throw new ProblemException(BuildProblems.storedByEarlierVersion(build));
        }
        log.error("build {}: the stored types are corrupt; extracting again", build.id(), cause);
        builds.discard(build.id(), build.generation());
        return access(request);
    }

    /**
     * Counts a query that nothing stored answers as unmet demand, with the name that the client gives the build. A failure of a
     * source says nothing about the build.
     *
     * @throws ProblemException if a source failed, because it may have the build: 5xx
     */
    public void countMiss(Build build, BuildRequest request) {
        if (request.name() != null) {
            demand.claimed(build.id(), request.name());
        }
        if (build.state() == BuildState.FAILED) {
            throw new ProblemException(BuildProblems.of(build));
        }
        build.failure().ifPresent(failure -> demand.missed(build.id(), failure.cause()));
    }

    /** Returns the problem of a build that no source has a usable file of, and counts it as unmet demand. */
    public ProblemException unavailable(Build build, BuildRequest request) {
        countMiss(build, request);
        return new ProblemException(problemOf(build));
    }

    /** Returns the problem of a build that no source has a usable file of. */
    public Problem problemOf(Build build) {
        return BuildProblems.of(build);
    }

    private BuildAccess.Settled access(BuildRequest request, BuildStatus status, long deadline) {
        return switch (status) {
            case BuildStatus.Settled(Build build) -> access(build, request.part());
            case BuildStatus.Busy(Duration retryAfter) -> throw new ProblemException(BuildProblems.busy(retryAfter));
            case BuildStatus.InProgress running -> {
                Optional<Build> settled = waitFor(request.id(), running.result(), deadline);
                yield settled.isPresent()
                        ? access(settled.get(), request.part())
                        : new BuildAccess.InProgress(request.id());
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
            BuildRequest request, BuildStatus.InProgress running, long deadline, CompletableFuture<?>... events) {
        Optional<Object> first = waitFor(request.id(), CompletableFuture.anyOf(events), deadline);
        if (first.isEmpty()) {
            return new BuildAccess.InProgress(request.id());
        }
        return first.get() instanceof EarlyBuild types
                ? new BuildAccess.Early(types, running, deadline)
                : access(request, running, deadline);
    }

    /**
     * Waits for work on a build.
     *
     * @param deadline as {@link System#nanoTime()}
     * @return empty if it takes longer, or the server shuts down
     * @throws ProblemException if the server is busy: 503
     */
    public static <T> Optional<T> waitFor(BuildId id, CompletableFuture<T> result, long deadline) {
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
            BuildRequest request, Representation representation) {
        Representation interim =
                Representation.STRUCTURED.contains(representation) ? representation : Representation.JSON;
        ResponseEntity.BodyBuilder response = ResponseEntity.accepted()
                .header(HttpHeaders.CONTENT_TYPE, interim.contentType())
                .header(HttpHeaders.LOCATION, BuildResources.PATH + request.id())
                .header(HttpHeaders.RETRY_AFTER, Long.toString(IN_PROGRESS_RETRY_AFTER.toSeconds()))
                .header(HttpHeaders.CACHE_CONTROL, "no-store");
        request.waiting().applyTo(response);
        return response.body(resources.find(request.id()).orElseThrow());
    }
}
