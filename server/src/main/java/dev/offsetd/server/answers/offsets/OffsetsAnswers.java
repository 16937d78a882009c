package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.View;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.answers.BuildProblems;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.ItemResolution;
import dev.offsetd.server.answers.ItemResolution.ResolvedItems;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.answers.consensus.Consensus;
import dev.offsetd.server.answers.consensus.Fallback;
import dev.offsetd.server.answers.consensus.NoConsensus;
import dev.offsetd.server.answers.offsets.AnswerCache.BuildEntry;
import dev.offsetd.server.answers.offsets.AnswerCache.KnownBuild;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.EarlyBuild;
import dev.offsetd.server.builds.EarlyContent.Wanted;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.ProblemException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Answers queries from the cache, from the types of the build, which may not be stored yet, from its pins, or from its peers.
 *
 * <p>A query for a stored build runs these statements in order, and a cached answer none:
 * <ol>
 *   <li>{@code BuildKeys#named} for a key other than a GNU build-id;
 *   <li>{@code TypeSetRows#current} for each custom type set;
 *   <li>{@code SourceOutcomes#of}, {@code Builds#find} and {@code Pins#activeOf}, unless {@link AnswerCache} knows the build;
 *   <li>{@code OpenBlob#place} for each slice of the types that is not in memory;
 *   <li>for symbols and variables, the same for slices of the symbols, and {@code Identities#program}.
 * </ol>
 */
@Component
class OffsetsAnswers {

    private final BuildQueries queries;
    private final AnswerCache cache;
    private final ItemResolution items;
    private final Consensus consensus;
    private final TypeSets sets;
    private final Counter fromStored;
    private final Counter fromPins;
    private final Counter fromConsensus;

    OffsetsAnswers(
            BuildQueries queries,
            AnswerCache cache,
            ItemResolution items,
            Consensus consensus,
            TypeSets sets,
            MeterRegistry meters) {
        this.queries = queries;
        this.cache = cache;
        this.items = items;
        this.consensus = consensus;
        this.sets = sets;
        this.fromStored = AnswerCache.counter("stored", meters);
        this.fromPins = AnswerCache.counter("pins", meters);
        this.fromConsensus = AnswerCache.counter("consensus", meters);
    }

    /**
     * A query with the items of its type sets.
     *
     * @param entry cache entry of the build, taken before the type sets were read
     */
    private record ExpandedQuery(
            BuildRequest request, OffsetsQuery query, ContentCoding coding, BuildEntry entry, Expansion expansion) {}

    /**
     * Answers a query.
     *
     * @return empty if the build takes longer than the caller waits
     * @throws ProblemException if an item is malformed, a type set is unknown, or the build is unavailable
     */
    Optional<Answer> answer(BuildRequest request, OffsetsQuery query, ContentCoding coding) {
        // For batches, POST, and GETs that the filter passed on.
        Optional<Answer> cached = cache.find(request.id(), query.exact(), coding);
        if (cached.isPresent()) {
            cache.countFromMemory();
            return cached;
        }
        BuildEntry entry = cache.entry(request.id());
        ExpandedQuery expanded = new ExpandedQuery(request, query, coding, entry, expand(query));
        Optional<KnownBuild> known = cache.known(entry);
        if (known.isPresent()) {
            try {
                return Optional.of(render(known.get(), expanded));
            } catch (CorruptBlobException e) {
                // Read again below, which also finds the damage.
            }
        }
        return queries.answer(
                request,
                Wanted.of(ItemResolution.requestedNames(expanded.expansion())),
                early -> renderEarly(early, expanded),
                access -> fromAccess(access, expanded));
    }

    /** Returns the items of a query with those of its type sets. */
    private Expansion expand(OffsetsQuery query) {
        List<Item> parsed = QueryParameters.parse(query.items());
        return query.view() == View.MAP ? sets.expandMap(parsed, query.map()) : sets.expand(parsed);
    }

    private Optional<Answer> fromAccess(BuildAccess access, ExpandedQuery expanded) {
        return switch (access) {
            case BuildAccess.Stored(Build build, StoredFile file) ->
                Optional.of(render(new KnownBuild(build, file, items.pinsInEffect(build)), expanded));
            case BuildAccess.OnlyPins(Build build, BuildPins pins) -> Optional.of(fromPins(build, pins, expanded));
            case BuildAccess.Unavailable(Build build) -> {
                queries.countMiss(build, expanded.request());
                BuildQueries.requireSourcesAnswered(build);
                yield Optional.of(withoutFile(build, null, expanded));
            }
            case BuildAccess.InProgress _ -> Optional.empty();
        };
    }

    private Answer render(KnownBuild known, ExpandedQuery expanded) {
        Build build = known.build();
        OffsetsQuery query = expanded.query();
        StoredCatalogue types = items.open(build);
        Answer answer = items.reading(
                types,
                expanded.expansion(),
                () -> AnswerBody.render(
                        build.id(),
                        known.file(),
                        query,
                        items.resolve(build, known.pins(), types, expanded.expansion(), query.language())));
        fromStored.increment();
        if (AnswerParts.isStale(known.file())) {
            answer = AnswerBody.markedStale(answer);
        }
        return cache.putEncoded(expanded.entry(), known, query, expanded.coding(), answer);
    }

    /**
     * Renders an answer from types that are not stored yet. It is not cached, because its generation is not known.
     *
     * @return empty if the types are stored by now, if the query needs symbols, as variables do, or if types that were not read
     *     could matter
     */
    private Optional<Answer> renderEarly(EarlyBuild early, ExpandedQuery expanded) {
        Build build = early.build();
        Expansion expansion = expanded.expansion();
        BuildPins pins = items.pinsInEffect(build);
        boolean all = early.content().areAllTypes();
        if (expansion.needsSymbols() || (!all && pins != BuildPins.NONE)) {
            return Optional.empty();
        }
        TypeCatalogue types =
                early.content().types(ItemResolution.requestedNames(expansion)).orElse(null);
        if (types == null) {
            return Optional.empty();
        }
        Optional<Answer> answer = items.readingEarly(types, expansion, () -> {
            ResolvedItems found = items.resolve(
                    build, pins, types, expansion, expanded.query().language());
            return found.answers().areOfVariables() || (!all && !expansion.areFinal(found.answers(), types))
                    ? Optional.<Answer>empty()
                    : Optional.of(AnswerBody.render(build.id(), early.file(), expanded.query(), found));
        });
        answer.ifPresent(_ -> fromStored.increment());
        return answer.map(body -> cache.encoded(body.shortLived(), expanded.coding()));
    }

    /**
     * Answers from the pins of a build that has nothing else as far as they go, unless the client accepts a consensus that answers.
     * The answer is not cached: each query may retry the sources, and counts as unmet demand if an item is missing.
     */
    private Answer fromPins(Build build, BuildPins pins, ExpandedQuery expanded) {
        ResolvedItems found = items.computing(
                expanded.expansion(),
                () -> items.resolve(
                        build,
                        pins,
                        null,
                        expanded.expansion(),
                        expanded.query().language()));
        if (found.isWhole()) {
            return fromPinsAlone(build, found, expanded);
        }
        queries.countMiss(build, expanded.request());
        BuildQueries.requireSourcesAnswered(build);
        return withoutFile(build, found, expanded);
    }

    /**
     * Answers by the consensus of other builds, if the client accepts one; else from pins.
     *
     * @param pinned what pins answer; null if there are none
     * @throws ProblemException if neither answers
     */
    private Answer withoutFile(Build build, @Nullable ResolvedItems pinned, ExpandedQuery expanded) {
        Fallback claim = expanded.query().fallback();
        if (claim == null) {
            if (pinned == null) {
                throw new ProblemException(BuildProblems.of(build));
            }
            return fromPinsAlone(build, pinned, expanded);
        }
        NoConsensus reason;
        switch (consensus.find(build, expanded.expansion(), claim)) {
            case NoConsensus none -> reason = none;
            case Consensus.OpenedPeers peers -> {
                try {
                    return byConsensus(build, peers, expanded);
                } catch (CorruptBlobException e) {
                    reason = consensus.unreadable(build, e);
                }
            }
        }
        if (pinned == null) {
            throw new ProblemException(reason.addTo(BuildProblems.of(build)));
        }
        return fromPinsAlone(build, pinned.stating(reason.sentence()), expanded);
    }

    /** Answers from the peers of a build. It is not cached: another build or pin may change the answer at any time. */
    private Answer byConsensus(Build build, Consensus.OpenedPeers peers, ExpandedQuery expanded) {
        OffsetsQuery query = expanded.query();
        Answer answer = consensus.reading(
                peers,
                expanded.expansion(),
                () -> AnswerBody.render(
                                build.id(),
                                query,
                                consensus.resolve(build, peers, expanded.expansion(), query.language()))
                        .encoded(expanded.coding()));
        fromConsensus.increment();
        return answer;
    }

    private Answer fromPinsAlone(Build build, ResolvedItems found, ExpandedQuery expanded) {
        fromPins.increment();
        Answer answer = items.computing(
                expanded.expansion(),
                () -> AnswerBody.render(build.id(), build.symbolsFile().orElse(null), expanded.query(), found));
        return cache.encoded(answer, expanded.coding());
    }
}
