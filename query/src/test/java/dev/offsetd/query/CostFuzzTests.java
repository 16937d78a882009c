package dev.offsetd.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.BpfObject;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.SectionStructures;
import dev.offsetd.extractor.SymbolReport;
import dev.offsetd.extractor.bpf.BpfProgram;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.NamedShape;
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
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.CostGrowth;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.ConstantsHeader;
import dev.offsetd.query.answer.DiffText;
import dev.offsetd.query.answer.LayoutText;
import dev.offsetd.query.check.ProgramCheck;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.export.BtfRenderer;
import dev.offsetd.query.export.ExportLimitException;
import dev.offsetd.query.export.ExportRenderer;
import dev.offsetd.query.export.ExportedTypes;
import dev.offsetd.query.export.IsfRenderer;
import dev.offsetd.query.export.NameStyle;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.OutcomeEquality;
import dev.offsetd.query.item.Suggestions;
import dev.offsetd.query.item.View;
import dev.offsetd.query.overlay.PinOverlay;
import dev.offsetd.query.overlay.PinnedItem;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.query.resolve.ExpressionSyntaxException;
import dev.offsetd.query.resolve.OffsetExpression;
import dev.offsetd.query.resolve.OffsetResolver;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.FramesWriter;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.store.StoredFrames;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolPattern;
import dev.offsetd.query.symbol.SymbolTable;
import dev.offsetd.query.symbol.SymbolsWriter;
import dev.offsetd.query.typeset.BuiltInTypeSets;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.query.typeset.TypeSetParser;
import dev.offsetd.query.typeset.TypeSetSyntaxException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/**
 * Each structure of a file and of a query grows by doubling, and what is done with it costs no more than its growth warrants.
 * A test run reads small files; {@code ./offsetd fuzz Cost} larger ones, and random combinations of structures.
 */
@ChecklistRow(39)
@Timeout(value = 2, unit = TimeUnit.HOURS)
class CostFuzzTests {

    private static final String LONG_RUN = "JAZZER_FUZZ";

    /** Growth of the structures in a long run. */
    private static final int LARGER = System.getenv(LONG_RUN) == null ? 1 : 8;

    private static final Architecture AMD64 = new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN);
    private static final ReadOptions OPTIONS = new ReadOptions(
                    Limits.DEFAULT.withMaxDuration(Duration.ofSeconds(30)), 1)
            .withProbes(TypeSet.probes(new BuiltInTypeSets().all()));
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Characters of an item at first: the last size is the longest that is read. */
    private static final int ITEM_CHARS = ItemParser.MAX_ITEM_CHARS / 8 - 2;

    /** Types of a file that are queried by name. */
    private static final int QUERIED = 20;

    @TempDir
    private static Path folder;

    static Collection<FileStructures.Structure> structures() {
        return FileStructures.all();
    }

    @ParameterizedTest
    @MethodSource("structures")
    void costOfAFileGrowsWithEachStructure(FileStructures.Structure structure) throws IOException {
        CostGrowth.Inputs files = size -> file(structure.units().apply(size));
        if (structure.isOfLevels()) {
            CostGrowth.requireLinearUpToLimit(structure.name(), structure.first(), files);
        } else {
            CostGrowth.requireLinear(structure.name(), structure.first(LARGER), files);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void costOfAFileGrowsWithAbbreviationTablesThatOverlap(boolean sound) throws IOException {
        CostGrowth.requireLinear(
                "abbreviation tables that overlap",
                50 * LARGER,
                size -> file(FileStructures.overlappingAbbreviations(size, sound ? 0 : size)
                        .toBytes()));
    }

    static Collection<String> sectionStructures() {
        return SectionStructures.files().keySet();
    }

    @ParameterizedTest
    @MethodSource("sectionStructures")
    void costOfAFileGrowsWithEachSection(String structure) throws IOException {
        IntFunction<byte[]> files = SectionStructures.files().get(structure);
        CostGrowth.requireLinear(structure, 400 * LARGER, size -> {
            byte[] file = files.apply(size);
            Path path = Files.write(folder.resolve("file"), file);
            return new CostGrowth.Input(file.length, stages -> {
                read(path, stages);
                stages.measure("symbols", () -> DebugInfo.read(path, OPTIONS, DebugInfo::symbolTables));
                stages.measure("thread-local access", () -> DebugInfo.read(path, OPTIONS, DebugInfo::tlsAccess));
            });
        });
    }

    static Collection<String> programStructures() {
        return SectionStructures.programs().keySet();
    }

    @ParameterizedTest
    @MethodSource("programStructures")
    void costOfAProgramGrowsWithEachStructure(String structure) throws IOException {
        IntFunction<byte[]> programs = SectionStructures.programs().get(structure);
        StoredCatalogue build = StoredCatalogue.of(CatalogueWriter.encode(new TypeCatalogue(smallBuild(), List.of())));
        CostGrowth.requireLinear(structure, 400 * LARGER, size -> {
            byte[] program = programs.apply(size);
            return new CostGrowth.Input(program.length, stages -> {
                stages.measure("types", () -> BpfObject.relocatedTypes(program));
                Optional<BpfProgram> read = stages.measure("relocations", () -> BpfObject.program(program));
                if (read.isPresent()) {
                    ProgramCheck check = new ProgramCheck(read.get());
                    stages.measure("check", () -> check.findings(build, () -> null));
                }
            });
        });
    }

    static Collection<String> codeStructures() {
        return CodeStructures.all().keySet();
    }

    @ParameterizedTest
    @MethodSource("codeStructures")
    void costOfFramesGrowsWithEachStructure(String structure) throws IOException {
        CostGrowth.requireLinear(structure, 50 * LARGER, size -> {
            byte[] file = CodeStructures.all().get(structure).apply(size);
            Path path = Files.write(folder.resolve("file"), file);
            return new CostGrowth.Input(file.length, stages -> {
                Optional<FrameTable> table =
                        stages.measure("frames", () -> DebugInfo.read(path, OPTIONS, DebugInfo::allFrames));
                stages.measure(
                        "frames of an address",
                        () -> DebugInfo.read(path, OPTIONS, info -> info.frames(CodeStructures.CODE)));
                if (table.isPresent()) {
                    byte[] blob = stages.measure("stored frames", () -> FramesWriter.encode(table.get()))
                            .orElseThrow();
                    stages.measure("look-ups", () -> {
                        StoredFrames.Lookups lookups = StoredFrames.of(blob).lookups();
                        return LongStream.range(CodeStructures.CODE, CodeStructures.CODE + size)
                                .mapToInt(address -> lookups.at(address).size())
                                .sum();
                    });
                }
            });
        });
    }

    @ParameterizedTest
    @CsvSource({
        "unnamed structs in unnamed structs, level0.x",
        "members of unnamed structs in unnamed structs, level0.x",
        "struct in structs, wide.w0"
    })
    void costOfAPinnedBuildGrowsWithItsStructures(String name, String pinned) throws IOException {
        PinnedItem pin = new PinnedItem("p", ItemParser.parse(pinned), new PinnedValue.OfMember(2, 2, null, null));
        requireLinearWithPins(name, _ -> List.of(pin));
    }

    @ParameterizedTest
    @CsvSource({"members, s.m%d", "members of a struct's type, s.m%d", "members of a struct's type, s.m%d.x"})
    void costOfAPinnedBuildGrowsWithPinsOfEachMember(String name, String pinned) throws IOException {
        requireLinearWithPins(
                name,
                size -> IntStream.range(0, size)
                        .mapToObj(i -> new PinnedItem(
                                "p" + i,
                                ItemParser.parse(pinned.formatted(i)),
                                new PinnedValue.OfMember(4L * i + 1, 2, null, null)))
                        .toList());
    }

    @Test
    void costOfAPinnedBuildGrowsWithMembersInThePinOfAType() throws IOException {
        requireLinearWithPins("members", size -> {
            Map<String, PinnedValue.OfMember> members = new LinkedHashMap<>();
            for (int i = 0; i < size; i++) {
                members.put("m" + i, new PinnedValue.OfMember(4L * i + 1, 2, null, null));
            }
            return List.of(new PinnedItem("p", ItemParser.parse("s"), new PinnedValue.OfType(4L * size, members)));
        });
    }

    private static void requireLinearWithPins(String name, IntFunction<List<PinnedItem>> pinned) throws IOException {
        FileStructures.Structure structure = FileStructures.named(name);
        CostGrowth.requireLinearUpToLimit(name + " with pins", 4 * structure.first(LARGER), size -> {
            PinOverlay pins = PinOverlay.of(pinned.apply(size));
            byte[] file = FileStructures.file(structure.units().apply(size));
            Path path = Files.write(folder.resolve("file"), file);
            StoredCatalogue stored = StoredCatalogue.of(CatalogueWriter.encode(types(path)));
            return new CostGrowth.Input(file.length, stages -> {
                answer(pins.over(stored), pins.over(stored), stored, stages);
                export(pins.over(stored), stages);
            });
        });
    }

    private static TypeCatalogue types(Path path) throws IOException {
        try {
            return DebugInfo.read(path, OPTIONS, DebugInfo::extractAll).types();
        } catch (ExtractionException e) {
            throw new AssertionError(e);
        }
    }

    /** One combination in a test run, always the same; in a long run as many as its time allows. */
    @Test
    void costOfAFileGrowsWithStructuresTogether() throws IOException {
        boolean longRun = System.getenv(LONG_RUN) != null;
        long end = System.nanoTime()
                + (longRun ? duration(System.getenv("JAZZER_MAX_DURATION")).toNanos() : 0);
        List<FileStructures.Structure> all = List.copyOf(FileStructures.all());
        long seed = longRun ? System.nanoTime() : 0;
        int files = 0;
        List<String> findings = new ArrayList<>();
        do {
            Random random = new Random(seed + files);
            List<FileStructures.Structure> some = random.ints(2 + random.nextInt(3), 0, all.size())
                    .mapToObj(all::get)
                    .distinct()
                    .toList();
            int share = 1 + random.nextInt(LARGER);
            try {
                requireLinear(some, share);
            } catch (AssertionError e) {
                findings.add(String.valueOf(e.getMessage()));
            }
            files++;
        } while (System.nanoTime() < end);
        System.out.println("Cost: " + files + " combinations of structures, seed " + seed);
        assertThat(findings).isEmpty();
    }

    private static void requireLinear(List<FileStructures.Structure> some, int share) throws IOException {
        CostGrowth.requireLinearUpToLimit(some.toString(), 1, doublings -> {
            List<Unit> units = new ArrayList<>();
            for (FileStructures.Structure structure : some) {
                int first = structure.first(share);
                units.addAll(FileStructures.renamed(structure, first * doublings));
            }
            return file(units);
        });
    }

    /** Combinations that once exceeded the bounds. */
    static Stream<List<String>> combinations() {
        return Stream.of(List.of("unnamed struct in structs", "attributes", "two of each struct in the next"));
    }

    @ParameterizedTest
    @MethodSource("combinations")
    void costOfAFileGrowsWithTheseStructuresTogether(List<String> names) throws IOException {
        requireLinear(names.stream().map(FileStructures::named).toList(), LARGER);
    }

    /** Returns a time as {@code ./offsetd fuzz --duration} takes it: {@code 10m}, {@code 1h}. */
    private static Duration duration(String text) {
        return Duration.parse("PT" + (text == null ? "10m" : text).toUpperCase(java.util.Locale.ROOT));
    }

    private static CostGrowth.Input file(List<Unit> units) throws IOException {
        return file(FileStructures.file(units));
    }

    private static CostGrowth.Input file(byte[] file) throws IOException {
        Path path = Files.write(folder.resolve("file"), file);
        return new CostGrowth.Input(file.length, stages -> read(path, stages));
    }

    private static void read(Path path, CostGrowth.Stages stages) throws IOException {
        stages.measure("facts", () -> DebugInfo.read(path, OPTIONS, DebugInfo::facts));
        stages.measure("identity", () -> DebugInfo.read(path, OPTIONS, DebugInfo::identity));
        Optional<TypeCatalogue> read = stages.measure(
                "types",
                () -> DebugInfo.read(path, OPTIONS, DebugInfo::extractAll).types());
        if (read.isPresent()) {
            stages.measure("names", () -> read.get().names());
            byte[] blob = stages.measure("catalogue", () -> CatalogueWriter.encode(read.get()))
                    .orElseThrow();
            StoredCatalogue stored = StoredCatalogue.of(blob);
            answer(stored.indexed(), StoredCatalogue.of(blob).indexed(), stored, stages);
            stages.measure(
                    "difference of files",
                    () -> LayoutDiff.ofNames(stored.qualifiedNames(), read.get(), read.get(), null));
            export(stored, stages);
        }
    }

    /** @param stored has the names of the build */
    private static void answer(TypeIndex build, TypeIndex other, StoredCatalogue stored, CostGrowth.Stages stages)
            throws IOException {
        List<Item> items = items(build);
        List<ItemAnswer> answers =
                stages.measure("look-up", () -> resolved(items, build)).orElseThrow();
        for (View view : View.values()) {
            stages.measure("answers as " + view.word(), () -> {
                write(new AnswerWriter(view), answers);
                return view;
            });
        }
        stages.measure("expanded answers", () -> {
            write(new AnswerWriter(View.MEMBERS).expanding(8), answers);
            return 0;
        });
        stages.measure("text", () -> LayoutText.lines(answers, 0));
        stages.measure("expanded text", () -> LayoutText.lines(answers, 8));
        stages.measure("header", () -> ConstantsHeader.lines(answers, PinnedTypes.NONE, null, AMD64));
        stages.measure("difference of items", () -> DiffText.lines(LayoutDiff.ofItems(items, build, other, null)));
        stages.measure("difference of builds", () -> LayoutDiff.ofNames(stored.qualifiedNames(), build, other, null));
        stages.measure("comparison", () -> {
            OutcomeEquality equality = new OutcomeEquality();
            Set<Object> keys = new HashSet<>();
            Stream.concat(answers.stream(), resolved(items, other).stream())
                    .forEach(answer -> keys.add(equality.keyOf(answer.outcome())));
            return keys;
        });
        stages.measure("resolution", () -> {
            for (Item item : items) {
                try {
                    OffsetResolver.resolve(OffsetExpression.parse(item.text() + "+3"), build, null);
                } catch (ExpressionSyntaxException e) {
                    // A name that no expression can have.
                }
            }
            return items;
        });
    }

    private static List<Item> items(TypeIndex build) {
        List<Item> items = new ArrayList<>();
        build.forEachTypeName("", name -> {
            try {
                items.add(ItemParser.parse('"' + name + '"'));
            } catch (ItemSyntaxException e) {
                // A name that no item can have: empty, too long, or with a quote.
                return true;
            }
            return items.size() < QUERIED;
        });
        for (String last : List.of("outermost", "with_unnamed", "pointers", "v")) {
            items.add(ItemParser.parse(last));
        }
        return items;
    }

    private static List<ItemAnswer> resolved(List<Item> items, TypeIndex build) {
        Suggestions suggestions = new Suggestions(BuildContents.ofTypes(build));
        return items.stream()
                .map(item -> suggestions.addTo(ItemResolver.resolve(item, build, null)))
                .toList();
    }

    private static void write(AnswerWriter writer, List<ItemAnswer> answers) {
        try (JsonGenerator out = JSON.createGenerator(OutputStream.nullOutputStream())) {
            writer.writeAnswers(out, answers, "p1");
        }
    }

    private static void export(TypeIndex build, CostGrowth.Stages stages) throws IOException {
        StoredSymbols symbols = symbols(build);
        List<Item> items = items(build);
        Set<NamedShape> names = new HashSet<>();
        build.forEachTypeName("", name -> names.add(new NamedShape(TypeKind.STRUCT, name)) && names.size() < QUERIED);
        Map<String, IntFunction<ExportedTypes>> selections = new LinkedHashMap<>();
        selections.put("all", _ -> ExportedTypes.whole(build, NameStyle.SPELLED));
        selections.put("all in C", _ -> ExportedTypes.whole(build, NameStyle.C));
        selections.put("items", _ -> ExportedTypes.of(items, build, NameStyle.SPELLED));
        selections.put("names", _ -> ExportedTypes.named(names, build, NameStyle.SPELLED));
        for (Map.Entry<String, IntFunction<ExportedTypes>> selection : selections.entrySet()) {
            stages.measure(
                    "ISF of " + selection.getKey(),
                    () -> render(
                            new IsfRenderer(new IsfRenderer.ExportedBuild(null, AMD64, 1, null), symbols),
                            selection.getValue().apply(0)));
            byte[] btf = stages.measure(
                            "BTF of " + selection.getKey(),
                            () -> render(
                                    new BtfRenderer(AMD64, null),
                                    selection.getValue().apply(0)))
                    .orElseThrow();
            Path file = Files.write(
                    folder.resolve("btf"),
                    new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                            .section(".BTF", btf)
                            .toBytes());
            stages.measure(
                    "types of BTF of " + selection.getKey(),
                    () -> DebugInfo.read(file, OPTIONS, DebugInfo::extractAll));
        }
    }

    /** Returns symbols of the variables of a build: at the address of each, one of its name and one of another name. */
    private static StoredSymbols symbols(TypeIndex build) {
        SymbolSection data = new SymbolSection(SymbolSection.Kind.IN_SECTION, 1, ".data", 1 << 24);
        List<SymbolSource> sources = List.of(new SymbolSource(SymbolSource.Table.SYMTAB, false));
        List<Symbol> symbols = new ArrayList<>();
        build.forEachVariable(variable -> Stream.of(variable.symbolName(), "symbol_" + symbols.size())
                .map(name -> new Symbol(
                        name,
                        null,
                        Objects.requireNonNullElse(variable.address(), 0L),
                        4,
                        SymbolType.OBJECT,
                        SymbolBinding.LOCAL,
                        SymbolVisibility.DEFAULT,
                        data,
                        sources))
                .forEach(symbols::add));
        return StoredSymbols.of(SymbolTable.of(List.of(symbols), ValueRule.ADDRESS, null, List.of()));
    }

    private static byte[] render(ExportRenderer renderer, ExportedTypes types) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            renderer.render(types, out);
        } catch (ExportLimitException e) {
            return new byte[0];
        }
        return out.toByteArray();
    }

    static Collection<String> symbolFiles() {
        return FileStructures.symbols().keySet();
    }

    @ParameterizedTest
    @MethodSource("symbolFiles")
    void costOfSymbolsGrowsWithTheirNumber(String structure) throws IOException {
        IntFunction<byte[]> files = FileStructures.symbols().get(structure);
        CostGrowth.requireLinear(structure, 400 * LARGER, size -> {
            byte[] file = files.apply(size);
            Path path = Files.write(folder.resolve("symbols"), file);
            return new CostGrowth.Input(file.length, stages -> {
                Optional<SymbolReport> report =
                        stages.measure("symbols", () -> DebugInfo.read(path, OPTIONS, DebugInfo::symbolTables));
                if (report.isPresent()) {
                    search(stages, SymbolTable.of(report.get()));
                }
            });
        });
    }

    private static void search(CostGrowth.Stages stages, SymbolTable table) throws IOException {
        byte[] blob = stages.measure("stored symbols", () -> SymbolsWriter.encode(table))
                .orElseThrow();
        StoredSymbols stored = StoredSymbols.of(blob);
        for (String glob : List.of("*", "*_1*", "symbol", "s*c*l*d", "[a-s]*@@*")) {
            stages.measure(
                    "search for " + glob,
                    () -> stored.find(SymbolPattern.of(glob), true, 1_000, new SearchBudget(Long.MAX_VALUE)));
        }
        for (long address : new long[] {0x1000, 0x1003, 0x1fff}) {
            stages.measure("address", () -> stored.at(address, 1_000, new SearchBudget(Long.MAX_VALUE)));
        }
    }

    static Stream<String> pieces() {
        return Stream.of(
                "::b const",
                "const ",
                "const a<",
                "a const<",
                "unsigned ",
                "a::",
                "a<b,",
                "<",
                "(",
                "[",
                "{",
                "a<(b)>::",
                "operator<",
                "operator>>::",
                "(anonymous namespace)::",
                "{anonymous}::",
                "a.",
                "a[0].",
                "ab<c const>::d<e const>::f<g const>::h<i const>::jkl const x.",
                "a|",
                "symbol a*|",
                "symbol [a-",
                "symbol *?|",
                "\"",
                "\"a\".",
                "'",
                "->",
                " ",
                "%2e",
                "volatile::b const<int>",
                "std::vector<int, std::allocator<int> >::");
    }

    @ParameterizedTest
    @MethodSource("pieces")
    void costOfAQueryGrowsWithItsText(String piece) throws IOException {
        StoredCatalogue build = StoredCatalogue.of(CatalogueWriter.encode(new TypeCatalogue(smallBuild(), List.of())));
        CostGrowth.requireLinearUpToLimit("items of " + piece, ITEM_CHARS, size -> {
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < 5 * LARGER; i++) {
                texts.add("a" + i + piece.repeat(size / piece.length()));
                texts.add("a" + i + piece.repeat(size / piece.length()) + "b");
            }
            return new CostGrowth.Input(texts.stream().mapToLong(String::length).sum(), stages -> {
                for (String text : texts) {
                    stages.measure("parsing and look-up", () -> answer(text, build));
                    stages.measure("expression", () -> expression(text, build));
                    stages.measure("item list", () -> split(text));
                }
            });
        });
    }

    private static List<Definition> smallBuild() throws IOException {
        Path path = Files.write(
                folder.resolve("small"),
                FileStructures.file(FileStructures.named("names").units().apply(50)));
        return types(path).definitions();
    }

    private static String answer(String text, TypeIndex build) {
        try {
            return resolved(List.of(ItemParser.parse(text)), build).toString();
        } catch (ItemSyntaxException e) {
            return e.toString();
        }
    }

    private static String expression(String text, TypeIndex build) {
        try {
            return OffsetResolver.resolve(OffsetExpression.parse(text + "+8"), build, null)
                    .toString();
        } catch (ExpressionSyntaxException | ItemSyntaxException e) {
            return e.toString();
        }
    }

    private static String split(String text) {
        try {
            return ItemParser.split(List.of(text, text)).toString();
        } catch (ItemSyntaxException e) {
            return e.toString();
        }
    }

    static Stream<String> setTexts() {
        return Stream.of("[", "{\"a\":", "\"", "{\"name\":\"a\",\"items\":[\"a\",", "\\u0041", "1");
    }

    @ParameterizedTest
    @MethodSource("setTexts")
    void costOfATypeSetGrowsWithItsText(String piece) throws IOException {
        CostGrowth.requireLinear("type set of " + piece, 4_000 * LARGER, size -> {
            byte[] text = piece.repeat(size / piece.length()).getBytes(StandardCharsets.UTF_8);
            return new CostGrowth.Input(
                    text.length,
                    stages -> stages.measure("parsing", () -> {
                        try {
                            return TypeSetParser.parse(text).toString();
                        } catch (TypeSetSyntaxException e) {
                            return e.toString();
                        }
                    }));
        });
    }
}
