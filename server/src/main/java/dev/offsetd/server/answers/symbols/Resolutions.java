package dev.offsetd.server.answers.symbols;

import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.answer.ResolutionWriter;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.overlay.AppliedPin;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.resolve.OffsetAnswer;
import dev.offsetd.query.resolve.OffsetExpression;
import dev.offsetd.query.resolve.Resolution;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.store.StoredSymbols;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.answers.RenderedAnswer;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.storage.SymbolTables;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.util.List;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/** Resolves a byte in the stored types, variables and symbols of a build. */
@Component
class Resolutions {

    /** The type of the variable, and those of its aliases, which usually have the same. */
    private static final int MAX_TYPES = 2;

    private final Catalogues catalogues;
    private final SymbolTables symbolTables;
    private final Pins pins;
    private final ComputePool threads;

    Resolutions(
            Catalogues catalogues,
            SymbolTables symbolTables,
            Pins pins,
            @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.threads = threads;
        this.catalogues = catalogues;
        this.symbolTables = symbolTables;
        this.pins = pins;
    }

    /**
     * Answers a query.
     *
     * @param file stored file of the build
     * @throws ProblemException if the symbol table has too many aliases of the variable: 413
     */
    RenderedAnswer answer(Build build, StoredFile file, ResolveQuery query, Representation representation) {
        StoredCatalogue types = catalogues.open(build.id(), build.generation());
        BuildPins inEffect = pins.inEffect(build);
        // All symbols may be searched for the aliases of a name.
        return catalogues.reading(
                types,
                MAX_TYPES,
                () -> threads.answer(() -> {
                    PinnedTypes pinned = inEffect.over(Optional.of(types));
                    Resolution resolution = resolve(build, query, pinned.index().orElse(types));
                    return rendered(build, Optional.of(file), resolution, pinned, inEffect, representation);
                }));
    }

    /**
     * Answer from the pins of a build without stored types.
     *
     * @param found whether they have what the query is about
     */
    record PinnedAnswer(RenderedAnswer answer, boolean found) {}

    PinnedAnswer answerFromPins(Build build, ResolveQuery query, Representation representation) {
        BuildPins inEffect = pins.inEffect(build);
        PinnedTypes pinned = inEffect.over(Optional.empty());
        Resolution resolution =
                Resolution.of(query.expression(), pinned, query.language().orElse(null));
        return new PinnedAnswer(
                rendered(build, Optional.empty(), resolution, pinned, inEffect, representation), isFound(resolution));
    }

    private static RenderedAnswer rendered(
            Build build,
            Optional<StoredFile> file,
            Resolution resolution,
            PinnedTypes pinned,
            BuildPins inEffect,
            Representation representation) {
        List<AppliedPin> marks = ResolutionWriter.pinsIn(resolution.answer(), pinned);
        SpooledBody body = SpooledBody.of(representation, out -> {
            AnswerParts.writeHead(out, build.id(), file);
            ResolutionWriter.writeProperties(out, resolution.expression(), resolution.answer(), pinned);
            AnswerParts.writeProvenance(out, file, inEffect, marks);
        });
        boolean lasting = isFound(resolution)
                && marks.isEmpty()
                && file.filter(AnswerParts::isStale).isEmpty();
        return new RenderedAnswer(representation, body, lasting);
    }

    private static boolean isFound(Resolution resolution) {
        return resolution.answer().status() == OffsetAnswer.Status.FOUND;
    }

    private Resolution resolve(Build build, ResolveQuery query, TypeIndex types) {
        Resolution named =
                Resolution.of(query.expression(), types, query.language().orElse(null));
        if (!named.mayHaveAlias()) {
            return named.suggesting(BuildContents.ofTypes(types));
        }
        SearchBudget budget = new SearchBudget(SymbolAnswers.MAX_STEPS);
        StoredSymbols symbols = symbolTables.open(build.id(), build.generation());
        List<OffsetExpression> aliases = named.aliases(symbols, budget);
        SymbolAnswers.requireWithin(budget);
        return Resolution.ofFirst(aliases, types, query.language().orElse(null))
                .orElseGet(() -> named.suggesting(new BuildContents(types, new SymbolSearch(symbols, null, budget))));
    }
}
