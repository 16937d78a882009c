package dev.offsetd.server.answers;

import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.answer.AppliedPins;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.item.UnfoldedMembers;
import dev.offsetd.query.overlay.AppliedPin;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.storage.SymbolTables;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/** Resolves items in the types and symbols of a build, with its pins. */
@Component
public class ItemResolution {

    /** Names and symbols that one query may look at: about two seconds. */
    private static final long MAX_STEPS = 10_000_000;

    /** Names that are answered in less than 10 ms, also if all are missing and similar names are searched for. */
    private static final int FEW_NAMES = 16;

    private final Catalogues catalogues;
    private final SymbolTables symbolTables;
    private final Pins pins;
    private final Identities identities;
    private final ComputePool threads;

    ItemResolution(
            Catalogues catalogues,
            SymbolTables symbolTables,
            Pins pins,
            Identities identities,
            @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.catalogues = catalogues;
        this.symbolTables = symbolTables;
        this.pins = pins;
        this.identities = identities;
        this.threads = threads;
    }

    /**
     * Resolved items.
     *
     * @param types the types that the answers are from
     * @param pins in effect
     * @param marks of the pins that affect the answers
     */
    public record ResolvedItems(Expansion.Answers answers, PinnedTypes types, BuildPins pins, List<AppliedPin> marks) {

        public ResolvedItems(Expansion.Answers answers, PinnedTypes types, BuildPins pins) {
            this(answers, types, pins, pins == BuildPins.NONE ? List.of() : AppliedPins.of(answers.items(), types));
        }

        /** Returns these items with the reason why those without debug information have no value. */
        public ResolvedItems stating(String reason) {
            return new ResolvedItems(answers.mapped(answer -> stating(answer, reason)), types, pins, marks);
        }

        private static ItemAnswer stating(ItemAnswer answer, String reason) {
            return answer.status() == ItemStatus.NO_DEBUGINFO
                    ? new ItemAnswer(answer.item(), null, new ItemOutcome.Missed(ItemStatus.NO_DEBUGINFO, reason))
                    : answer;
        }

        /** Returns whether every item was found, including optional items of type sets. */
        public boolean isWhole() {
            return answers.map().isPresent() ? answers.complete() : ItemAnswer.complete(answers.items());
        }
    }

    /** Returns the pins of a build that apply to its answers. */
    public BuildPins pinsInEffect(Build build) {
        return pins.inEffect(build);
    }

    public StoredCatalogue open(Build build) {
        return catalogues.open(build.id(), build.generation());
    }

    /** Runs work on items of stored types when there is heap for it, on a thread that may compute unless it is short. */
    public <T> T reading(StoredCatalogue types, Expansion expansion, Supplier<T> work) {
        return catalogues.reading(types, expansion.alternatives(), () -> computing(expansion, work));
    }

    /** Runs work on many items of stored types when there is heap for it, on a thread that may compute. */
    public <T> T reading(StoredCatalogue types, List<Item> items, Supplier<T> work) {
        return catalogues.reading(types, Item.lookUps(items), () -> threads.answer(work));
    }

    /** Does the same as {@link #reading(StoredCatalogue, Expansion, Supplier)} for types that are not stored yet. */
    public <T> T readingEarly(TypeCatalogue types, Expansion expansion, Supplier<T> work) {
        UnfoldedMembers unfolded = new UnfoldedMembers();
        long members = 0;
        for (String name : expansion.typeNames()) {
            for (Definition definition : types.definitionsNamed(name)) {
                if (definition.shape().peeled() instanceof AggregateShape aggregate) {
                    members += Math.min(unfolded.count(aggregate), UnfoldedMembers.MAX);
                }
            }
        }
        return catalogues.listing(members, () -> computing(expansion, work));
    }

    /** Runs work on items on a thread that may compute, unless it is short: a search for symbols may take seconds. */
    public <T> T computing(Expansion expansion, Supplier<T> work) {
        return expansion.alternatives() <= FEW_NAMES && !expansion.needsSymbols()
                ? threads.answerAtOnce(work)
                : threads.answer(work);
    }

    /** Resolves items in the stored types of a build. */
    public ResolvedItems resolve(Build build, Expansion expansion) {
        StoredCatalogue types = open(build);
        BuildPins inEffect = pinsInEffect(build);
        return reading(types, expansion, () -> resolve(build, inEffect, types, expansion, null));
    }

    /**
     * Resolves items, in symbols if the build has any. Runs in {@link #reading} if the types are stored.
     *
     * @param types null if the build has only pins
     * @param language that types must be of; null for any
     */
    public ResolvedItems resolve(
            Build build,
            BuildPins inEffect,
            @Nullable TypeIndex types,
            Expansion expansion,
            Language.@Nullable Family language) {
        PinnedTypes pinned = inEffect.over(types).sharingLayouts();
        Expansion.Answers answers = expansion.answer(pinned.index().orElse(null), () -> symbols(build), language);
        return new ResolvedItems(answers, pinned, inEffect);
    }

    /** Returns a search in the symbols of a build; null if it has none. */
    public @Nullable SymbolSearch symbols(Build build) {
        if (build.symbolsFile().isEmpty()) {
            return null;
        }
        StoredSymbols symbols = symbolTables.open(build.id(), build.generation());
        return new SymbolSearch(
                symbols,
                symbols.tls().orElse(null),
                new SearchBudget(MAX_STEPS),
                identities.program(build.id(), symbols, List.of()));
    }

    /** Returns the names whose types a query needs; none if the query needs more than types. */
    public static RequestedNames requestedNames(Expansion expansion) {
        return expansion.needsSymbols()
                ? RequestedNames.NONE
                : new RequestedNames(
                        expansion.simpleTypeNames(), expansion.typeNames(), expansion.enumeratorNames(), Set.of());
    }
}
