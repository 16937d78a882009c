package dev.offsetd.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolPattern;
import dev.offsetd.query.symbol.SymbolTable;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Types in functions are found by the names of these, members by names with dots, static members by their symbols. */
class LocalTypesIntegrationTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 2);

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"g++", "clang++", "clang++ -gsimple-template-names"})
    void functionSaysWhichTypeIsMeant(String compiler) throws Exception {
        Path library = compiled(compiler);
        TypeCatalogue everything =
                DebugInfo.read(library, OPTIONS, DebugInfo::extractAll).types();
        TypeIndex stored = StoredCatalogue.of(CatalogueWriter.encode(everything));

        assertPlace("first()::Local.one", 0, 4, "first", stored, library);
        assertPlace("second()::Local.one", 0, 4, "second", stored, library);
        assertPlace("n::Class::method()::Local.many", 0, 9, "n::Class::method", stored, library);
        assertPlace("::n::Class::method()::Local.many", 0, 9, "n::Class::method", stored, library);
        assertPlace("method()::Local.many", 0, 9, "n::Class::method", stored, library);
        assertPlace("n::instance<int>()::Local.value", 0, 4, "n::instance<int>", stored, library);
        assertPlace("instance<char>()::Local.value", 0, 1, "n::instance<char>", stored, library);
        assertPlace("struct first()::Held.in_function", 0, 1, "first", stored, library);
        assertPlace("second()::Inner.deep", 0, 2, "second", stored, library);

        for (TypeIndex types : List.of(stored, everything)) {
            assertThat(answer("Held.held", types).status()).isEqualTo(ItemStatus.FOUND);
            assertThat(answer("third()::Local", types).status()).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
            assertThat(answer("Class::method()::Local", types).status()).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
            assertThat(answer("first()::Held.held", types).status()).isEqualTo(ItemStatus.FIELD_NOT_FOUND);
            assertThat(answer("Local", types).status()).isEqualTo(ItemStatus.AMBIGUOUS);
        }
    }

    @Test
    void memberWithADotInItsNameIsFound() throws Exception {
        Path library = compiled("g++");
        for (String text :
                List.of("Virtual.\"_vptr.Virtual\"", "Virtual._vptr.Virtual", "\"Virtual\" . \"_vptr.Virtual\"")) {
            ItemOutcome outcome = answer(text, wanted(text, library)).outcome();
            assertThat(outcome)
                    .isInstanceOfSatisfying(
                            ItemOutcome.PathFound.class,
                            found -> assertThat(found.placement().size()).isEqualTo(8));
        }
        assertThat(answer("Virtual.\"_vptr.Virtual\".more", wanted("Virtual", library))
                        .outcome())
                .isInstanceOfSatisfying(
                        ItemOutcome.CrossesPointer.class,
                        crosses -> assertThat(crosses.at()).isEqualTo("Virtual.\"_vptr.Virtual\""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"g++", "g++ -gdwarf-4", "clang++", "clang++ -gsimple-template-names"})
    void staticMemberAnswersWithItsSymbol(String compiler) throws Exception {
        Path library = compiled(compiler);
        TypeIndex stored = StoredCatalogue.of(CatalogueWriter.encode(
                DebugInfo.read(library, OPTIONS, DebugInfo::extractAll).types()));
        Symbol symbol = StoredSymbols.of(SymbolTable.of(DebugInfo.read(library, OPTIONS, DebugInfo::symbolTables)))
                .find(SymbolPattern.of("_ZN6SharedIlE6commonE"), false, 1, SearchBudget.unlimited())
                .first()
                .getFirst();

        for (String text : List.of("Shared<long>.common", "Shared<long>::common")) {
            Item item = ItemParser.parse(text);
            RequestedNames wanted =
                    new RequestedNames(item.typeNames(), item.enumeratorNames(), item.staticMemberNames());
            for (TypeIndex types : List.of(
                    stored,
                    DebugInfo.read(library, OPTIONS, info -> info.extract(wanted))
                            .types())) {
                assertThat(answer(text, types).outcome())
                        .as(text)
                        .isInstanceOfSatisfying(ItemOutcome.StaticFound.class, found -> {
                            assertThat(found.variable().linkageName()).isEqualTo("_ZN6SharedIlE6commonE");
                            assertThat(found.variable().address()).isEqualTo(symbol.value());
                            assertThat(found.variable().type().byteSize()).isEqualTo(8);
                        });
            }
        }
        // GCC leaves out what nothing uses in DWARF 5.
        if (!compiler.equals("g++")) {
            assertThat(answer("Elsewhere.missing", stored).outcome())
                    .isEqualTo(new ItemOutcome.Missed(
                            ItemStatus.DECLARATION_ONLY,
                            "\"Elsewhere::missing\" is static, and defined in another file"));
        }
        assertThat(answer("Shared<int>.other", stored).status()).isEqualTo(ItemStatus.FIELD_NOT_FOUND);
        assertThat(answer("Shared<int>::own", stored).status()).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
    }

    private static void assertPlace(
            String text, long offset, long size, String function, TypeIndex stored, Path library)
            throws IOException, ExtractionException {
        for (TypeIndex types : List.of(stored, wanted(text, library))) {
            ItemAnswer answer = answer(text, types);
            assertThat(answer.outcome()).as(text).isInstanceOfSatisfying(ItemOutcome.PathFound.class, found -> {
                assertThat(found.placement().offset()).isEqualTo(offset);
                assertThat(found.placement().size()).isEqualTo(size);
                assertThat(found.definition().function()).isEqualTo(function);
            });
            assertThat(answer.wholeName()).isNull();
        }
    }

    private static TypeIndex wanted(String text, Path file) throws IOException, ExtractionException {
        Item item = ItemParser.parse(text);
        return DebugInfo.read(
                        file,
                        OPTIONS,
                        info -> info.extract(new RequestedNames(
                                item.simpleTypeNames(), item.typeNames(), item.enumeratorNames(), Set.of())))
                .types();
    }

    private static ItemAnswer answer(String text, TypeIndex types) {
        return ItemResolver.resolve(ItemParser.parse(text), types, null);
    }

    private Path compiled(String compiler) throws IOException, URISyntaxException {
        Path source = Path.of(Objects.requireNonNull(getClass().getResource("/corpus/local_types.cpp"))
                .toURI());
        Path library = folder.resolve("library.so");
        List<String> command = List.of(compiler.split(" "));
        RequiredTool.require(command.getFirst())
                .output(
                        "-g",
                        command.size() > 1 ? command.getLast() : "-O0",
                        "-shared",
                        "-fPIC",
                        source,
                        "-o",
                        library);
        return library;
    }
}
