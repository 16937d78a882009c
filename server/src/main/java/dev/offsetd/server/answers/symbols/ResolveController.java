package dev.offsetd.server.answers.symbols;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.query.answer.ResolutionWriter;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.overlay.AppliedPin;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.resolve.ExpressionSyntaxException;
import dev.offsetd.query.resolve.OffsetAnswer;
import dev.offsetd.query.resolve.OffsetExpression;
import dev.offsetd.query.resolve.Resolution;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.BuildRequest.Part;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.storage.SymbolTables;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Resolution of a byte in a variable or type. */
@RestController
class ResolveController {

    /** The type of the variable, and those of its aliases, which usually have the same. */
    private static final int MAX_TYPES = 2;

    private final BuildQueries builds;
    private final Catalogues catalogues;
    private final SymbolTables symbolTables;
    private final Identities identities;
    private final Pins pins;
    private final ComputePool threads;

    ResolveController(
            BuildQueries builds,
            Catalogues catalogues,
            SymbolTables symbolTables,
            Identities identities,
            Pins pins,
            @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.builds = builds;
        this.threads = threads;
        this.catalogues = catalogues;
        this.symbolTables = symbolTables;
        this.identities = identities;
        this.pins = pins;
    }

    /**
     * Query for the byte of a variable or type.
     *
     * @param language that the variable or type must be of; null for any
     */
    private record Query(
            OffsetExpression expression, Language.@Nullable Family language, Representation representation) {

        private static final String EXPRESSION = "expr";

        /**
         * Reads the query of a request.
         *
         * @throws ProblemException if it is malformed (400), or the client accepts no representation of the answer (406)
         */
        static Query of(HttpServletRequest request) {
            Representation representation = Representation.of(request, Representation.STRUCTURED);
            QueryParameters parameters = QueryParameters.of(
                    request.getQueryString(), Set.of(EXPRESSION, QueryParameters.LANG, BuildRequest.NAME), Set.of());
            String text = parameters
                    .one(EXPRESSION)
                    .orElseThrow(() -> ProblemException.badRequest(
                            "missing_expression",
                            "No expression",
                            "parameter expr is missing; expected expr=NAME+OFFSET"));
            try {
                return new Query(OffsetExpression.parse(text), parameters.language(), representation);
            } catch (ExpressionSyntaxException e) {
                throw ProblemException.badRequest(
                                "bad_expression", "The expression cannot be read", String.valueOf(e.getMessage()))
                        .with("position", e.position());
            }
        }
    }

    @GetMapping("/v1/resolve/{buildId}")
    ResponseEntity<?> get(@PathVariable String buildId, HttpServletRequest request) {
        BuildRequest build = builds.request(buildId, Part.TYPES, request);
        Query query = Query.of(request);
        Optional<Answer> answer = builds.answer(build, access -> answer(access, build, query));
        return answer.isPresent() ? answer.get().response(request) : builds.inProgress(build, query.representation());
    }

    private Optional<Answer> answer(BuildAccess access, BuildRequest request, Query query) {
        return switch (access) {
            case BuildAccess.Stored(Build build, StoredFile file) -> Optional.of(answer(build, file, query));
            case BuildAccess.OnlyPins(Build build, BuildPins inEffect) -> {
                PinnedTypes pinned = inEffect.over(null);
                Resolution resolution = Resolution.of(query.expression(), pinned, query.language());
                if (!isFound(resolution)) {
                    builds.countMiss(build, request);
                    BuildQueries.requireSourcesAnswered(build);
                }
                yield Optional.of(rendered(build, null, query, resolution, new Pinned(pinned, inEffect)));
            }
            case BuildAccess.Unavailable(Build build) -> throw builds.unavailable(build, request);
            case BuildAccess.InProgress _ -> Optional.empty();
        };
    }

    /**
     * Answers a query.
     *
     * @param file stored file of the build
     * @throws ProblemException if the symbol table has too many aliases of the variable: 413
     */
    private Answer answer(Build build, StoredFile file, Query query) {
        StoredCatalogue types = catalogues.open(build.id(), build.generation());
        BuildPins inEffect = pins.inEffect(build);
        // All symbols may be searched for the aliases of a name.
        return catalogues.reading(
                types,
                MAX_TYPES,
                () -> threads.answer(() -> {
                    PinnedTypes pinned = inEffect.over(types).sharingLayouts();
                    Resolution resolution = resolve(build, query, pinned.index().orElse(types));
                    return rendered(build, file, query, resolution, new Pinned(pinned, inEffect));
                }));
    }

    private record Pinned(PinnedTypes types, BuildPins pins) {}

    private static Answer rendered(
            Build build, @Nullable StoredFile file, Query query, Resolution resolution, Pinned pinned) {
        List<AppliedPin> marks = ResolutionWriter.pinsIn(resolution.answer(), pinned.types());
        SpooledBody body = SpooledBody.of(query.representation(), out -> {
            AnswerParts.writeHead(out, build.id(), file);
            ResolutionWriter.writeProperties(out, resolution.expression(), resolution.answer(), pinned.types());
            AnswerParts.writeProvenance(out, file, pinned.pins(), marks);
        });
        boolean stale = file != null && AnswerParts.isStale(file);
        return new Answer(query.representation(), body, isFound(resolution) && marks.isEmpty() && !stale);
    }

    private static boolean isFound(Resolution resolution) {
        return resolution.answer().status() == OffsetAnswer.Status.FOUND;
    }

    private Resolution resolve(Build build, Query query, TypeIndex types) {
        Resolution named = Resolution.of(query.expression(), types, query.language());
        if (!named.mayHaveAlias()) {
            return named.suggesting(BuildContents.ofTypes(types));
        }
        SearchBudget budget = new SearchBudget(SymbolAnswers.MAX_STEPS);
        StoredSymbols symbols = symbolTables.open(build.id(), build.generation());
        FileOffsets offsets = identities.program(build.id(), symbols, List.of()).offsets();
        List<OffsetExpression> aliases = named.aliases(symbols, offsets, budget);
        SymbolAnswers.requireWithin(budget);
        return Resolution.ofFirst(aliases, types, query.language())
                .orElseGet(() -> named.withoutVariable(offsets)
                        .suggesting(new BuildContents(types, new SymbolSearch(symbols, null, budget))));
    }
}
