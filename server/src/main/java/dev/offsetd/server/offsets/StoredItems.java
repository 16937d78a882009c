package dev.offsetd.server.offsets;

import dev.offsetd.extractor.layout.PinMark;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.Outcome;
import dev.offsetd.query.item.PinsInEffect;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.catalogues.Catalogues;
import dev.offsetd.server.catalogues.SymbolTables;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ProblemException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/** Answers the items of questions from what is stored of a build. */
@Component
class StoredItems {

    /** Names and symbols that may be looked at for one question: some two seconds. */
    private static final long MAX_STEPS = 10_000_000;

    private final Catalogues catalogues;
    private final SymbolTables symbolTables;
    private final TypeSets sets;
    private final Pins pins;

    StoredItems(Catalogues catalogues, SymbolTables symbolTables, TypeSets sets, Pins pins) {
        this.pins = pins;
        this.catalogues = catalogues;
        this.symbolTables = symbolTables;
        this.sets = sets;
    }

    /**
     * Refuses a question that names a type set which there is not, so that nobody waits for a build to be told that.
     *
     * @throws ProblemException 400
     */
    void requireSets(OffsetsQuery query) {
        sets.expand(query.items());
    }

    /**
     * What was found of a question.
     *
     * @param pins that were in effect
     * @param marks of those that had a say in the answers
     */
    record Found(Expansion.Answers answers, BuildPins pins, List<PinMark> marks) {

        private static Found of(Expansion.Answers answers, BuildPins pins) {
            return new Found(answers, pins, pins == BuildPins.NONE ? List.of() : PinsInEffect.of(answers.items()));
        }

        /** Whether every item is found, those of type sets that are not required too. */
        boolean isWhole() {
            return ItemAnswer.complete(answers.items());
        }
    }

    /**
     * Writes the answers to the items of a question and of its type sets, as they are now, once there is heap for them.
     *
     * @throws ProblemException if there is no such set: 400
     */
    <T> T answer(Build build, OffsetsQuery query, Function<Found, T> writing) {
        StoredCatalogue types = catalogues.open(build.id(), build.generation());
        Expansion expansion = sets.expand(query.items());
        return catalogues.reading(
                types,
                expansion.items().size(),
                () -> writing.apply(
                        answer(build, query, expansion, Optional.of(types), () -> Optional.of(symbols(build)))));
    }

    /**
     * The answers of a build that has no types stored, from its pins, and from its symbols if it has any.
     *
     * @throws ProblemException if there is no such set: 400
     */
    Found answerFromPins(Build build, OffsetsQuery query) {
        return answer(
                build,
                query,
                sets.expand(query.items()),
                Optional.empty(),
                () -> build.symbolsFile().map(file -> symbols(build)));
    }

    private Found answer(
            Build build,
            OffsetsQuery query,
            Expansion expansion,
            Optional<TypeIndex> types,
            Supplier<Optional<SymbolSearch>> symbols) {
        BuildPins inEffect = pins.inEffect(build);
        boolean needsSymbols = expansion.items().stream().anyMatch(Item::needsSymbols);
        BuildContents contents =
                new BuildContents(types, needsSymbols ? symbols.get() : Optional.empty(), inEffect.overrides());
        boolean withoutSymbols = needsSymbols && contents.symbols().isEmpty();
        return Found.of(
                expansion.answer(item -> {
                    ItemAnswer answer = ItemResolver.resolve(item, contents, query.language());
                    return withoutSymbols && item.needsSymbols() && answer.status() == ItemStatus.UNSUPPORTED
                            ? new ItemAnswer(item, null, new Outcome.Missed(ItemStatus.NO_DEBUGINFO, null))
                            : answer;
                }),
                inEffect);
    }

    private SymbolSearch symbols(Build build) {
        StoredSymbols symbols = symbolTables.open(build.id(), build.generation());
        return new SymbolSearch(symbols, symbols.tls(), new SearchBudget(MAX_STEPS));
    }
}
