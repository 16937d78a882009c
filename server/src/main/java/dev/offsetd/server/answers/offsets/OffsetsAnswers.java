package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.offsets.AnswerCache.BuildEntry;
import dev.offsetd.server.answers.offsets.AnswerCache.KnownBuild;
import dev.offsetd.server.answers.offsets.StoredItems.ResolvedItems;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.UnstoredBuild;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.ProblemException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Answers queries from the cache, or from the build once it is extracted. */
@Component
class OffsetsAnswers {

    private final BuildQueries builds;
    private final AnswerCache cache;
    private final StoredItems items;
    private final ConsensusAnswers consensus;
    private final Counter fromStored;
    private final Counter fromPins;

    OffsetsAnswers(
            BuildQueries builds,
            AnswerCache cache,
            StoredItems items,
            ConsensusAnswers consensus,
            MeterRegistry meters) {
        this.builds = builds;
        this.cache = cache;
        this.items = items;
        this.consensus = consensus;
        this.fromStored = AnswerCache.counter("stored", meters);
        this.fromPins = AnswerCache.counter("pins", meters);
    }

    /** A query with the items of its type sets, and the cache entry of its build, which was taken before they were read. */
    private record Asked(BuildEntry entry, OffsetsQuery query, Expansion expansion, ContentCoding coding) {}

    /**
     * Answers a query.
     *
     * @param wait how long the caller waits for a build that is not extracted yet
     * @return empty if the build takes longer
     * @throws ProblemException if the build is unavailable, or a type set is unknown
     */
    Optional<Answer> answer(BuildId id, OffsetsQuery query, ContentCoding coding, Duration wait) {
        Optional<Answer> cached = cache.find(id, query.text().exact(), coding);
        if (cached.isPresent()) {
            cache.countFromMemory();
            return cached;
        }
        BuildEntry entry = cache.entry(id);
        Asked asked = new Asked(entry, query, items.expand(query), coding);
        Optional<KnownBuild> known = cache.known(entry);
        if (known.isPresent()) {
            try {
                return Optional.of(render(known.get(), asked));
            } catch (CorruptBlobException e) {
                // Read again below, which also finds the damage.
            }
        }
        BuildAccess access = builds.access(id, StoredItems.requestedNames(asked.expansion()), wait);
        while (access instanceof BuildAccess.Early early) {
            Optional<Answer> answer = renderEarly(early.build(), asked);
            if (answer.isPresent()) {
                return answer;
            }
            access = builds.after(early);
        }
        try {
            return answer(access, asked);
        } catch (CorruptBlobException e) {
            return answer(builds.extractAgain(access, BuildQueries.Part.TYPES, wait, e), asked);
        }
    }

    private Optional<Answer> answer(BuildAccess access, Asked asked) {
        return switch (access) {
            case BuildAccess.Stored(Build build, StoredFile file) ->
                Optional.of(render(new KnownBuild(build, file, items.pinsInEffect(build)), asked));
            case BuildAccess.OnlyPins(Build build) -> Optional.of(fromPins(build, asked));
            case BuildAccess.Unavailable(Build build) -> Optional.of(withoutFile(build, null, asked));
            case BuildAccess.InProgress _ -> Optional.empty();
            case BuildAccess.Early early -> throw new IllegalArgumentException("not settled: " + early);
        };
    }

    private Answer render(KnownBuild known, Asked asked) {
        Build build = known.build();
        StoredFile file = known.file();
        OffsetsQuery query = asked.query();
        Answer answer = items.answer(
                build, known.pins(), query, asked.expansion(), found -> Answer.of(build.id(), file, query, found));
        fromStored.increment();
        if (AnswerParts.isStale(file)) {
            answer = answer.markedStale();
        }
        return cache.put(asked.entry(), known, query, asked.coding(), answer);
    }

    /**
     * Renders an answer from types that are not stored yet. It is not cached, because its generation is not known.
     *
     * @return empty if they are stored by now, or if the query needs more
     */
    private Optional<Answer> renderEarly(UnstoredBuild build, Asked asked) {
        Optional<ResolvedItems> found = items.answerUnstored(build, asked.query(), asked.expansion());
        if (found.isEmpty()) {
            return Optional.empty();
        }
        fromStored.increment();
        Answer answer = Answer.of(build.build().id(), build.file(), asked.query(), found.get());
        return Optional.of(cache.encoded(answer.asProvisional(), asked.coding()));
    }

    /**
     * Answers from the pins of a build that has nothing else, if they answer everything. It is not cached: each query may retry the
     * sources, and counts as unmet demand if an item is missing.
     */
    private Answer fromPins(Build build, Asked asked) {
        ResolvedItems found = items.answerFromPins(build, asked.query(), asked.expansion());
        fromPins.increment();
        return found.isWhole() ? rendered(build, found, asked) : withoutFile(build, found, asked);
    }

    /**
     * Answers by the consensus of other builds, if the client accepts one; else from pins.
     *
     * @param pinned what pins answer; null if there are none
     * @throws ProblemException if neither answers
     */
    private Answer withoutFile(Build build, @Nullable ResolvedItems pinned, Asked asked) {
        builds.countMiss(build);
        if (asked.query().text().fallback().isEmpty()) {
            return orProblem(build, pinned, asked);
        }
        return switch (consensus.answer(build, asked.query(), asked.coding())) {
            case ConsensusResult.Given<Answer>(Answer answer) -> answer;
            case ConsensusResult.Declined<Answer>(NoConsensus reason) -> {
                if (pinned == null) {
                    throw new ProblemException(reason.addTo(builds.problemOf(build)));
                }
                yield rendered(build, pinned.stating(reason.sentence()), asked);
            }
        };
    }

    private Answer orProblem(Build build, @Nullable ResolvedItems pinned, Asked asked) {
        if (pinned == null) {
            throw new ProblemException(builds.problemOf(build));
        }
        return rendered(build, pinned, asked);
    }

    private Answer rendered(Build build, ResolvedItems found, Asked asked) {
        Answer answer = Answer.of(build.id(), build.symbolsFile().orElse(null), asked.query(), found);
        return cache.encoded(answer, asked.coding());
    }
}
