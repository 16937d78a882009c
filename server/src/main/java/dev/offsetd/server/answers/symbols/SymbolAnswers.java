package dev.offsetd.server.answers.symbols;

import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.ValueRule;
import dev.offsetd.query.answer.SymbolWriter;
import dev.offsetd.query.item.ProgramFacts;
import dev.offsetd.query.symbol.CodeAddress;
import dev.offsetd.query.symbol.Matches;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolAt;
import dev.offsetd.query.symbol.SymbolPattern;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.storage.SymbolTables;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import tools.jackson.core.JsonGenerator;

/** Answers symbol queries from the stored symbols of a build. */
@Component
class SymbolAnswers {

    /** Symbols listed per address. In C++, dozens of empty functions can be folded into one. */
    static final int MAX_ALIASES = 100;

    /** Names, symbols and addresses that one query may look at: about one second. */
    static final long MAX_STEPS = 4_000_000;

    private static final String SYMBOLS = "symbols";

    private final SymbolTables tables;
    private final Catalogues catalogues;
    private final Identities identities;

    SymbolAnswers(SymbolTables tables, Catalogues catalogues, Identities identities) {
        this.tables = tables;
        this.catalogues = catalogues;
        this.identities = identities;
    }

    /**
     * Answers a query.
     *
     * @param file that the symbols come from
     * @throws ProblemException if the lookups would take too long: 413
     */
    Answer answer(Build build, StoredFile file, SymbolQuery query) {
        StoredSymbols symbols = tables.open(build.id(), build.generation());
        ProgramFacts program = identities.program(build.id(), symbols, query.segments());
        return tables.reading(
                symbols,
                SymbolAllowance.MAX_SYMBOLS,
                SymbolAllowance.MAX_CHARACTERS,
                () -> rendered(build, file, symbols, find(symbols, program, query), query.representation()));
    }

    private Answer rendered(
            Build build, StoredFile file, StoredSymbols symbols, FoundSymbols found, Representation representation) {
        boolean incomplete =
                build.state() == BuildState.EXTRACTED && catalogues.lackSymbols(build.id(), build.generation());
        SpooledBody body = SpooledBody.of(representation, out -> {
            AnswerParts.writeHead(out, build.id(), file);
            SymbolWriter.writeIncomplete(out, incomplete);
            symbols.tls().ifPresent(tls -> {
                out.writeName("tls");
                SymbolWriter.write(out, tls);
            });
            SymbolWriter.writeMissing(out, found.program().offsets());
            out.writeBooleanProperty("complete", found.complete());
            found.write(out, symbols.values());
            AnswerParts.writeProvenance(out, file);
        });
        boolean lasting = found.complete() && !AnswerParts.isStale(file) && build.state() == BuildState.EXTRACTED;
        return new Answer(representation, body, lasting);
    }

    /**
     * Limits on the symbols of one answer. A pattern may match every symbol, and a hostile file may give symbols names of a
     * megabyte. Not thread-safe.
     */
    static final class SymbolAllowance {

        static final int MAX_SYMBOLS = 10_000;

        /** Limit of the total length of names and versions. */
        static final int MAX_CHARACTERS = 4 << 20;

        private int symbols = MAX_SYMBOLS;
        private int characters = MAX_CHARACTERS;

        /**
         * Returns how many symbols the next name or address may list.
         *
         * @param remaining names and addresses after it, for each of which one symbol is reserved
         */
        int left(int remaining) {
            return Math.max(0, symbols - remaining);
        }

        /** Returns the first matches that fit, and subtracts them from the allowance. */
        <T> Matches<T> take(Matches<T> matches, Function<T, Symbol> symbol) {
            List<T> taken = new ArrayList<>();
            for (T match : matches.first()) {
                int length = characters(symbol.apply(match));
                if (length > characters) {
                    break;
                }
                characters -= length;
                taken.add(match);
            }
            symbols -= taken.size();
            return new Matches<>(taken, matches.total());
        }

        private static int characters(Symbol symbol) {
            return symbol.name().length()
                    + (symbol.version() == null ? 0 : symbol.version().name().length());
        }
    }

    /**
     * Symbols at an address.
     *
     * @param place the virtual address; null if it is not known
     */
    private record FoundAddress(CodeAddress asked, @Nullable Long place, Matches<SymbolAt> symbols) {

        void write(JsonGenerator out, ProgramFacts program, ValueRule values) {
            out.writeStartObject();
            SymbolWriter.writeLookup(out, asked, symbols.total() > 0, program.offsets(), values);
            writeSymbols(out, symbols, at -> SymbolWriter.write(out, at, program));
            out.writeEndObject();
        }
    }

    /** Symbols by the name or address that the client sent. */
    private record FoundSymbols(
            Map<String, Matches<Symbol>> names,
            Addresses asked,
            Map<String, FoundAddress> addresses,
            ProgramFacts program) {

        boolean complete() {
            return asked.malformed().isEmpty()
                    && names.values().stream().noneMatch(matches -> matches.total() == 0)
                    && addresses.values().stream()
                            .noneMatch(found -> found.symbols().total() == 0);
        }

        void write(JsonGenerator out, ValueRule values) {
            out.writeObjectPropertyStart(SymbolQuery.NAMES);
            names.forEach((text, matches) -> {
                out.writeObjectPropertyStart(text);
                out.writeStringProperty("status", matches.total() > 0 ? "found" : "not_found");
                writeSymbols(out, matches, symbol -> SymbolWriter.write(out, symbol, program));
                out.writeEndObject();
            });
            out.writeEndObject();
            out.writeObjectPropertyStart(SymbolQuery.ADDRESSES);
            addresses.forEach((text, found) -> {
                out.writeName(text);
                found.write(out, program, values);
            });
            asked.writeMalformed(out, SYMBOLS);
            out.writeEndObject();
        }
    }

    private static <T> void writeSymbols(JsonGenerator out, Matches<T> matches, Consumer<T> writer) {
        out.writeArrayPropertyStart(SYMBOLS);
        matches.first().forEach(writer);
        out.writeEndArray();
        if (matches.isTruncated()) {
            out.writeBooleanProperty("truncated", true);
            out.writeNumberProperty("total", matches.total());
        }
    }

    private static FoundSymbols find(StoredSymbols symbols, ProgramFacts program, SymbolQuery query) {
        SearchBudget budget = new SearchBudget(MAX_STEPS);
        SymbolAllowance allowance = new SymbolAllowance();
        int remaining = query.names().size() + query.addresses().readable().size();
        Map<String, Matches<Symbol>> names = new LinkedHashMap<>();
        for (Map.Entry<String, SymbolPattern> name : query.names().entrySet()) {
            int limit = allowance.left(--remaining);
            names.put(
                    name.getKey(),
                    allowance.take(symbols.find(name.getValue(), query.family(), limit, budget), symbol -> symbol));
            requireWithin(budget);
        }
        Map<String, FoundAddress> addresses = new LinkedHashMap<>();
        query.addresses().readable().forEach((text, asked) -> {
            OptionalLong place = asked.in(program.offsets());
            addresses.put(
                    text,
                    new FoundAddress(asked, place.isPresent() ? place.getAsLong() : null, new Matches<>(List.of(), 0)));
        });
        // Neighbours share blocks of the stored symbols; in another order, most look-ups unpack one.
        for (Map.Entry<String, FoundAddress> address : byPlace(addresses)) {
            int limit = Math.min(MAX_ALIASES, allowance.left(--remaining));
            CodeAddress asked = address.getValue().asked();
            Long place = address.getValue().place();
            if (place != null) {
                Matches<SymbolAt> found = symbols.at(place, limit, budget);
                address.setValue(new FoundAddress(asked, place, allowance.take(found, SymbolAt::symbol)));
            }
            requireWithin(budget);
        }
        return new FoundSymbols(names, query.addresses(), addresses, program);
    }

    private static List<Map.Entry<String, FoundAddress>> byPlace(Map<String, FoundAddress> addresses) {
        return addresses.entrySet().stream()
                .sorted((one, other) -> Long.compareUnsigned(
                        Objects.requireNonNullElse(one.getValue().place(), 0L),
                        Objects.requireNonNullElse(other.getValue().place(), 0L)))
                .toList();
    }

    /** Refuses a query that exceeds the budget: 413. */
    static void requireWithin(SearchBudget budget) {
        if (budget.isExceeded()) {
            throw ProblemException.of(
                            HttpStatus.CONTENT_TOO_LARGE,
                            "search_too_large",
                            "The query takes too long",
                            "more than " + MAX_STEPS + " names and symbols to search; expected fewer patterns, or more"
                                    + " literal characters at their start")
                    .with("limit", MAX_STEPS);
        }
    }
}
