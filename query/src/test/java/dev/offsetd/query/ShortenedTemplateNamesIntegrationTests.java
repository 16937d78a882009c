package dev.offsetd.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clang output with {@code -gsimple-template-names}, which must read like the output without it. */
class ShortenedTemplateNamesIntegrationTests {

    private static final String SHORTENED = "-gsimple-template-names";

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"-gdwarf-4", "-gdwarf-5", "-gdwarf-5 -fdebug-types-section"})
    void typesAndVariablesAreThoseOfTheSameSourceWithFullNames(String options) throws Exception {
        List<String> flags = List.of(options.split(" "));
        TypeCatalogue full = everything(compiled("full.so", flags));
        TypeCatalogue shortened = everything(compiled(
                "shortened.so",
                Stream.concat(flags.stream(), Stream.of(SHORTENED)).toList()));

        assertThat(types(shortened)).isEqualTo(types(full));
        assertThat(types(shortened))
                .anyMatch(type -> type.startsWith("STRUCT Vals<true, 'x', 3U, -5L, n::B, 18446744073709551615ULL, "
                        + "(signed char)'\\xfd', (short)9> null"))
                .anyMatch(type -> type.startsWith("STRUCT Sc<(Scoped)4> null"));
        assertThat(variables(shortened)).isEqualTo(variables(full)).anyMatch(name -> name.equals("tvar<int>"));
    }

    @Test
    void instancesAreFoundByTheirFullNames() throws Exception {
        Path file = compiled("shortened.so", List.of(SHORTENED));
        TypeCatalogue everything = everything(file);
        TypeIndex stored = StoredCatalogue.of(CatalogueWriter.encode(everything));

        for (String text : List.of(
                "Box<int>.value",
                "Box<float>.value",
                "Box<Box<int>>.value.value",
                "Box<int>::Inner.v",
                "Outer<float>::In2<char>::Deep.w",
                "Pack<>",
                "Tmpl<Box>",
                "Box<char const *>.value",
                "Vals<true,'x',3U,-5L,n::B,18446744073709551615ULL,(signed char)'\\xfd',(short)9>",
                "Fun<&fun>")) {
            assertThat(answer(text, stored).status()).as(text).isEqualTo(ItemStatus.FOUND);
            assertThat(answer(text, wanted(text, file)).status()).as(text).isEqualTo(ItemStatus.FOUND);
        }
        for (String text : List.of("Box<double *>", "Box<double>::Inner.missing")) {
            assertThat(answer(text, stored).status()).as(text).isNotEqualTo(ItemStatus.FOUND);
            assertThat(answer(text, wanted(text, file)).status()).as(text).isNotEqualTo(ItemStatus.FOUND);
        }
        assertThat(everything.definitionsNamed("Local"))
                .extracting(Definition::function)
                .containsExactly("make<int>", "make<double>");
        ItemOutcome inner =
                answer("Box<int>::Inner", wanted("Box<int>::Inner", file)).outcome();
        assertThat(((ItemOutcome.TypeFound) inner).definition().qualifiedName()).isEqualTo("Box<int>::Inner");
    }

    private static TypeIndex wanted(String text, Path file) throws IOException, ExtractionException {
        Set<String> names = Set.copyOf(ItemParser.parse(text).typeNames());
        return DebugInfo.read(
                        file,
                        new ReadOptions(Limits.DEFAULT, 1),
                        info -> info.extract(new RequestedNames(names, Set.of())))
                .types();
    }

    private static ItemAnswer answer(String text, TypeIndex types) {
        Item item = ItemParser.parse(text);
        return ItemResolver.resolve(item, types, null);
    }

    private static List<String> types(TypeCatalogue catalogue) {
        return catalogue.definitions().stream()
                .map(type -> type.kind() + " " + type.qualifiedName() + " " + type.function() + " " + type.shape())
                .sorted()
                .toList();
    }

    private static List<String> variables(TypeCatalogue catalogue) {
        return catalogue.variables().stream()
                .map(variable -> variable.qualifiedName())
                .sorted()
                .toList();
    }

    private static TypeCatalogue everything(Path file) throws IOException, ExtractionException {
        return DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 2), DebugInfo::extractAll)
                .types();
    }

    private Path compiled(String name, List<String> options) throws IOException, URISyntaxException {
        Path source = Path.of(Objects.requireNonNull(getClass().getResource("/corpus/templates.cpp"))
                .toURI());
        Path library = folder.resolve(name);
        RequiredTool.require("clang++")
                .output(Stream.of(
                                Stream.of("-std=c++20", "-g", "-fstandalone-debug", "-shared", "-fPIC"),
                                options.stream(),
                                Stream.of(source, "-o", library))
                        .flatMap(part -> part)
                        .toArray());
        return library;
    }
}
