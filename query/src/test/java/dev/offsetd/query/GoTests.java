package dev.offsetd.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Go's types, named by the path of their package. */
class GoTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);

    private static Path file;
    private static TypeCatalogue types;

    @BeforeAll
    static void extract() throws IOException, ExtractionException {
        file = Fixture.named("gcc12-dwarf5-x86_64-el")
                .folder()
                .resolveSibling("go119-dwarf4-x86_64-el")
                .resolve("types.debug");
        types = DebugInfo.read(file, OPTIONS, DebugInfo::extractAll).types();
    }

    @ParameterizedTest
    @CsvSource({
        "main.All.B, 8, 40",
        "main.All.B.Value.len, 24, 8",
        "main.All.C[2][3], 92, 4",
        "main.All.D, 96, 8",
        "main.All.E, 104, 16",
        "main.All.embedded.Y, 122, 2",
        "main.All.Y, 122, 2",
        "main.All.F, 124, 1",
        "main.All.G.cap, 144, 8",
        "main.All.H, 152, 8",
        "main.All.I, 160, 16",
        "runtime.g.stack.hi, 8, 8",
        "g.stack.hi, 8, 8",
        "All.D, 96, 8",
        "Node.Children, 32, 8",
        "yaml.v3.Node.Children, 32, 8",
        "'Pair[string,int].Value', 16, 8",
        "'yaml.v3.Pair[string, int].Value', 16, 8",
        "'example.com/types/yaml.v3.Pair[string,int].Value', 16, 8",
        "'\"[]string\".array', 0, 8",
        "example.com/types/yaml.v3.Node.Children, 32, 8",
        "example.com/types/yaml%2ev3.Node.Children, 32, 8",
        "'\"example.com/types/yaml.v3.Pair[string,int]\".Value', 16, 8"
    })
    void pathsStartAtThePackage(String path, long offset, long size) throws IOException, ExtractionException {
        Item item = ItemParser.parse(path);
        TypeIndex selected = DebugInfo.read(
                        file,
                        OPTIONS,
                        info -> info.extract(new RequestedNames(
                                item.simpleTypeNames(), item.typeNames(), item.enumeratorNames(), Set.of())))
                .types();
        StoredCatalogue stored = StoredCatalogue.of(CatalogueWriter.encode(types));
        for (TypeIndex index : new TypeIndex[] {types, selected, stored}) {
            assertThat(ItemResolver.resolve(item, index, null).outcome())
                    .isInstanceOfSatisfying(ItemOutcome.PathFound.class, found -> {
                        assertThat(found.placement().offset()).isEqualTo(offset);
                        assertThat(found.placement().size()).isEqualTo(size);
                    });
        }
    }

    @Test
    void namedScalarsAndFunctionsAreTypesToo() {
        assertThat(types.definitionsNamed("main.Small"))
                .singleElement()
                .satisfies(small -> assertThat(small.shape().byteSize()).isEqualTo(1));
        assertThat(types.definitionsNamed("func(int) string")).isNotEmpty();
        assertThat(types.definitionsNamed("main.All"))
                .allSatisfy(all -> assertThat(all.shape().byteSize()).isEqualTo(176));
    }
}
