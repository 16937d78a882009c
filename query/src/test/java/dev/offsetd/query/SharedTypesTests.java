package dev.offsetd.query;

import static dev.offsetd.extractor.testkit.Types.INT;
import static dev.offsetd.extractor.testkit.Types.LONG;
import static dev.offsetd.extractor.testkit.Types.base;
import static dev.offsetd.extractor.testkit.Types.define;
import static dev.offsetd.extractor.testkit.Types.field;
import static dev.offsetd.extractor.testkit.Types.struct;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.symbols.ValueRule;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.LayoutText;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.diff.TypeDiff;
import dev.offsetd.query.export.BtfRenderer;
import dev.offsetd.query.export.ExportRenderer;
import dev.offsetd.query.export.ExportedTypes;
import dev.offsetd.query.export.IsfRenderer;
import dev.offsetd.query.export.NameStyle;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.View;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolTable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Types of 60 levels, each of which holds the one below twice: 2^60 members in some hundred bytes. The time limit only ends
 * work that would never end.
 */
@ChecklistRow(2)
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedTypesTests {

    private static final int LEVELS = 60;
    private static final Architecture AMD64 = new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN);

    /** @param members names of the two members; null for none */
    private static AggregateShape levels(TypeShape innermost, @Nullable String members) {
        AggregateShape level = struct(null, 4, field("x", 0, innermost));
        for (int i = 0; i < LEVELS; i++) {
            level = struct(
                    null,
                    8,
                    field(members == null ? null : members + 1, 0, level),
                    field(members == null ? null : members + 2, 4, level));
        }
        return level;
    }

    private static StoredCatalogue build(AggregateShape... shapes) {
        List<Definition> definitions =
                List.of(shapes).stream().map(shape -> define(shape)).toList();
        return StoredCatalogue.of(CatalogueWriter.encode(new TypeCatalogue(definitions, List.of())));
    }

    private static StoredCatalogue holding(AggregateShape shape) {
        return build(struct("outer", 8, field("m", 0, shape)), struct("open", 8, field(null, 0, shape)));
    }

    private static byte[] export(ExportRenderer renderer, StoredCatalogue build) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        renderer.render(ExportedTypes.whole(build, NameStyle.SPELLED), out);
        return out.toByteArray();
    }

    private static ItemAnswer answer(String item, StoredCatalogue build) {
        return ItemResolver.resolve(ItemParser.parse(item), build, null);
    }

    @Test
    void unnamedStructIsExportedOnce() throws IOException {
        for (String members : new String[] {null, "m"}) {
            StoredCatalogue build = holding(levels(INT, members));
            IsfRenderer isf = new IsfRenderer(
                    new IsfRenderer.ExportedBuild(null, AMD64, 1, null),
                    StoredSymbols.of(SymbolTable.of(List.of(), ValueRule.ADDRESS, null, List.of())));

            JsonNode types = JsonMapper.shared().readTree(export(isf, build)).path("user_types");
            byte[] btf = export(new BtfRenderer(AMD64, null), build);

            assertThat(types.size()).isEqualTo(2 + LEVELS + 1);
            assertThat(btf.length).isLessThan(10_000);
        }
    }

    @Test
    void typeWithTooManyMembersIsUnsupported() {
        assertThat(answer("open", holding(levels(INT, null))).status()).isEqualTo(ItemStatus.UNSUPPORTED);

        AggregateShape bases = struct("b", 4, field("x", 0, INT));
        for (int i = 0; i < LEVELS; i++) {
            bases = struct("b" + i, 8, base(0, bases), base(4, bases));
        }
        assertThat(answer("outermost", build(struct("outermost", 8, base(0, bases))))
                        .status())
                .isEqualTo(ItemStatus.UNSUPPORTED);
    }

    @Test
    void typeThatRepeatsItsMembersALittleIsAnswered() {
        AggregateShape shared = struct("shared", 4, field("x", 0, INT));
        AggregateShape one = struct("one", 4, base(0, shared));
        AggregateShape two = struct("two", 4, base(0, shared));

        assertThat(answer("both.x", build(struct("both", 8, base(0, one), base(4, two))))
                        .status())
                .isEqualTo(ItemStatus.AMBIGUOUS);
    }

    @Test
    void textAndMembersAreExpandedUpToALimit() {
        StoredCatalogue named = holding(levels(INT, "m"));
        List<ItemAnswer> answers = List.of(answer("outer", named), answer("open", named));

        assertThat(LayoutText.lines(answers, 0)).hasSizeBetween(10_000, 25_000);
        assertThat(LayoutText.lines(answers, LEVELS)).hasSizeBetween(10_000, 25_000);
        ByteArrayOutputStream json = new ByteArrayOutputStream();
        try (JsonGenerator out = JsonMapper.shared().createGenerator(json)) {
            new AnswerWriter(View.MEMBERS).expanding(LEVELS).writeAnswers(out, answers, "p1");
        }
        assertThat(json.size()).isLessThan(5_000_000);
        StoredCatalogue unnamed = holding(levels(INT, null));
        assertThat(LayoutText.lines(List.of(answer("outer", unnamed)), LEVELS)).hasSizeLessThan(20);
    }

    @Test
    void changeOfASharedTypeIsReportedOnAFewPaths() {
        List<Item> items = List.of(ItemParser.parse("outer"));

        List<TypeDiff> diffs = LayoutDiff.ofItems(items, holding(levels(INT, "m")), holding(levels(LONG, "m")), null);

        assertThat(diffs).hasSizeBetween(2, 200);
    }
}
