package dev.offsetd.server.answers.offsets;

import dev.offsetd.query.consensus.Speakers;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.identity.SimilarBuilds.SimilarBuild;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.web.ContentCoding;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Answers queries for builds without debug information from the stored builds that may speak for them. Nothing is cached: another
 * build or pin may change such an answer at any time.
 */
@Component
class ConsensusAnswers {

    private static final Logger log = LoggerFactory.getLogger(ConsensusAnswers.class);

    private final SpeakerSearch search;
    private final Catalogues catalogues;
    private final StoredItems items;
    private final Counter given;

    ConsensusAnswers(SpeakerSearch search, Catalogues catalogues, StoredItems items, MeterRegistry meters) {
        this.given = AnswerCache.counter("consensus", meters);
        this.search = search;
        this.catalogues = catalogues;
        this.items = items;
    }

    /** Answers a query whose client accepts a consensus. */
    ConsensusResult<Answer> answer(Build build, OffsetsQuery query, ContentCoding coding) {
        return switch (search.find(build.id(), setsIn(query), query.text().fallback())) {
            case NoConsensus none -> new ConsensusResult.Declined<>(none);
            case SpeakerSelection selection ->
                answer(build, query, selection, found -> {
                    given.increment();
                    return Answer.of(build.id(), query, found).encoded(coding);
                });
        };
    }

    /** Returns whether stored builds may speak for a build, so that a query that accepts a consensus has an answer. */
    boolean canAnswer(Build build, OffsetsQuery query) {
        return search.find(build.id(), setsIn(query), Optional.empty()) instanceof SpeakerSelection selection
                && answer(build, query, selection, ConsensusItems::items) instanceof ConsensusResult.Given<?>;
    }

    private static Set<String> setsIn(OffsetsQuery query) {
        return query.items().stream().flatMap(item -> item.setName().stream()).collect(Collectors.toSet());
    }

    /** Resolves the items of a query, and passes them on while heap is reserved for them. */
    <T> ConsensusResult<T> answer(
            Build build, OffsetsQuery query, SpeakerSelection first, Function<ConsensusItems, T> rendering) {
        SpeakerSelection selection = first;
        while (selection.refusal() == null) {
            Map<SimilarBuild, StoredCatalogue> types = new LinkedHashMap<>();
            List<SimilarBuild> unusable = new ArrayList<>();
            for (Speakers.Speaker<SimilarBuild> speaker : selection.speakers().builds()) {
                open(speaker.build())
                        .ifPresentOrElse(
                                opened -> types.put(speaker.build(), opened), () -> unusable.add(speaker.build()));
            }
            if (unusable.isEmpty()) {
                try {
                    return new ConsensusResult.Given<>(
                            items.answerBySpeakers(build, query, selection, types, rendering));
                } catch (CorruptBlobException e) {
                    log.warn("build {}: a build that speaks for it cannot be read: {}", build.id(), e.getMessage());
                    return new ConsensusResult.Declined<>(NoConsensus.unreadable());
                }
            }
            selection = selection.without(unusable);
        }
        return new ConsensusResult.Declined<>(NoConsensus.of(selection));
    }

    /** Returns the types of a build; empty if they are unreadable, or only those that the program itself describes. */
    private Optional<StoredCatalogue> open(SimilarBuild build) {
        try {
            return Optional.of(catalogues.open(build.id(), build.generation())).filter(types -> !types.isFromProgram());
        } catch (CorruptBlobException e) {
            return Optional.empty();
        }
    }
}
