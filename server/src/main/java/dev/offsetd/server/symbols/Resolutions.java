package dev.offsetd.server.symbols;

import dev.offsetd.extractor.catalogue.StoredCatalogue;
import dev.offsetd.extractor.resolve.OffsetAnswer;
import dev.offsetd.extractor.resolve.OffsetExpression;
import dev.offsetd.extractor.resolve.Resolution;
import dev.offsetd.extractor.resolve.ResolutionWriter;
import dev.offsetd.extractor.symbol.SearchBudget;
import dev.offsetd.server.asking.AnswerParts;
import dev.offsetd.server.asking.WrittenAnswer;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.catalogues.Catalogues;
import dev.offsetd.server.catalogues.SymbolTables;
import dev.offsetd.server.web.Form;
import dev.offsetd.server.web.ProblemException;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.springframework.stereotype.Component;
import tools.jackson.core.JsonGenerator;

/** Answers what lies at a byte, from the stored types, variables and symbols of a build. */
@Component
class Resolutions {

    private final Catalogues catalogues;
    private final SymbolTables symbolTables;

    Resolutions(Catalogues catalogues, SymbolTables symbolTables) {
        this.catalogues = catalogues;
        this.symbolTables = symbolTables;
    }

    /**
     * The answer to this question.
     *
     * @param file what is stored of the build
     * @throws ProblemException if the symbol table has too many other names of the variable: 413
     */
    WrittenAnswer answer(Build build, StoredFile file, ResolveQuestion question, Form form) {
        Resolution resolution = resolve(build, question);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
        try (JsonGenerator out = form.generator(bytes)) {
            out.writeStartObject();
            AnswerParts.writeHead(out, build.id(), file);
            ResolutionWriter.writeProperties(out, resolution.expression(), resolution.answer());
            AnswerParts.writeProvenance(out, file);
            out.writeEndObject();
        }
        boolean found = resolution.answer().status() == OffsetAnswer.Status.FOUND;
        return new WrittenAnswer(form, bytes.toByteArray(), found && !AnswerParts.isStale(file));
    }

    private Resolution resolve(Build build, ResolveQuestion question) {
        StoredCatalogue types = catalogues.open(build.id(), build.generation());
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
