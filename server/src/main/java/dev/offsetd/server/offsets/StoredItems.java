package dev.offsetd.server.offsets;

import dev.offsetd.extractor.catalogue.StoredCatalogue;
import dev.offsetd.extractor.item.BuildContents;
import dev.offsetd.extractor.item.Item;
import dev.offsetd.extractor.item.ItemResolver;
import dev.offsetd.extractor.item.SymbolSearch;
import dev.offsetd.extractor.symbol.SearchBudget;
import dev.offsetd.extractor.symbol.StoredSymbols;
import dev.offsetd.extractor.typeset.Expansion;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.catalogues.Catalogues;
import dev.offsetd.server.catalogues.SymbolTables;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ProblemException;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Answers the items of questions from what is stored of a build. */
@Component
class StoredItems {

    /** Names and symbols that may be looked at for one question: some two seconds. */
    private static final long MAX_STEPS = 10_000_000;

    private final Catalogues catalogues;
    private final SymbolTables symbolTables;
    private final TypeSets sets;

    StoredItems(Catalogues catalogues, SymbolTables symbolTables, TypeSets sets) {
        this.catalogues = catalogues;
        this.symbolTables = symbolTables;
        this.sets = sets;
    }

    /**
     * Refuses a question that names a type set which there is not, so that nobody waits for a build to be told that.
     *
     * @throws ProblemException 400
     */
    void requireSets(Question question) {
        sets.expand(question.items());
    }

    /**
     * The answers to the items of a question and of its type sets, as they are now.
     *
     * @throws ProblemException if there is no such set: 400
     */
    Expansion.Answers answer(Build build, Question question) {
        Expansion expansion = sets.expand(question.items());
        StoredCatalogue types = catalogues.open(build.id(), build.generation());
        BuildContents contents = new BuildContents(
                Optional.of(types),
                expansion.items().stream().anyMatch(Item::needsSymbols)
                        ? Optional.of(symbols(build))
                        : Optional.empty());
        return expansion.answer(item -> ItemResolver.resolve(item, contents, question.language()));
    }

    private SymbolSearch symbols(Build build) {
        StoredSymbols symbols = symbolTables.open(build.id(), build.generation());
        return new SymbolSearch(symbols, symbols.tls(), new SearchBudget(MAX_STEPS));
    }
}
