package dev.offsetd.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.item.Item;
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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Items in the spellings of all compilers find the types of each. */
class SpelledNamesIntegrationTests {

    private static final List<String> ITEMS = List.of(
            "Box<unsigned long>.value",
            "Box<long unsigned int>.value",
            "Pair<short, unsigned char>.value",
            "Pair<short int, unsigned char>.value",
            "Box<const char *>.value",
            "Box<char const *>.value",
            "Box<n::Held const *>.value",
            "Box<(anonymous namespace)::Hidden>.value.x",
            "Box<{anonymous}::Hidden>.value.x",
            "Box<{anonymous}::Hidden const *>.value",
            "{anonymous}::Hidden.x",
            "(anonymous namespace)::Hidden.x",
            "unsigned long");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"g++", "clang++"})
    void everySpellingOfATypeFindsIt(String compiler) throws IOException, ExtractionException, URISyntaxException {
        Path source = Path.of(Objects.requireNonNull(getClass().getResource("/corpus/spellings.cpp"))
                .toURI());
        Path library = folder.resolve("spellings.so");
        RequiredTool.require(compiler).output("-g", "-shared", "-fPIC", source, "-o", library);
        ReadOptions options = new ReadOptions(Limits.DEFAULT, 1);
        TypeIndex stored = StoredCatalogue.of(CatalogueWriter.encode(
                DebugInfo.read(library, options, DebugInfo::extractAll).types()));

        for (String text : ITEMS) {
            Item item = ItemParser.parse(text);
            TypeIndex selected = DebugInfo.read(
                            library,
                            options,
                            info -> info.extract(new RequestedNames(
                                    item.simpleTypeNames(), item.typeNames(), item.enumeratorNames(), Set.of())))
                    .types();
            assertThat(status(item, stored)).as(text).isEqualTo(ItemStatus.FOUND);
            assertThat(status(item, selected)).as(text).isEqualTo(ItemStatus.FOUND);
        }
        assertThat(status(ItemParser.parse("Box<long>"), stored)).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
    }

    private static ItemStatus status(Item item, TypeIndex types) {
        return ItemResolver.resolve(item, types, null).status();
    }
}
