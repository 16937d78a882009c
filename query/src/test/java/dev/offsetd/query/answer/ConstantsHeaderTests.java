package dev.offsetd.query.answer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolBinding;
import dev.offsetd.extractor.symbols.SymbolSection;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.symbols.SymbolVersion;
import dev.offsetd.extractor.symbols.SymbolVisibility;
import dev.offsetd.extractor.symbols.TlsSegment;
import dev.offsetd.extractor.testkit.CostGrowth;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.extractor.testkit.Types;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.overlay.PinnedTypes;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConstantsHeaderTests {

    static List<String> header(String items) throws IOException, ExtractionException {
        ExtractionReport report = DebugInfo.read(
                Fixture.named("gcc12-dwarf5-x86_64-el").debugFile(),
                new ReadOptions(Limits.DEFAULT, 1),
                DebugInfo::extractAll);
        return ConstantsHeader.lines(
                ItemParser.parseList(List.of(items)).stream()
                        .map(item -> ItemResolver.resolve(item, report.types(), null))
                        .toList(),
                PinnedTypes.NONE,
                report.elf().buildId(),
                report.elf().architecture());
    }

    @Test
    void namesThatBecomeOneIdentifierTakeLinearTime() throws IOException {
        CostGrowth.requireLinear("names without letters", 2_000, size -> {
            Enumerator[] enumerators = IntStream.range(0, size)
                    .mapToObj(i -> new Enumerator(Character.toString(0x4e00 + i), i))
                    .toArray(Enumerator[]::new);
            TypeIndex build = Types.build(Types.define(Types.enumeration("signs", 4, false, enumerators)));
            List<ItemAnswer> answers = List.of(ItemResolver.resolve(ItemParser.parse("signs"), build, null));
            return new CostGrowth.Input(size, stages -> {
                List<String> header = stages.measure(
                                "header", () -> ConstantsHeader.lines(answers, PinnedTypes.NONE, null, null))
                        .orElseThrow();
                assertThat(header).contains("#define signs_" + size + "_VALUE " + (size - 1));
            });
        });
    }

    @Test
    void headerNamesTheBuildAndGuardsItself() throws IOException, ExtractionException {
        List<String> header = header("point.y");
        String guard = header.get(2).substring("#ifndef ".length());

        assertThat(header.get(1)).matches("/\\* build-id: [0-9a-f]{40}, x86_64, 64 bits, little-endian \\*/");
        assertThat(guard).matches("OFFSETD_[0-9a-f]{40}_[0-9A-F]{8}_H");
        assertThat(header.subList(3, header.size()))
                .containsExactly(
                        "#define " + guard,
                        "",
                        "/* point.y: int */",
                        "#define point_y_OFFSET 4",
                        "#define point_y_SIZE 4",
                        "",
                        "#endif");
        assertThat(header("point.x").get(2)).isNotEqualTo(header.get(2));
    }

    @Test
    void typeGivesItsSizeAndEveryField() throws IOException, ExtractionException {
        assertThat(header("struct point"))
                .containsSequence(
                        "/* point: struct, C11 */",
                        "#define point_SIZE 8",
                        "#define point_x_OFFSET 0",
                        "#define point_x_SIZE 4",
                        "#define point_y_OFFSET 4",
                        "#define point_y_SIZE 4");
    }

    @Test
    void bitFieldsHaveTheirBitsToo() throws IOException, ExtractionException {
        assertThat(header("bits.c"))
                .contains(
                        "#define bits_c_OFFSET 2",
                        "#define bits_c_SIZE 1",
                        "#define bits_c_BIT_OFFSET 16",
                        "#define bits_c_BIT_SIZE 7");
    }

    @Test
    void missIsACommentAndNoNumber() throws IOException, ExtractionException {
        assertThat(header("nope,point.z,pointers.next.next"))
                .contains("/* nope: type_not_found */", "/* point.z: field_not_found, \"point\" has no member \"z\" */")
                .noneMatch(line -> line.startsWith("#define") && !line.contains("OFFSETD_"));
    }

    @Test
    void enumerationsAndEnumeratorsAreValues() throws IOException, ExtractionException {
        assertThat(header("enum colour,enumerator GREEN"))
                .contains("#define colour_SIZE 4", "#define colour_BLUE_VALUE 6", "#define GREEN_VALUE 5");
    }

    @Test
    void enumeratorOfMoreThan64BitsHasNoMacro() {
        TypeIndex build = Types.build(Types.define(Types.enumeration(
                "wide",
                16,
                false,
                new Enumerator("SMALL", 7),
                Enumerator.tooWide("LARGE"),
                new Enumerator("TOP", -1))));
        List<ItemAnswer> answers = List.of(ItemResolver.resolve(ItemParser.parse("wide"), build, null));

        assertThat(ConstantsHeader.lines(answers, PinnedTypes.NONE, null, null))
                .contains(
                        "#define wide_SMALL_VALUE 7",
                        "/* wide.LARGE: its value needs more than 64 bits */",
                        "#define wide_TOP_VALUE 0xffffffffffffffffu")
                .noneMatch(line -> line.contains("LARGE_VALUE"));
    }

    @Test
    void symbolsHaveAddressesAndSizes() {
        Symbol plain = symbol("f", null, 0x1000, 16, SymbolType.FUNC, SymbolSection.Kind.IN_SECTION);

        assertThat(header("symbol f|f.m", new ItemOutcome.SymbolsFound(List.of(plain), 1, null)))
                .containsSequence(
                        "/*   0x1000 16 bytes, FUNC, GLOBAL: f */", "#define f_ADDRESS 0x1000", "#define f_SIZE 16");
        assertThat(header(
                        "symbol *",
                        new ItemOutcome.SymbolsFound(
                                List.of(
                                        plain,
                                        symbol("g", "V1", 0x2000, 0, SymbolType.FUNC, SymbolSection.Kind.IN_SECTION),
                                        symbol("local", null, 1, 1, SymbolType.FUNC, SymbolSection.Kind.IN_SECTION),
                                        symbol("local", null, 2, 1, SymbolType.FUNC, SymbolSection.Kind.IN_SECTION),
                                        symbol("n", null, 0x2c, 0, SymbolType.NOTYPE, SymbolSection.Kind.ABSOLUTE),
                                        symbol("other", null, 0, 0, SymbolType.FUNC, SymbolSection.Kind.UNDEFINED),
                                        symbol("t", null, 24, 8, SymbolType.TLS, SymbolSection.Kind.IN_SECTION)),
                                7,
                                null)))
                .containsSequence(
                        "#define f_ADDRESS 0x1000",
                        "#define f_SIZE 16",
                        "#define g_V1_ADDRESS 0x2000",
                        "/* local: ambiguous, 2 symbols have this name */",
                        "#define n_VALUE 0x2c",
                        "/* other: its address is not in this file */",
                        "#define t_OFFSET 24",
                        "#define t_SIZE 8");
        assertThat(header("symbol ?", new ItemOutcome.SymbolsFound(List.of(plain), 1, null)))
                .as("the only match of a pattern")
                .contains("#define f_ADDRESS 0x1000");
    }

    @Test
    void threadLocalSegmentHasAddressSizeAndAlignment() {
        assertThat(header("tls", new ItemOutcome.TlsFound(new TlsSegment(0x3000, null, 40, 8))))
                .containsSequence(
                        "/* tls: found, 40 bytes, alignment 8 */",
                        "#define tls_ADDRESS 0x3000",
                        "#define tls_SIZE 40",
                        "#define tls_ALIGNMENT 8");
    }

    private static List<String> header(String item, ItemOutcome outcome) {
        return ConstantsHeader.lines(
                List.of(new ItemAnswer(ItemParser.parse(item), null, outcome)), PinnedTypes.NONE, null, null);
    }

    private static Symbol symbol(
            String name, @Nullable String version, long value, long size, SymbolType type, SymbolSection.Kind place) {
        return new Symbol(
                name,
                version == null ? null : new SymbolVersion(version, true),
                value,
                size,
                type,
                SymbolBinding.GLOBAL,
                SymbolVisibility.DEFAULT,
                new SymbolSection(place, 1, ".text", 0),
                List.of());
    }

    @Test
    void firstAlternativeNamesTheConstantWhicheverMatched() throws IOException, ExtractionException {
        assertThat(header("no_such.field|point.y")).contains("#define no_such_field_OFFSET 4");
    }

    @Test
    void namesThatComeToOneIdentifierAreNumberedAndRepetitionsLeftOut() throws IOException, ExtractionException {
        assertThat(header("arrays.points[1],arrays.points[1].x,arrays.points[1],struct point,point.x,\"point\".x"))
                .filteredOn(line -> line.startsWith("#define") && line.contains("_x_"))
                .containsExactly(
                        "#define arrays_points_1_x_OFFSET 32",
                        "#define arrays_points_1_x_SIZE 4",
                        "#define point_x_OFFSET 0",
                        "#define point_x_SIZE 4",
                        "#define point_x_2_OFFSET 0",
                        "#define point_x_2_SIZE 4");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rb_vm_struct.gc.objspace|rb_vm_struct_gc_objspace",
                "malloc_state.bins[3]|malloc_state_bins_3",
                "v8::internal::Isolate|v8_internal_Isolate",
                "std::vector<int, std::allocator<int> >|std_vector_int_std_allocator_int",
                "3d|_3d",
                "_ts.frame|_ts_frame",
                "&[u8]|u8",
                "größe|gr_e",
                "<>|_"
            })
    void everyPathBecomesAnIdentifier(String path, String identifier) {
        assertThat(ConstantsHeader.identifier(path)).isEqualTo(identifier);
    }
}
