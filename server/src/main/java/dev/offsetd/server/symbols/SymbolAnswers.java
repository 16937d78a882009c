package dev.offsetd.server.symbols;

import dev.offsetd.extractor.layout.Symbol;
import dev.offsetd.extractor.layout.ValueRule;
import dev.offsetd.query.symbol.Matches;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolAt;
import dev.offsetd.query.symbol.SymbolPattern;
import dev.offsetd.query.symbol.SymbolWriter;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.catalogues.SymbolTables;
import dev.offsetd.server.outcome.BuildState;
import dev.offsetd.server.query.AnswerParts;
import dev.offsetd.server.query.RenderedAnswer;
import dev.offsetd.server.query.SpooledBody;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import tools.jackson.core.JsonGenerator;

/** Answers questions about symbols from what is stored of a build. */
@Component
class SymbolAnswers {

    /** Symbols of one address that are listed; C++ has dozens of empty functions folded into one. */
    static final int MAX_ALIASES = 100;

    /** Names, symbols and places that may be looked at for one question: about a second. */
    static final long MAX_STEPS = 4_000_000;

    private final SymbolTables tables;

    SymbolAnswers(SymbolTables tables) {
        this.tables = tables;
    }

    /**
     * The answer to this question.
     *
     * @param file that the symbols were read from
     * @throws ProblemException if looking everything up would take too long: 413
     */
    RenderedAnswer answer(Build build, StoredFile file, SymbolQuery query, Representation representation) {
        StoredSymbols symbols = tables.open(build.id(), build.generation());
        return tables.reading(
                symbols,
                SymbolRoom.MAX_SYMBOLS,
                SymbolRoom.MAX_CHARACTERS,
                () -> written(build, file, symbols, find(symbols, query), representation));
    }

    private static RenderedAnswer written(
            Build build, StoredFile file, StoredSymbols symbols, Found found, Representation representation) {
        SpooledBody body = SpooledBody.of(representation, out -> {
            AnswerParts.writeHead(out, build.id(), file);
            symbols.tls().ifPresent(tls -> {
                out.writeName("tls");
                SymbolWriter.write(out, tls);
            });
            out.writeBooleanProperty("complete", found.complete());
            String detail = symbols.values() == ValueRule.SECTION_OFFSET
                    ? "a relocatable file has no addresses: values count from the starts of its sections"
                    : null;
            write(out, SymbolQuery.NAMES, found.names(), null, SymbolWriter::write);
            write(out, SymbolQuery.ADDRESSES, found.addresses(), detail, SymbolWriter::write);
            AnswerParts.writeProvenance(out, file);
        });
        boolean lasting = found.complete() && !AnswerParts.isStale(file) && build.state() == BuildState.EXTRACTED;
        return new RenderedAnswer(representation, body, lasting);
    }

    /** What was found, under what was sent. */
    private record Found(Map<String, Matches<Symbol>> names, Map<String, Matches<SymbolAt>> addresses) {

        boolean complete() {
            return names.values().stream().noneMatch(matches -> matches.total() == 0)
                    && addresses.values().stream().noneMatch(matches -> matches.total() == 0);
        }
    }

    private static Found find(StoredSymbols symbols, SymbolQuery query) {
        SearchBudget budget = new SearchBudget(MAX_STEPS);
        SymbolRoom room = new SymbolRoom();
        int stillToCome = query.names().size() + query.addresses().size();
        Map<String, Matches<Symbol>> names = new LinkedHashMap<>();
        for (Map.Entry<String, SymbolPattern> asked : query.names().entrySet()) {
            int limit = room.left(--stillToCome);
            names.put(
                    asked.getKey(),
                    room.take(symbols.find(asked.getValue(), query.family(), limit, budget), symbol -> symbol));
            requireWithin(budget);
        }
        Map<String, Matches<SymbolAt>> addresses = new LinkedHashMap<>();
        for (Map.Entry<String, Long> asked : query.addresses().entrySet()) {
            int limit = Math.min(MAX_ALIASES, room.left(--stillToCome));
            addresses.put(asked.getKey(), room.take(symbols.at(asked.getValue(), limit, budget), SymbolAt::symbol));
            requireWithin(budget);
        }
        return new Found(names, addresses);
    }

    /**
     * Refuses a question whose answer takes too long.
     *
     * @throws ProblemException if the budget is exceeded: 413
     */
    static void requireWithin(SearchBudget budget) {
        if (budget.isExceeded()) {
            throw new ProblemException(Problem.of(
                            HttpStatus.CONTENT_TOO_LARGE,
                            "search_too_large",
                            "The question takes too long to answer",
                            "more than " + MAX_STEPS + " names and symbols would have to be looked at; expected fewer"
                                    + " patterns, or more characters before the first special one")
                    .with("limit", MAX_STEPS));
        }
    }

    private static <T> void write(
            JsonGenerator out,
            String property,
            Map<String, Matches<T>> found,
            @Nullable String missDetail,
            BiConsumer<JsonGenerator, T> writer) {
        out.writeObjectPropertyStart(property);
        found.forEach((asked, matches) -> {
            out.writeObjectPropertyStart(asked);
            out.writeStringProperty("status", matches.total() > 0 ? "found" : "not_found");
            if (matches.total() == 0 && missDetail != null) {
                out.writeStringProperty("detail", missDetail);
            }
            out.writeArrayPropertyStart("symbols");
            matches.first().forEach(match -> writer.accept(out, match));
            out.writeEndArray();
            if (matches.isTruncated()) {
                out.writeBooleanProperty("truncated", true);
                out.writeNumberProperty("total", matches.total());
            }
            out.writeEndObject();
        });
        out.writeEndObject();
    }
}
