package dev.offsetd.server.symbols;

import dev.offsetd.extractor.layout.PinMark;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.resolve.OffsetAnswer;
import dev.offsetd.query.resolve.OffsetExpression;
import dev.offsetd.query.resolve.Resolution;
import dev.offsetd.query.resolve.ResolutionWriter;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.server.asking.AnswerParts;
import dev.offsetd.server.asking.Body;
import dev.offsetd.server.asking.PinnedAnswer;
import dev.offsetd.server.asking.WrittenAnswer;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.catalogues.Catalogues;
import dev.offsetd.server.catalogues.SymbolTables;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.web.Form;
import dev.offsetd.server.web.ProblemException;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Answers what lies at a byte, from the stored types, variables and symbols of a build. */
@Component
class Resolutions {

    /** The variable's type and those of its other names, which are mostly one. */
    private static final int MAX_TYPES = 2;

    private final Catalogues catalogues;
    private final SymbolTables symbolTables;
    private final Pins pins;

    Resolutions(Catalogues catalogues, SymbolTables symbolTables, Pins pins) {
        this.catalogues = catalogues;
        this.symbolTables = symbolTables;
        this.pins = pins;
    }

    /**
     * The answer to this question.
     *
     * @param file what is stored of the build
     * @throws ProblemException if the symbol table has too many other names of the variable: 413
     */
    WrittenAnswer answer(Build build, StoredFile file, ResolveQuestion question, Form form) {
        StoredCatalogue types = catalogues.open(build.id(), build.generation());
        BuildPins inEffect = pins.inEffect(build);
        return catalogues.reading(types, MAX_TYPES, () -> {
            Resolution resolution = resolve(build, question, inEffect.over(Optional.of(types)));
            return written(build, Optional.of(file), resolution, inEffect, form);
        });
    }

    /** The same of a build that has no types stored, from its pins. */
    PinnedAnswer<WrittenAnswer> answerFromPins(Build build, ResolveQuestion question, Form form) {
        BuildPins inEffect = pins.inEffect(build);
        Resolution resolution =
                Resolution.of(question.expression(), inEffect.over(Optional.empty()), question.language());
        return new PinnedAnswer<>(written(build, Optional.empty(), resolution, inEffect, form), isFound(resolution));
    }

    private static WrittenAnswer written(
            Build build, Optional<StoredFile> file, Resolution resolution, BuildPins inEffect, Form form) {
        List<PinMark> marks = ResolutionWriter.pinsIn(resolution.answer());
        Body body = Body.of(form, out -> {
            AnswerParts.writeHead(out, build.id(), file);
            ResolutionWriter.writeProperties(out, resolution.expression(), resolution.answer());
            AnswerParts.writeProvenance(out, file, inEffect, marks);
        });
        boolean lasting = isFound(resolution)
                && marks.isEmpty()
                && file.filter(AnswerParts::isStale).isEmpty();
        return new WrittenAnswer(form, body, lasting);
    }

    private static boolean isFound(Resolution resolution) {
        return resolution.answer().status() == OffsetAnswer.Status.FOUND;
    }

    private Resolution resolve(Build build, ResolveQuestion question, TypeIndex types) {
        Resolution named = Resolution.of(question.expression(), types, question.language());
        if (!named.mayHaveAlias()) {
            return named;
        }
        SearchBudget budget = new SearchBudget(SymbolAnswers.MAX_STEPS);
        List<OffsetExpression> aliases = named.aliases(symbolTables.open(build.id(), build.generation()), budget);
        SymbolAnswers.requireWithin(budget);
        return Resolution.ofFirst(aliases, types, question.language()).orElse(named);
    }
}
