package dev.offsetd.server.answers;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.answers.BuildRequest.Part;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.BuildResources;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.EarlyBuild;
import dev.offsetd.server.builds.EarlyContent.Wanted;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.demand.Demand;
import dev.offsetd.server.builds.extraction.BuildStatus;
import dev.offsetd.server.builds.extraction.BusyException;
import dev.offsetd.server.builds.extraction.DrainingException;
import dev.offsetd.server.builds.extraction.Extractions;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.QueryString;
import dev.offsetd.server.web.Representation;
import dev.offsetd.server.web.Wait;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
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

/** Access of queries to builds: begins and awaits extractions, and returns what is stored, or why nothing is. */
@Component
public class BuildQueries {

    private static final Logger log = LoggerFactory.getLogger(BuildQueries.class);

    private static final Duration IN_PROGRESS_RETRY_AFTER = Duration.ofSeconds(2);

    private final Extractions extractions;
    private final Builds builds;
    private final BuildResources resources;
    private final Pins pins;
    private final Demand demand;
    private final BuildKeys keys;

    BuildQueries(
            Extractions extractions,
            Builds builds,
            BuildResources resources,
            Pins pins,
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
        return new BuildRequest(
                keys.resolve(key), Caller.of(request), part, Wait.of(request), name(request.getQueryString()));
    }

    private static @Nullable String name(@Nullable String query) {
        return query == null || !query.contains(BuildRequest.NAME + "=")
                ? null
                : QueryString.first(query, BuildRequest.NAME).orElse(null);
    }

    /**
     * Returns what is stored of a build. Begins its extraction if nothing is, and waits for it.
     *
     * @throws ProblemException if the build-id is shared: 409; if the server is busy: 503
     */
    public BuildAccess access(BuildRequest request) {
        return access(request, deadline(request));
    }

    private BuildAccess access(BuildRequest request, long deadline) {
        return awaitBuild(request, extractions.request(request.id(), Wanted.NONE, request.caller()), deadline);
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

    /** Returns the stored build that a query reads, as {@link #stored(BuildRequest)}. */
    public Optional<BuildAccess.Stored> stored(BuildAccess access, BuildRequest request) {
        return switch (access) {
            case BuildAccess.Stored stored -> Optional.of(stored);
            case BuildAccess.InProgress _ -> Optional.empty();
            case BuildAccess.OnlyPins(Build build, BuildPins _) -> throw unavailable(build, request);
            case BuildAccess.Unavailable(Build build) -> throw unavailable(build, request);
        };
    }

    /**
     * Answers a query about a build once it is stored. If what is stored is damaged, it is discarded and extracted again, and the
     * query is answered once more.
     *
     * @throws ProblemException as {@link #access}; if another version of the server stored what is damaged: 503
     */
    public <T> T answer(BuildRequest request, Function<BuildAccess, T> query) {
        long deadline = deadline(request);
        return answer(access(request, deadline), request, deadline, query);
    }

    /**
     * Answers a query as {@link #answer(BuildRequest, Function)}, or from content that has been read and is not stored yet.
     *
     * @param wanted what is read first; none if the query needs all
     * @param earlyQuery returns empty if the content does not suffice: at first it is what is wanted, then all types
     */
    public <T> Optional<T> answer(
            BuildRequest request,
            Wanted wanted,
            Function<EarlyBuild, Optional<T>> earlyQuery,
            Function<BuildAccess, Optional<T>> query) {
        long deadline = deadline(request);
        BuildStatus status = extractions.request(request.id(), wanted, request.caller());
        if (status instanceof BuildStatus.InProgress work && !wanted.equals(Wanted.NONE)) {
            Optional<T> answer = answerEarly(request.id(), work, deadline, earlyQuery);
            if (answer.isPresent()) {
                return answer;
            }
        }
        return answer(awaitBuild(request, status, deadline), request, deadline, query);
    }

    private static <T> Optional<T> answerEarly(
            BuildId id, BuildStatus.InProgress work, long deadline, Function<EarlyBuild, Optional<T>> query) {
        Optional<EarlyBuild> first = waitFor(id, work.first(), deadline).flatMap(content -> content);
        Optional<T> answer = first.flatMap(query);
        return answer.isPresent()
                        || first.filter(early -> !early.content().areAllTypes()).isEmpty()
                ? answer
                : waitFor(id, work.allTypes(), deadline).flatMap(types -> types).flatMap(query);
    }

    private <T> T answer(BuildAccess access, BuildRequest request, long deadline, Function<BuildAccess, T> query) {
        try {
            return query.apply(access);
        } catch (CorruptBlobException e) {
            return query.apply(extractAgain(access, request, deadline, e));
        }
    }

    /**
     * Answers a query from what is stored of a build, as {@link #answer(BuildRequest, Function)}.
     *
     * @return empty if the build takes longer
     * @throws ProblemException if nothing that the query reads is stored: 404, 422 or 5xx
     */
    public <T> Optional<T> answerStored(BuildRequest request, Function<BuildAccess.Stored, T> query) {
        return answer(request, access -> stored(access, request).map(query));
    }

    /**
     * Discards what is stored of a build, and extracts it again, unless it was replaced since.
     *
     * @param damaged in which a query found damage
     * @param deadline until when the client waits, as {@link #deadline}
     * @throws ProblemException if another version of the server stored it: 503
     */
    public BuildAccess extractAgain(
            BuildAccess damaged, BuildRequest request, long deadline, CorruptBlobException cause) {
        Build build = switch (damaged) {
            case BuildAccess.Stored(Build stored, StoredFile _) -> stored;
            case BuildAccess.OnlyPins(Build pinned, BuildPins _) -> pinned;
            case BuildAccess.Unavailable(Build unavailable) -> unavailable;
            case BuildAccess.InProgress _ -> throw cause;
        };
        if (builds.find(build.id())
                .filter(now -> now.generation() == build.generation())
                .isEmpty()) {
            // The query read slices of two results.
            return access(request, deadline);
        }
        if (PartVersions.CURRENT.areBehind(build.versions())) {
            throw new ProblemException(BuildProblems.storedByLaterVersion(build.versions(), PartVersions.CURRENT));
        }
        if (build.versions().areBehind(PartVersions.CURRENT)) {
            throw new ProblemException(BuildProblems.storedByEarlierVersion(build));
        }
        log.error("build {}: the stored types are corrupt; extracting again", build.id(), cause);
        builds.discard(build.id(), build.generation());
        return access(request, deadline);
    }

    /** Counts a query that nothing stored answers as unmet demand, unless a source failed, and stores the client's name of the build. */
    public void countMiss(Build build, BuildRequest request) {
        if (request.name() != null) {
            demand.claimed(build.id(), request.name());
        }
        if (build.failure() != null && build.state() != BuildState.FAILED) {
            demand.missed(build.id(), build.failure().cause());
        }
    }

    /**
     * Requires that no source of a build failed, because it may have the build: neither pins that answer in part nor other builds
     * stand in for it.
     *
     * @throws ProblemException if one failed: 5xx
     */
    public static void requireSourcesAnswered(Build build) {
        if (build.state() == BuildState.FAILED) {
            throw new ProblemException(BuildProblems.of(build));
        }
    }

    /** Returns the problem of a build that no source has a usable file of, and counts it as unmet demand. */
    public ProblemException unavailable(Build build, BuildRequest request) {
        countMiss(build, request);
        return new ProblemException(BuildProblems.of(build));
    }

    /** @param deadline as {@link System#nanoTime()} */
    private BuildAccess awaitBuild(BuildRequest request, BuildStatus status, long deadline) {
        return switch (status) {
            case BuildStatus.Settled(Build build) -> accessTo(build, request.part());
            case BuildStatus.InProgress work ->
                waitFor(request.id(), work.result(), deadline)
                        .map(build -> accessTo(build, request.part()))
                        .orElseGet(BuildAccess.InProgress::new);
        };
    }

    private BuildAccess accessTo(Build build, Part part) {
        if (build.shared()) {
            throw keys.notUnique(build.id());
        }
        StoredFile file =
                part == Part.TYPES ? build.file() : build.symbolsFile().orElse(null);
        if (file != null) {
            return new BuildAccess.Stored(build, file);
        }
        BuildPins inEffect = pins.inEffect(build);
        return inEffect == BuildPins.NONE
                ? new BuildAccess.Unavailable(build)
                : new BuildAccess.OnlyPins(build, inEffect);
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
        return response.body(resources.findOrAdd(request.id()));
    }
}
