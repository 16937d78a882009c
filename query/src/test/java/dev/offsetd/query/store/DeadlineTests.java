package dev.offsetd.query.store;

import static dev.offsetd.extractor.testkit.Types.INT;
import static dev.offsetd.extractor.testkit.Types.define;
import static dev.offsetd.extractor.testkit.Types.enumeration;
import static dev.offsetd.extractor.testkit.Types.field;
import static dev.offsetd.extractor.testkit.Types.struct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.dwarf.frame.FrameTableBuilder;
import dev.offsetd.extractor.frames.FrameRange;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.frames.FunctionName;
import dev.offsetd.extractor.identity.scan.CompilationIdentity;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.DeadlineExceededException;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolBinding;
import dev.offsetd.extractor.symbols.SymbolSection;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.symbols.SymbolVisibility;
import dev.offsetd.extractor.symbols.ValueRule;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.ConstantsHeader;
import dev.offsetd.query.answer.LayoutText;
import dev.offsetd.query.answer.NameMapWriter;
import dev.offsetd.query.answer.TracerText;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.export.BtfRenderer;
import dev.offsetd.query.export.ExportedTypes;
import dev.offsetd.query.export.IsfRenderer;
import dev.offsetd.query.export.NameStyle;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.View;
import dev.offsetd.query.overlay.PinOverlay;
import dev.offsetd.query.overlay.PinnedItem;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolTable;
import dev.offsetd.query.typeset.MapValue;
import dev.offsetd.query.typeset.NameMap;
import java.io.OutputStream;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/** The deadline of a piece of work counts to its last byte. */
class DeadlineTests {

    private static final Deadline PASSED = new Deadline(Duration.ZERO);

    private static TypeCatalogue catalogue() {
        List<Definition> definitions = IntStream.range(0, 2_000)
                .mapToObj(i -> {
                    String name = "type_of_a_long_name_" + i;
                    return new Definition(
                            TypeKind.STRUCT,
                            name,
                            name,
                            null,
                            "unit.c",
                            new Language("C11", Language.Family.C),
                            ".debug_info",
                            i,
                            new IncompleteShape("struct " + name, IncompleteShape.Reason.DECLARED));
                })
                .toList();
        return new TypeCatalogue(definitions, List.of());
    }

    @Test
    void deadlineEndsTheWritingOfACatalogue() throws Exception {
        assertThat(new Deadline(Duration.ofHours(1)).during(() -> CatalogueWriter.encode(catalogue())))
                .isNotEmpty();
        assertThatThrownBy(() -> PASSED.during(() -> CatalogueWriter.encode(catalogue())))
                .isInstanceOf(DeadlineExceededException.class)
                .hasMessageContaining("longer than 0 s");
    }

    @Test
    void deadlineCountsInTheThreadThatIndexesNames() {
        TypeCatalogue names = new TypeCatalogue(
                List.of(define(enumeration(
                        "colours", 4, false, many(i -> new Enumerator("COLOUR_" + i, i), Enumerator[]::new)))),
                List.of());
        Deadline whileIndexing = Deadline.afterChecks(MANY / 2);
        assertThatThrownBy(() -> whileIndexing.during(() -> CatalogueWriter.encode(names)))
                .isInstanceOf(DeadlineExceededException.class);
    }

    @Test
    void deadlineEndsTheReadingOfACatalogue() {
        StoredCatalogue stored = StoredCatalogue.of(CatalogueWriter.encode(catalogue()));
        assertThatThrownBy(() -> PASSED.during(() -> {
                    stored.forEachDefinition(_ -> {});
                    return "";
                }))
                .isInstanceOf(DeadlineExceededException.class);
        assertThatThrownBy(() -> PASSED.during(stored::qualifiedNames)).isInstanceOf(DeadlineExceededException.class);
    }

    /** Work on something that a file controls, prepared before its deadline begins. */
    record Stage(String name, Callable<?> work) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static final int MANY = 2_000;

    private static <T> T[] many(IntFunction<T> made, IntFunction<T[]> array) {
        return IntStream.range(0, MANY).mapToObj(made).toArray(array);
    }

    private static Stage identity() {
        CompilationIdentity identity = new CompilationIdentity();
        for (int i = 0; i < MANY; i++) {
            identity.add("GNU C17 14.2." + i, "/build/program-" + i, "C11", 1);
        }
        return new Stage("identity", identity::identity);
    }

    private static List<Symbol> symbols() {
        SymbolSection text = new SymbolSection(SymbolSection.Kind.IN_SECTION, 1, ".text", 0x1000_0000);
        return List.of(many(
                i -> new Symbol(
                        "function_" + i,
                        null,
                        0x1000 + 16L * i,
                        16,
                        SymbolType.FUNC,
                        SymbolBinding.GLOBAL,
                        SymbolVisibility.DEFAULT,
                        text,
                        List.of(new SymbolSource(SymbolSource.Table.SYMTAB, false))),
                Symbol[]::new));
    }

    private static SymbolTable symbolTable() {
        return SymbolTable.of(List.of(symbols(), symbols()), ValueRule.ADDRESS, null, List.of());
    }

    private static Stage frameTable() throws ExtractionException {
        FrameTableBuilder builder = new FrameTableBuilder(new HeapBudget(Long.MAX_VALUE));
        List<FrameRange> ranges = List.of(many(i -> FrameRange.ofFunction(16L * i, 16L * i + 8, i), FrameRange[]::new));
        builder.add(new FrameTable(
                List.of(many(i -> new FunctionName("function_" + i, null), FunctionName[]::new)),
                List.of(),
                ranges,
                List.of()));
        return new Stage("frame table", () -> builder.build(List.of(), List.of()));
    }

    private static List<ItemAnswer> answers(TypeIndex types, String items) {
        return ItemParser.parseList(List.of(items)).stream()
                .map(item -> ItemResolver.resolve(item, types, null))
                .toList();
    }

    private static NameMap.Values nameMap() {
        NameMap map = new NameMap("agent", "an agent", List.of(), List.of());
        return new NameMap.Values(
                "set",
                1,
                map,
                List.of(many(
                        i -> new NameMap.NamedValue(
                                "name_" + i, new MapValue.Known(BigInteger.valueOf(i), null), false),
                        NameMap.NamedValue[]::new)));
    }

    private static String json(Consumer<JsonGenerator> writer) {
        StringWriter text = new StringWriter();
        try (JsonGenerator out = JsonMapper.shared().createGenerator(text)) {
            writer.accept(out);
        }
        return text.toString();
    }

    private static AggregateShape small(int number, int offset) {
        return struct("small_" + number, offset + 4L, field("a", offset, INT));
    }

    static Stream<Stage> stages() throws ExtractionException {
        TypeCatalogue types = new TypeCatalogue(
                Stream.concat(
                                Stream.of(
                                        define(struct(
                                                "large",
                                                4 * MANY,
                                                many(i -> field("member_" + i, 4L * i, INT), Member[]::new))),
                                        define(struct(
                                                "nest",
                                                4 * MANY,
                                                many(i -> field("nested_" + i, 4L * i, small(i, 0)), Member[]::new))),
                                        define(enumeration(
                                                "colours",
                                                4,
                                                false,
                                                many(i -> new Enumerator("COLOUR_" + i, i), Enumerator[]::new)))),
                                IntStream.range(0, MANY).mapToObj(i -> define(small(i, 0))))
                        .toList(),
                List.of());
        TypeCatalogue others = new TypeCatalogue(
                IntStream.range(0, MANY).mapToObj(i -> define(small(i, 4))).toList(), List.of());
        Set<String> names = others.definitions().stream().map(Definition::name).collect(Collectors.toSet());
        Architecture amd64 = new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN);
        StoredSymbols noSymbols = StoredSymbols.of(SymbolTable.of(List.of(), ValueRule.ADDRESS, null, List.of()));
        ExportedTypes exported = ExportedTypes.whole(types, NameStyle.SPELLED);
        List<ItemAnswer> answers = answers(types, "colours,large");
        List<ItemAnswer> members =
                Collections.nCopies(MANY, answers(types, "large.member_7").getFirst());
        PinOverlay pin = PinOverlay.of(List.of(
                new PinnedItem("p", ItemParser.parse("small_7.a"), new PinnedValue.OfMember(2, 2, null, null))));
        SymbolTable merged = symbolTable();
        return Stream.of(
                identity(),
                new Stage("symbol merge", DeadlineTests::symbolTable),
                new Stage("symbols by address", merged::byAddress),
                frameTable(),
                new Stage("names", new TypeCatalogue(types.definitions(), List.of())::names),
                new Stage(
                        "BTF export",
                        () -> new BtfRenderer(amd64, null).render(exported, OutputStream.nullOutputStream())),
                new Stage(
                        "ISF export",
                        () -> new IsfRenderer(new IsfRenderer.ExportedBuild(null, amd64, 1, null), noSymbols)
                                .render(exported, OutputStream.nullOutputStream())),
                new Stage("C", () -> LayoutText.lines(answers, PinnedTypes.NONE)),
                new Stage("C header", () -> ConstantsHeader.lines(answers, PinnedTypes.NONE, null, amd64)),
                new Stage("tracer", () -> TracerText.lines(members, TracerText.Dialect.BPFTRACE, null, amd64)),
                new Stage(
                        "JSON",
                        () -> json(
                                out -> new AnswerWriter(View.FIELDS, PinnedTypes.NONE).writeAnswers(out, members, ""))),
                new Stage("name map as JSON", () -> json(out -> NameMapWriter.writeValues(out, nameMap()))),
                new Stage("name map as YAML", () -> NameMapWriter.yaml(nameMap())),
                new Stage("name map as C header", () -> NameMapWriter.header(nameMap(), null, amd64)),
                new Stage("diff", () -> LayoutDiff.ofNames(names, types, others, null)),
                new Stage("pins", () -> pin.over(types).definitionsNamed("nest")));
    }

    @ParameterizedTest
    @MethodSource("stages")
    void deadlineThatHasPassedEndsEveryStage(Stage stage) {
        assertThatThrownBy(() -> PASSED.during(stage.work::call)).isInstanceOf(DeadlineExceededException.class);
    }

    @ParameterizedTest
    @MethodSource("stages")
    void deadlineThatPassesInALoopEndsIt(Stage stage) {
        Deadline atFirst = Deadline.afterChecks(3);
        assertThatThrownBy(() -> atFirst.during(stage.work::call)).isInstanceOf(DeadlineExceededException.class);
    }

    @Test
    void partOfWorkHasTheDeadlineOfTheWork() throws Exception {
        Deadline part = PASSED.during(() -> Deadline.currentOr(Limits.DEFAULT));
        assertThat(part).isSameAs(PASSED);
        assertThatThrownBy(() -> part.check(".debug_info"))
                .isInstanceOfSatisfying(
                        LimitExceededException.class, e -> assertThat(e.limit()).isEqualTo(Deadline.MAX_DURATION));
    }

    @Test
    void interruptedThreadDoesNotGoOn() {
        Deadline later = new Deadline(Duration.ofHours(1));
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> later.check(".debug_info")).isInstanceOf(CancellationException.class);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void workWithoutADeadlineIsNotChecked() throws ExtractionException {
        Deadline.checkCurrent();
        Deadline.currentOr(Limits.DEFAULT).check(".debug_info");
    }
}
