package dev.offsetd.server.query;

import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildResource;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.demand.Demand;
import dev.offsetd.server.extraction.BuildStatus;
import dev.offsetd.server.extraction.BusyException;
import dev.offsetd.server.extraction.DrainingException;
import dev.offsetd.server.extraction.Extractions;
import dev.offsetd.server.outcome.BuildState;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.time.Duration;
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

/** Has builds ready to answer from: known, extracted, and stored so that it can be read. */
@Component
public class BuildQueries {

    private static final Logger log = LoggerFactory.getLogger(BuildQueries.class);

    private static final Duration IN_PROGRESS_RETRY_AFTER = Duration.ofSeconds(2);

    private final Extractions extractions;
    private final Builds builds;
    private final Demand demand;

    BuildQueries(Extractions extractions, Builds builds, Demand demand) {
        this.extractions = extractions;
        this.builds = builds;
        this.demand = demand;
    }

    /**
     * Answers from what is stored of a build. What cannot be read is extracted anew, and asked once more.
     *
     * @param wait how long the caller wants to wait for a build that is not stored yet
     * @param answer given the build and what is stored of it; may throw {@link CorruptBlobException}
     * @return empty if the build takes longer; then see {@link #inProgress}
     * @throws ProblemException if the build cannot be had: 404, 422 or 5xx
     */
    public <T> Optional<T> answer(BuildId id, Duration wait, BiFunction<Build, StoredFile, T> answer) {
        return answer(id, wait, Build::file, answer, Optional.empty());
    }

    /**
     * As {@link #answer}, also about a build that has nothing stored but has pins: once every source has said no, or what they
     * have cannot serve. Where a source has failed only what pins answer wholly is answered: the rest may well be there.
     *
     * @param pinned answers from the pins
     */
    public <T> Optional<T> answerOrPinned(
            BuildId id, Duration wait, BiFunction<Build, StoredFile, T> answer, PinnedAnswer.Source<T> pinned) {
        return answer(id, wait, Build::file, answer, Optional.of(pinned));
    }

    /**
     * As {@link #answer}, for what the symbols of a build can answer alone: also of one whose debug information cannot serve.
     *
     * @param answer given the build and the file that its symbols were read from
     */
    public <T> Optional<T> answerFromSymbols(BuildId id, Duration wait, BiFunction<Build, StoredFile, T> answer) {
        return answer(id, wait, Build::symbolsFile, answer, Optional.empty());
    }

    private <T> Optional<T> answer(
            BuildId id,
            Duration wait,
            Function<Build, Optional<StoredFile>> stored,
            BiFunction<Build, StoredFile, T> answer,
            Optional<PinnedAnswer.Source<T>> pinned) {
        Optional<Build> settled = settled(id, wait);
        if (settled.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(give(settled.get(), stored, answer, pinned));
        } catch (CorruptBlobException e) {
            if (settled.get().extractorVersion() > OffsetExtractor.VERSION) {
                throw new ProblemException(BuildProblems.storedByLaterVersion(settled.get()));
            }
            if (settled.get().extractorVersion() < OffsetExtractor.VERSION) {
                throw new ProblemException(BuildProblems.storedByEarlierVersion(settled.get()));
            }
            log.error("build {}: what is stored cannot be read and is extracted anew", id, e);
            builds.discard(id, settled.get().generation());
        }
        return settled(id, wait).map(renewed -> give(renewed, stored, answer, pinned));
    }

    private <T> T give(
            Build build,
            Function<Build, Optional<StoredFile>> stored,
            BiFunction<Build, StoredFile, T> answer,
            Optional<PinnedAnswer.Source<T>> pinned) {
        Optional<StoredFile> file = stored.apply(build);
        if (file.isPresent()) {
            return answer.apply(build, file.get());
        }
        if (pinned.isPresent() && build.activePins() > 0) {
            PinnedAnswer<T> given = pinned.get().apply(build);
            if (given.whole()) {
                return given.answer();
            }
            if (build.state() != BuildState.FAILED) {
                countMiss(build);
                return given.answer();
            }
        }
        countMiss(build);
        throw new ProblemException(BuildProblems.of(build));
    }

    /** Counts what an upload could help with; a failure says nothing about the build. */
    private void countMiss(Build build) {
        if (build.state() != BuildState.FAILED) {
            build.failure().ifPresent(failure -> demand.missed(build.id(), failure.cause()));
        }
    }

    /** The build once it has a result; empty if it takes longer than the caller wants to wait. */
    private Optional<Build> settled(BuildId id, Duration wait) {
        return switch (extractions.ask(id)) {
            case BuildStatus.Settled(Build build) -> Optional.of(build);
            case BuildStatus.Busy(Duration retryAfter) -> throw new ProblemException(BuildProblems.busy(retryAfter));
            case BuildStatus.InProgress(CompletableFuture<Build> result) -> waitFor(id, result, wait);
        };
    }

    private static Optional<Build> waitFor(BuildId id, CompletableFuture<Build> result, Duration wait) {
        try {
            return Optional.of(result.get(wait.toMillis(), TimeUnit.MILLISECONDS));
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
     * The response about a build that takes longer than the caller wants to wait: 202, with the build as it stands.
     *
     * @param representation of the answer that is to come; what stands in for a text is JSON
     */
    public ResponseEntity<dev.offsetd.server.api.model.Build> inProgress(
            BuildId id, Wait wait, Representation representation) {
        Representation interim =
                Representation.STRUCTURED.contains(representation) ? representation : Representation.JSON;
        ResponseEntity.BodyBuilder response = ResponseEntity.accepted()
                .header(HttpHeaders.CONTENT_TYPE, interim.contentType())
                .header(HttpHeaders.LOCATION, BuildResource.PATH + id)
                .header(HttpHeaders.RETRY_AFTER, Long.toString(IN_PROGRESS_RETRY_AFTER.toSeconds()))
                .header(HttpHeaders.CACHE_CONTROL, "no-store");
        wait.applyTo(response);
        return response.body(BuildResource.of(builds.find(id).orElseThrow()));
    }
}
