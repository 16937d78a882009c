package dev.offsetd.server.query;

import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.BuildResources;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.PinCounts;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.UnstoredBuild;
import dev.offsetd.server.demand.Demand;
import dev.offsetd.server.extraction.BuildStatus;
import dev.offsetd.server.extraction.BusyException;
import dev.offsetd.server.extraction.DrainingException;
import dev.offsetd.server.extraction.Extractions;
import dev.offsetd.server.outcome.BuildState;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;

/**
 * Runs queries against builds: waits until the build is extracted, and extracts it again if its stored types are
 * corrupt.
 */
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
     * Answers from the stored types of a build. If they are corrupt, the build is extracted again and the query runs
     * once more.
     *
     * @param wait how long the caller waits for a build that is not extracted yet
     * @param answer receives the build and its file; may throw {@link CorruptBlobException}
     * @return empty if the build takes longer; see {@link #inProgress}
     * @throws ProblemException if the build is unavailable: 404, 422 or 5xx; if its build-id is shared: 409
     */
    public <T> Optional<T> answer(BuildId id, Duration wait, BiFunction<Build, StoredFile, T> answer) {
        return answer(id, wait, Build::file, answer, Optional.empty(), _ -> new FallbackAnswer.NotAsked<>());
    }

    /**
     * Answers as {@link #answer} does, and from pins when the build has pins and nothing stored. Pins answer once every
     * source has replied without a usable file. After a failure of a source they answer only queries that they cover
     * completely, because the source may have the rest.
     */
    public <T> Optional<T> answerOrPinned(
            BuildId id, Duration wait, BiFunction<Build, StoredFile, T> answer, PinnedAnswer.Source<T> pinned) {
        return answer(id, wait, Build::file, answer, Optional.of(pinned), _ -> new FallbackAnswer.NotAsked<>());
    }

    /**
     * Answers as {@link #answerOrPinned} does, from types that are not stored yet, and by a fallback once every source has replied
     * without a usable file.
     *
     * @param unstored answers from types that are not stored yet
     */
    public <T> Optional<T> answerOrFallback(
            BuildId id,
            Duration wait,
            UnstoredAnswer<T> unstored,
            BiFunction<Build, StoredFile, T> answer,
            PinnedAnswer.Source<T> pinned,
            FallbackAnswer.Source<T> fallback) {
        return answer(id, wait, Build::file, answer, Optional.of(pinned), fallback, unstored);
    }

    /**
     * Answers as {@link #answer} does a query that needs only symbols, also if the debug information is unusable.
     *
     * @param answer receives the build and the file that the symbols come from
     */
    public <T> Optional<T> answerFromSymbols(BuildId id, Duration wait, BiFunction<Build, StoredFile, T> answer) {
        return answer(id, wait, Build::symbolsFile, answer, Optional.empty(), _ -> new FallbackAnswer.NotAsked<>());
    }

    /**
     * Answers as {@link #answer} does from all that is stored of a build, which may be only symbols or only pins.
     *
     * @param answer receives the build, and the file that its types and symbols come from; may throw {@link CorruptBlobException}
     */
    public <T> Optional<T> answerFromAnything(
            BuildId id, Duration wait, BiFunction<Build, Optional<StoredFile>, T> answer) {
        return answer(
                id,
                wait,
                Build::symbolsFile,
                (build, file) -> answer.apply(build, Optional.of(file)),
                Optional.of(build ->
                        new PinnedAnswer<>(answer.apply(build, Optional.empty()), build.state() != BuildState.FAILED)),
                _ -> new FallbackAnswer.NotAsked<>());
    }

    private <T> Optional<T> answer(
            BuildId id,
            Duration wait,
            Function<Build, Optional<StoredFile>> stored,
            BiFunction<Build, StoredFile, T> answer,
            Optional<PinnedAnswer.Source<T>> pinned,
            FallbackAnswer.Source<T> fallback) {
        return answer(id, wait, stored, answer, pinned, fallback, UnstoredAnswer.none());
    }

    private <T> Optional<T> answer(
            BuildId id,
            Duration wait,
            Function<Build, Optional<StoredFile>> stored,
            BiFunction<Build, StoredFile, T> answer,
            Optional<PinnedAnswer.Source<T>> pinned,
            FallbackAnswer.Source<T> fallback,
            UnstoredAnswer<T> unstored) {
        long deadline = System.nanoTime() + wait.toNanos();
        BuildStatus status = extractions.ask(id, unstored.names());
        if (status instanceof BuildStatus.InProgress running) {
            Optional<T> early = early(id, deadline, unstored, running.first(), running.unstored(), running.result())
                    .or(() -> early(id, deadline, unstored, running.unstored(), running.result()));
            if (early.isPresent()) {
                return early;
            }
        }
        Optional<Build> settled = settled(id, status, deadline);
        if (settled.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(give(settled.get(), stored, answer, pinned, fallback));
        } catch (CorruptBlobException e) {
            if (settled.get().extractorVersion() > OffsetExtractor.VERSION) {
                throw new ProblemException(BuildProblems.storedByLaterVersion(settled.get()));
            }
            if (settled.get().extractorVersion() < OffsetExtractor.VERSION) {
                throw new ProblemException(BuildProblems.storedByEarlierVersion(settled.get()));
            }
            log.error("build {}: the stored types are corrupt; extracting again", id, e);
            builds.discard(id, settled.get().generation());
        }
        return settled(id, extractions.ask(id), deadline)
                .map(renewed -> give(renewed, stored, answer, pinned, fallback));
    }

    private <T> T give(
            Build build,
            Function<Build, Optional<StoredFile>> stored,
            BiFunction<Build, StoredFile, T> answer,
            Optional<PinnedAnswer.Source<T>> pinned,
            FallbackAnswer.Source<T> fallback) {
        if (build.shared()) {
            throw keys.notUnique(build.id());
        }
        Optional<StoredFile> file = stored.apply(build);
        if (file.isPresent()) {
            return answer.apply(build, file.get());
        }
        Optional<PinnedAnswer<T>> given = pinned.filter(
                        source -> !pins.activePins(List.of(build.id())).isEmpty())
                .map(source -> source.apply(build));
        if (given.filter(PinnedAnswer::whole).isPresent()) {
            return given.get().answer();
        }
        countMiss(build);
        if (build.state() == BuildState.FAILED) {
            throw new ProblemException(BuildProblems.of(build));
        }
        return switch (fallback.apply(build)) {
            case FallbackAnswer.Given<T>(T other) -> other;
            case FallbackAnswer.NotAsked<T>() ->
                given.map(PinnedAnswer::answer).orElseThrow(() -> new ProblemException(BuildProblems.of(build)));
            case FallbackAnswer.Declined<T> declined ->
                given.map(partial -> partial.stating().apply(declined.detail()))
                        .orElseThrow(() -> new ProblemException(BuildProblems.of(build, declined)));
        };
    }

    /** Counts a build that an upload could provide. A failure of a source says nothing about the build. */
    private void countMiss(Build build) {
        if (build.state() != BuildState.FAILED) {
            build.failure().ifPresent(failure -> demand.missed(build.id(), failure.cause()));
        }
    }

    /** Returns the build once it has a result; empty if it takes longer than the caller waits. */
    private static Optional<Build> settled(BuildId id, BuildStatus status, long deadline) {
        return switch (status) {
            case BuildStatus.Settled(Build build) -> Optional.of(build);
            case BuildStatus.Busy(Duration retryAfter) -> throw new ProblemException(BuildProblems.busy(retryAfter));
            case BuildStatus.InProgress running -> waitFor(id, running.result(), deadline);
        };
    }

    /** Returns an answer once the first of these completes; empty if that does not suffice, or takes longer than the caller waits. */
    private static <T> Optional<T> early(
            BuildId id, long deadline, UnstoredAnswer<T> answer, CompletableFuture<?>... events) {
        return waitFor(id, CompletableFuture.anyOf(events), deadline)
                .flatMap(first ->
                        first instanceof UnstoredBuild build ? answer.source().apply(build) : Optional.empty());
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
