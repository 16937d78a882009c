package dev.offsetd.query.item;

import static dev.offsetd.extractor.testkit.Types.C;
import static dev.offsetd.extractor.testkit.Types.LONG;
import static dev.offsetd.extractor.testkit.Types.build;
import static dev.offsetd.extractor.testkit.Types.define;
import static dev.offsetd.extractor.testkit.Types.field;
import static dev.offsetd.extractor.testkit.Types.struct;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolBinding;
import dev.offsetd.extractor.symbols.SymbolSection;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.symbols.SymbolVersion;
import dev.offsetd.extractor.symbols.SymbolVisibility;
import dev.offsetd.extractor.symbols.TlsSegment;
import dev.offsetd.extractor.symbols.ValueRule;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.TracerText;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolTable;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Items that symbols and thread-local storage answer, beside those that types do. */
class SymbolItemTests {

    private static final JsonMapper JSON = new JsonMapper();
    private static final SymbolSection TDATA = new SymbolSection(SymbolSection.Kind.IN_SECTION, 1, ".tbss", 0x1000);

    private static final BuildContents BUILD = new BuildContents(
            build(define(struct("s", 8, field("a", 0, LONG)))),
            new SymbolSearch(
                    table(
                            symbol("ruby_current_ec", null, 0x20),
                            symbol("step", new SymbolVersion("V1", false), 0x30),
                            symbol("step", new SymbolVersion("V2", true), 0x40)),
                    new TlsSegment(0x3000, null, 0x28, 8),
                    SearchBudget.unlimited()));

    @ParameterizedTest
    @CsvSource({
        "symbol ruby_current_ec, 1",
        "symbol \"ruby_current_ec\", 1",
        "symbol ruby_*, 1",
        "symbol step, 2",
        "symbol step@V1, 1",
        "symbol step@@V2, 1",
        "symbol *, 3"
    })
    void symbolsAreFoundByNameVersionAndPattern(String item, int count) {
        assertThat(ask(item, BUILD).outcome()).isInstanceOfSatisfying(ItemOutcome.SymbolsFound.class, found -> {
            assertThat(found.symbols()).hasSize(count);
            assertThat(found.total()).isEqualTo(count);
        });
    }

    @ParameterizedTest
    @CsvSource({"symbol nope", "symbol step@V3", "symbol step@@V1", "symbol nope*"})
    void missingSymbolIsReported(String item) {
        assertThat(ask(item, BUILD).outcome())
                .isEqualTo(new ItemOutcome.Missed(ItemStatus.TYPE_NOT_FOUND, "the build has no such symbol"));
    }

    @ParameterizedTest
    @CsvSource({
        "symbol nope|symbol step,          FOUND,           symbol step",
        "s.b|symbol ruby_current_ec,       FOUND,           symbol ruby_current_ec",
        "symbol nope|s.a,                  FOUND,           s.a",
        "symbol nope|s.b,                  FIELD_NOT_FOUND, s.b",
        "symbol nope|tls,                  FOUND,           tls",
        "nope|symbol nope,                 TYPE_NOT_FOUND,"
    })
    void symbolsAndTypesAreAlternativesOfEachOther(String item, ItemStatus status, @Nullable String matched) {
        ItemAnswer answer = ask(item, BUILD);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(Optional.ofNullable(answer.matched()).map(Alternative::text))
                .isEqualTo(Optional.ofNullable(matched));
    }

    @ParameterizedTest
    @EnumSource(View.class)
    void symbolsAreWrittenAlikeInEveryView(View view) {
        assertThat(write(view, BUILD, "symbol ruby_current_ec")).isEqualTo(JSON.readTree("""
                {"symbol ruby_current_ec": {"status": "found", "kind": "symbol", "symbols": [
                  {"name": "ruby_current_ec", "version": null, "value": "0x20", "size": 8, "type": "TLS",
                   "binding": "LOCAL", "visibility": "DEFAULT", "section": ".tbss", "imported": false,
                   "sources": [{"file": "file", "table": ".symtab"}]}],
                 "source": "p1"}}"""));
    }

    @ParameterizedTest
    @EnumSource(View.class)
    void threadLocalStorageIsWrittenAlikeInEveryView(View view) {
        assertThat(write(view, BUILD, "tls")).isEqualTo(JSON.readTree("""
                {"tls": {"status": "found", "kind": "tls", "source": "p1",
                         "tls": {"address": "0x3000", "fileSize": null, "memorySize": 40, "alignment": 8}}}"""));
    }

    @Test
    void moreThanAThousandSymbolsAreCounted() {
        BuildContents build = symbolsOnly(many(1_005), SearchBudget.unlimited());

        JsonNode answer = write(View.FIELDS, build, "symbol f*").path("symbol f*");

        assertThat(answer.path("symbols").size()).isEqualTo(1_000);
        assertThat(answer.path("truncated").asBoolean(false)).isTrue();
        assertThat(answer.path("total").asInt()).isEqualTo(1_005);
        assertThat(write(View.FIELDS, build, "symbol f1").path("symbol f1").has("truncated"))
                .isFalse();
    }

    @Test
    void patternsOfOneQueryListTenThousandSymbolsTogetherAndAFewEachBeyondThat() {
        BuildContents build = symbolsOnly(many(1_005), SearchBudget.unlimited());

        List<Integer> listed = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            listed.add(((ItemOutcome.SymbolsFound) ask("symbol f*", build).outcome())
                    .symbols()
                    .size());
        }

        assertThat(listed.subList(0, 10)).containsOnly(1_000);
        assertThat(listed.subList(10, 12)).containsOnly(8);
    }

    @Test
    void patternsThatTakeTooLongAreRefused() {
        BuildContents build = symbolsOnly(many(1_005), new SearchBudget(100));

        assertThat(ask("symbol f1", build).status()).isEqualTo(ItemStatus.FOUND);
        assertThat(ask("symbol *9", build).outcome()).isInstanceOfSatisfying(ItemOutcome.Missed.class, missed -> {
            assertThat(missed.status()).isEqualTo(ItemStatus.UNSUPPORTED);
            assertThat(missed.detail()).startsWith("the symbol patterns of this query take too long");
        });
    }

    @Test
    void buildWithoutThreadLocalStorageSaysSo() {
        BuildContents build = symbolsOnly(table(), SearchBudget.unlimited());

        assertThat(ask("tls", build).outcome())
                .isEqualTo(new ItemOutcome.Missed(
                        ItemStatus.TYPE_NOT_FOUND, "the build has no thread-local storage (PT_TLS)"));
    }

    @Test
    void buildWithoutDebugInformationAnswersItsSymbolsAlone() {
        BuildContents build = new BuildContents(null, BUILD.symbols());

        assertThat(ask("s.a", build).status()).isEqualTo(ItemStatus.NO_DEBUGINFO);
        assertThat(ask("enumerator A", build).status()).isEqualTo(ItemStatus.NO_DEBUGINFO);
        assertThat(ask("symbol step", build).status()).isEqualTo(ItemStatus.FOUND);
        assertThat(ask("s.a|symbol step", build).status()).isEqualTo(ItemStatus.FOUND);
    }

    @ParameterizedTest
    @CsvSource({
        "s.a, true, false",
        "enumerator A, true, false",
        "symbol a, false, true",
        "tls, false, true",
        "s.a|symbol a, true, true",
        "@ruby, false, false"
    })
    void itemSaysWhatItNeeds(String item, boolean types, boolean symbols) {
        assertThat(ItemParser.parse(item).needsTypes()).isEqualTo(types);
        assertThat(ItemParser.parse(item).needsSymbols()).isEqualTo(symbols);
    }

    @Test
    void variableWhoseSymbolIsMissingIsAnsweredWithoutSymbol() {
        Variable variable =
                new Variable("ruby_current_ec", "ruby_current_ec", null, null, "a.c", C, false, 0x500L, null, LONG);
        BuildContents build = new BuildContents(new TypeCatalogue(List.of(), List.of(variable)), BUILD.symbols());

        assertThat(write(View.FIELDS, build, "ruby_current_ec")).isEqualTo(JSON.readTree("""
                {"ruby_current_ec": {"status": "found", "address": "0x500", "offset": 0, "size": 8,
                 "type": "long int", "language": "C11", "source": "p1"}}"""));
        assertThat(TracerText.lines(List.of(ask("ruby_current_ec", build)), TracerText.Dialect.BPFTRACE, null, null))
                .containsExactly("/* ruby_current_ec: the variable has no symbol: give its address as base */");
    }

    private static BuildContents symbolsOnly(StoredSymbols symbols, SearchBudget budget) {
        return new BuildContents(null, new SymbolSearch(symbols, null, budget));
    }

    private static StoredSymbols many(int count) {
        return table(IntStream.range(0, count)
                .mapToObj(i -> symbol("f" + i, null, i))
                .toArray(Symbol[]::new));
    }

    @ParameterizedTest
    @CsvSource(
            value = {"symbol ruby_curent_ec,ruby_current_ec", "symbol stpe,step", "symbol ruby_curent*,NULL"},
            nullValues = "NULL")
    void misspelledSymbolHasACodeAndSuggestions(String item, @Nullable String suggestion) {
        ItemAnswer answer = new Suggestions(BUILD).addTo(ask(item, BUILD));
        assertThat(answer.status()).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
        assertThat(answer.code()).isEqualTo("symbol_not_found");
        assertThat(answer.suggestions()).isEqualTo(suggestion == null ? List.of() : List.of(suggestion));
    }

    @Test
    void codeOfAMissNamesWhatIsMissingUnlessItIsAType() {
        assertThat(ask("enumerator RED", BUILD).code()).isEqualTo("enumerator_not_found");
        assertThat(ask("unknown", BUILD).code()).isNull();
        assertThat(ask("unknown|symbol unknown", BUILD).code()).isNull();
        assertThat(ask("symbol step", BUILD).code()).isNull();
    }

    private static ItemAnswer ask(String item, BuildContents build) {
        return ItemResolver.resolve(ItemParser.parse(item), build, null);
    }

    private static JsonNode write(View view, BuildContents build, String item) {
        StringWriter written = new StringWriter();
        try (JsonGenerator out = JSON.createGenerator(written)) {
            new AnswerWriter(view).writeAnswers(out, List.of(ask(item, build)), "p1");
        }
        return JSON.readTree(written.toString());
    }

    private static Symbol symbol(String name, @Nullable SymbolVersion version, long value) {
        return new Symbol(
                name,
                version,
                value,
                8,
                SymbolType.TLS,
                SymbolBinding.LOCAL,
                SymbolVisibility.DEFAULT,
                TDATA,
                List.of(new SymbolSource(SymbolSource.Table.SYMTAB, false)));
    }

    private static StoredSymbols table(Symbol... symbols) {
        return StoredSymbols.of(SymbolTable.of(List.of(List.of(symbols)), ValueRule.ADDRESS, null, List.of()));
    }
}
