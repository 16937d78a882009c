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
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.LayoutText;
import dev.offsetd.query.answer.ResolutionText;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.diff.TypeDiff;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.View;
import dev.offsetd.query.resolve.OffsetExpression;
import dev.offsetd.query.resolve.OffsetResolver;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/** Units with equal layouts but different scalar types. */
class DifferingScalarsTests {

    private static final Path FILE = Fixture.named("gcc12-dwarf5-x86_64-el")
            .folder()
            .resolveSibling("gcc12-dwarf5-scalars-el")
            .resolve("scalars.debug");

    private static TypeCatalogue types(int threads) throws IOException, ExtractionException {
        return DebugInfo.read(FILE, new ReadOptions(Limits.DEFAULT, threads), DebugInfo::extractAll)
                .types();
    }

    private static ItemAnswer answer(String item, TypeIndex types) {
        return ItemResolver.resolve(ItemParser.parse(item), types, null);
    }

    private static String json(String item, TypeIndex types) {
        StringWriter text = new StringWriter();
        try (JsonGenerator out = JsonMapper.shared().createGenerator(text)) {
            new AnswerWriter(View.FIELDS).writeAnswer(out, answer(item, types), "p1");
        }
        return text.toString();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        scalars.number     | "offset":0,"size":4,"differingTypes":[{"type":"int","unit":"A"},{"type":"float","unit":"B"}]
        scalars.bits       | "offset":4,"size":1,"bitOffset":32,"bitSize":3,"storageSize":4,"differingTypes":[{"type":"unsigned int","signed":false,"unit":"A"},{"type":"int","signed":true,"unit":"B"}]
        scalars.alias      | "offset":8,"size":4,"differingTypes":[{"type":"int","unit":"A"},{"type":"float","unit":"B"}]
        scalars.array      | "offset":12,"size":16,"differingTypes":[{"type":"int","unit":"A"},{"type":"float","unit":"B"}],"counts":[4]
        scalars.array[1]   | "offset":16,"size":4,"differingTypes":[{"type":"int","unit":"A"},{"type":"float","unit":"B"}]
        scalars.spelled    | "offset":28,"size":4,"type":"u32"
        scalars.colour     | "offset":32,"size":4,"differingTypes":[{"type":"enum colour","unit":"A"},{"type":"int","unit":"B"}]
        scalars.pointer    | "offset":40,"size":8,"type":"void *"
        scalars.inner      | "offset":48,"size":16,"type":"struct inner","kind":"struct"
        scalars.inner.deep | "offset":48,"size":4,"differingTypes":[{"type":"int","unit":"A"},{"type":"float","unit":"B"}]
        scalars.wide       | "offset":64,"size":8,"type":"long long unsigned int"
        agreed.x           | "offset":0,"size":4,"differingTypes":[{"type":"int","unit":"A"},{"type":"unsigned int","unit":"C"}]
        agreed.colour      | "offset":4,"size":4,"differingTypes":[{"type":"enum colour","unit":"A"},{"type":"int","unit":"C"}]
        changing           | "kind":"typedef","size":4,"differingTypes":[{"type":"int","unit":"A"},{"type":"float","unit":"B"}]
        inner.same         | "offset":8,"size":8,"type":"long int"
        """)
    void offsetsAreFoundAndTypesOfEachUnitListed(String item, String expected) throws IOException, ExtractionException {
        String facts = expected.replace("\"A\"", "\"scalars_a.c\"")
                .replace("\"B\"", "\"scalars_b.c\"")
                .replace("\"C\"", "\"scalars_c.c\"");
        String answer = "{\"status\":\"found\"," + facts + ",\"source\":\"p1\"}";
        TypeCatalogue types = types(1);
        assertThat(json(item, types)).isEqualTo(answer);
        assertThat(json(item, StoredCatalogue.of(CatalogueWriter.encode(types))))
                .isEqualTo(answer);
        String name = item.replaceAll("[.].*", "");
        assertThat(json(
                        item,
                        DebugInfo.read(
                                        FILE,
                                        new ReadOptions(Limits.DEFAULT, 2),
                                        info -> info.extract(new RequestedNames(Set.of(name), Set.of())))
                                .types()))
                .isEqualTo(answer);
    }

    /**
     * The enumeration differs in its enumerators only, so it is ambiguous itself, but the layout of a struct that
     * contains it is not.
     */
    @Test
    void enumerationOfOtherEnumeratorsIsAmbiguousAndItsHolderIsNot() throws IOException, ExtractionException {
        assertThat(json("enum colour", types(1))).startsWith("{\"status\":\"ambiguous\"");
        assertThat(json("scalars", types(1))).startsWith("{\"status\":\"found\",\"kind\":\"struct\",\"size\":80,");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void textSaysTheTypesInPlaceOfOne(int threads) throws IOException, ExtractionException {
        List<String> lines =
                LayoutText.lines(List.of(answer("scalars", types(threads)), answer("changing", types(threads))), 0);
        assertThat(lines.stream().map(line -> line.replaceAll(" +", " ").strip()))
                .contains(
                        "/* int or float */ number; /* 0 4 */",
                        "/* unsigned int or int */ bits:3; /* 4: 0 4 */",
                        "changing alias; /* 8 4 */",
                        "/* int or float */ array[4]; /* 12 16 */",
                        "/* enum colour or int */ colour; /* 32 4 */",
                        "struct inner inner; /* 48 16 */",
                        "typedef /* int or float */ changing; /* 4 bytes */");
    }

    @Test
    void resolveAndDiffSayBoth() throws IOException, ExtractionException {
        OffsetExpression expression = OffsetExpression.parse("scalars+48");
        assertThat(ResolutionText.lines(expression, OffsetResolver.resolve(expression, types(1), null)))
                .anyMatch(line -> line.endsWith("deep  int or float"));
        List<TypeDiff> same = LayoutDiff.ofNames(Set.of("scalars", "agreed"), types(1), types(2), null);
        assertThat(same).isEmpty();
    }
}
