package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.answer.AppliedPins;
import dev.offsetd.query.consensus.ConsensusAnswer;
import dev.offsetd.query.consensus.Speakers;
import dev.offsetd.query.item.Alternative;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.item.View;
import dev.offsetd.query.overlay.AppliedPin;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.store.StoredSymbols;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.UnstoredBuild;
import dev.offsetd.server.builds.identity.SimilarBuilds.SimilarBuild;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.storage.SymbolTables;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ProblemException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/** Resolves the items of queries in the stored types and symbols of a build. */
@Component
class StoredItems {

    /** Names and symbols that one query may look at: about two seconds. */
    private static final long MAX_STEPS = 10_000_000;

    /** Items that are answered in less than 10 ms, also if all are missing and similar names are searched for. */
    private static final int FEW_ITEMS = 16;

    private final Catalogues catalogues;
    private final SymbolTables symbolTables;
    private final TypeSets sets;
    private final Pins pins;
    private final ComputePool threads;

    StoredItems(
            Catalogues catalogues,
            SymbolTables symbolTables,
            TypeSets sets,
            Pins pins,
            @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.threads = threads;
        this.pins = pins;
        this.catalogues = catalogues;
        this.symbolTables = symbolTables;
        this.sets = sets;
    }

    /**
     * Returns the items of a query with those of its type sets.
     *
     * @throws ProblemException if a set is unknown: 400
     */
    Expansion expand(OffsetsQuery query) {
        return query.view() == View.MAP
                ? sets.expandMap(query.items(), query.text().map())
                : sets.expand(query.items());
    }

    /**
     * Resolved items.
     *
     * @param types the types that the answers are from
     * @param pins in effect
     * @param marks of the pins that affect the answers
     */
    record ResolvedItems(Expansion.Answers answers, PinnedTypes types, BuildPins pins, List<AppliedPin> marks) {

        private static ResolvedItems of(Expansion.Answers answers, PinnedTypes types, BuildPins pins) {
            return new ResolvedItems(
                    answers, types, pins, pins == BuildPins.NONE ? List.of() : AppliedPins.of(answers.items(), types));
        }

        /** Returns these items with the reason why those without debug information have no value. */
        ResolvedItems stating(String reason) {
            return new ResolvedItems(answers.mapped(answer -> stating(answer, reason)), types, pins, marks);
        }

        private static ItemAnswer stating(ItemAnswer answer, String reason) {
            return answer.status() == ItemStatus.NO_DEBUGINFO
                    ? new ItemAnswer(answer.item(), null, new ItemOutcome.Missed(ItemStatus.NO_DEBUGINFO, reason))
                    : answer;
        }

        /** Returns whether every item was found, including optional items of type sets. */
        boolean isWhole() {
            return answers.map().isPresent() ? answers.complete() : ItemAnswer.complete(answers.items());
        }
    }

    /** Returns the pins of a build that apply to its answers. */
    BuildPins pinsInEffect(Build build) {
        return pins.inEffect(build);
    }

    /**
     * Resolves the items of a query, and passes them on while heap is reserved for them.
     *
     * @param inEffect pins of the build
     * @param expansion of the query
     */
    <T> T answer(
            Build build,
            BuildPins inEffect,
            OffsetsQuery query,
            Expansion expansion,
            Function<ResolvedItems, T> rendering) {
        StoredCatalogue types = catalogues.open(build.id(), build.generation());
        return catalogues.reading(
                types,
                expansion.items().size(),
                () -> computed(
                        expansion,
                        () -> rendering.apply(answer(
                                inEffect, query, expansion, Optional.of(types), () -> Optional.of(symbols(build))))));
    }

    /** Does work on a thread that may compute, unless it is short: a search for symbols may take seconds. */
    private <T> T computed(Expansion expansion, Supplier<T> work) {
        return expansion.items().size() <= FEW_ITEMS && !expansion.needsSymbols() ? work.get() : threads.answer(work);
    }

    /** Resolves the items in the pins of a build without stored types, and in its symbols if it has any. */
    ResolvedItems answerFromPins(Build build, OffsetsQuery query, Expansion expansion) {
        BuildPins inEffect = pinsInEffect(build);
        return computed(
                expansion,
                () -> answer(
                        inEffect,
                        query,
                        expansion,
                        Optional.empty(),
                        () -> build.symbolsFile().map(file -> symbols(build))));
    }

    /** Returns the names whose types a query needs; none if the query needs more than types. */
    static RequestedNames requestedNames(Expansion expansion) {
        return expansion.needsSymbols() ? RequestedNames.NONE : namesOf(expansion);
    }

    private static RequestedNames namesOf(Expansion expansion) {
        return new RequestedNames(expansion.typeNames(), expansion.enumeratorNames());
    }

    /**
     * Resolves the items of a query in types that are not stored yet.
     *
     * @return empty if they are stored by now, if the query needs symbols, or if types that were not read could matter
     */
    Optional<ResolvedItems> answerUnstored(UnstoredBuild build, OffsetsQuery query, Expansion expansion) {
        BuildPins inEffect = pinsInEffect(build.build());
        if (expansion.needsSymbols() || (!build.types().areAll() && inEffect != BuildPins.NONE)) {
            return Optional.empty();
        }
        return build.types().of(namesOf(expansion)).flatMap(types -> {
            ResolvedItems found =
                    computed(expansion, () -> answer(inEffect, query, expansion, Optional.of(types), Optional::empty));
            return build.types().areAll() || expansion.areFinal(found.answers(), types)
                    ? Optional.of(found)
                    : Optional.empty();
        });
    }

    /**
     * Resolves the items of a query in the types of other builds, and passes them on while heap is reserved for them.
     *
     * @param types of the builds that are asked
     */
    <T> T answerBySpeakers(
            Build build,
            OffsetsQuery query,
            SpeakerSelection selection,
            Map<SimilarBuild, StoredCatalogue> types,
            Function<ConsensusItems, T> rendering) {
        Expansion expansion = expand(query);
        return catalogues.comparing(
                types.values(),
                expansion.items().size(),
                () -> rendering.apply(answerBySpeakers(build, query, expansion, selection, types)));
    }

    private ConsensusItems answerBySpeakers(
            Build build,
            OffsetsQuery query,
            Expansion expansion,
            SpeakerSelection selection,
            Map<SimilarBuild, StoredCatalogue> types) {
        BuildPins inEffect = pinsInEffect(build);
        Speakers<SimilarBuild> chosen = selection.speakers();
        // The pins of the build apply to the types of each speaker as they would apply to its own.
        Speakers<PinnedTypes> speakers = new Speakers<>(
                chosen.builds().stream()
                        .map(speaker -> new Speakers.Speaker<>(
                                speaker.identity(),
                                speaker.provider(),
                                inEffect.over(Optional.of(Objects.requireNonNull(types.get(speaker.build()))))
                                        .sharingLayouts()))
                        .toList(),
                chosen.below(),
                chosen.above(),
                null,
                List.of());
        Optional<SymbolSearch> symbols = build.symbolsFile().map(file -> symbols(build));
        Map<String, ConsensusAnswer> answers = new HashMap<>();
        BuildContents first =
                new BuildContents(speakers.builds().getFirst().build().index().orElse(null), symbols.orElse(null));
        Expansion.Answers all = expansion.answer(first, item -> {
            if (symbols.isPresent() && isSymbol(item)) {
                return ItemResolver.resolve(
                        item,
                        new BuildContents(null, symbols.orElse(null)),
                        query.language().orElse(null));
            }
            ConsensusAnswer answer = ConsensusAnswer.of(
                    item,
                    speakers,
                    speaker -> ItemResolver.resolve(
                            item,
                            new BuildContents(speaker.index().orElse(null), null),
                            query.language().orElse(null)));
            answers.put(item.text(), answer);
            return answer.answer();
        });
        ConsensusAnswer.Agreement agreement = ConsensusItems.agreement(List.copyOf(answers.values()), selection);
        for (ItemAnswer answer : all.items()) {
            if (answer.outcome() instanceof ItemOutcome.SetFound) {
                answers.put(answer.item().text(), new ConsensusAnswer(answer, agreement, List.of()));
            }
        }
        return new ConsensusItems(
                ResolvedItems.of(all, speakers.builds().getFirst().build(), inEffect), answers, agreement, selection);
    }

    private static boolean isSymbol(Item item) {
        return item.alternatives().stream()
                .allMatch(alternative -> alternative instanceof Alternative.SymbolGlob
                        || alternative instanceof Alternative.ThreadLocalStorage);
    }

    private ResolvedItems answer(
            BuildPins inEffect,
            OffsetsQuery query,
            Expansion expansion,
            Optional<TypeIndex> types,
            Supplier<Optional<SymbolSearch>> symbols) {
        PinnedTypes pinned = inEffect.over(types).sharingLayouts();
        BuildContents contents = new BuildContents(
                pinned.index().orElse(null),
                expansion.needsSymbols() ? symbols.get().orElse(null) : null);
        return ResolvedItems.of(expansion.answer(contents, query.language().orElse(null)), pinned, inEffect);
    }

    private SymbolSearch symbols(Build build) {
        StoredSymbols symbols = symbolTables.open(build.id(), build.generation());
        return new SymbolSearch(symbols, symbols.tls().orElse(null), new SearchBudget(MAX_STEPS));
    }
}
