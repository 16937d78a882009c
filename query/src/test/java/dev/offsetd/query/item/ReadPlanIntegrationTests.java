package dev.offsetd.query.item;

import static dev.offsetd.query.item.ItemAnswers.ask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.answer.ConstantsHeader;
import dev.offsetd.query.answer.TracerText;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.resolve.OffsetAnswer;
import dev.offsetd.query.resolve.OffsetExpression;
import dev.offsetd.query.resolve.OffsetResolver;
import dev.offsetd.query.resolve.ResolutionStep;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.store.StoredSymbols;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.SymbolTable;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URL;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Members behind pointers and in variables, as gdb, perf, bpftrace and running programs see them. */
class ReadPlanIntegrationTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 2);

    /** Evaluates one expression per line of a file; prints a number, or ? if gdb cannot evaluate it. */
    private static final String EVALUATE = """
        import gdb
        for line in open("expressions"):
            try:
                print(int(gdb.parse_and_eval("(unsigned long)(" + line.strip() + ")")))
            except gdb.error as e:
                print("?", e)
        """;

    @TempDir
    Path folder;

    private Path compiled(String compiler, String source, String... options) throws IOException {
        URL resource = Objects.requireNonNull(getClass().getResource("/corpus/" + source), source);
        Path copy = folder.resolve(source);
        try (var in = resource.openStream()) {
            Files.copy(in, copy);
        }
        Path program = folder.resolve(source.replaceFirst("\\..*", ""));
        List<Object> words = new ArrayList<>(List.of((Object[]) options));
        words.addAll(List.of(copy, "-o", program));
        RequiredTool.require(compiler).outputIn(folder, words.toArray());
        return program;
    }

    private static TypeCatalogue types(Path file) throws IOException, ExtractionException {
        return DebugInfo.read(file, OPTIONS, DebugInfo::extractAll).types();
    }

    private static SymbolSearch symbols(Path file) throws IOException, ExtractionException {
        StoredSymbols symbols =
                StoredSymbols.of(SymbolTable.of(DebugInfo.read(file, OPTIONS, DebugInfo::symbolTables)));
        return new SymbolSearch(symbols, symbols.tls().orElse(null), SearchBudget.unlimited());
    }

    private List<String> gdb(Path file, List<String> expressions) throws IOException {
        Files.write(folder.resolve("expressions"), expressions);
        Files.writeString(folder.resolve("evaluate.py"), EVALUATE);
        return RequiredTool.require("gdb")
                .outputIn(
                        folder,
                        "-nx",
                        "-batch",
                        "-iex",
                        "set debuginfod enabled off",
                        "-ex",
                        "set language c",
                        "-x",
                        "evaluate.py",
                        file)
                .lines()
                .toList();
    }

    /** A random path: an item, and the expression of C for each of its parts between pointers. */
    private record RandomPath(String item, List<String> expressions) {}

    private static RandomPath random(TypeIndex types, List<Definition> roots, Random random)
            throws UnanswerableException {
        Definition root = roots.get(random.nextInt(roots.size()));
        StringBuilder item = new StringBuilder(root.kind().word() + " " + root.name());
        List<String> expressions = new ArrayList<>();
        StringBuilder expression = new StringBuilder("((" + item + " *)0)->");
        TypeShape shape = root.shape();
        String operator = ".";
        for (int steps = 0; steps < 12; steps++) {
            if (shape.peeled() instanceof AggregateShape aggregate) {
                List<Map.Entry<String, List<Placement>>> fields = FieldScope.of(aggregate).entrySet().stream()
                        .filter(field -> field.getValue().size() == 1
                                && field.getValue().getFirst() instanceof Placement.Fixed fixed
                                && !fixed.isBitField()
                                && fixed.size() != TypeShape.UNKNOWN_SIZE)
                        .toList();
                if (fields.isEmpty()) {
                    break;
                }
                var field = fields.get(random.nextInt(fields.size()));
                item.append(operator).append(field.getKey());
                if (operator.equals(".") && expression.charAt(expression.length() - 1) != '>') {
                    expression.append('.');
                }
                expression.append(field.getKey());
                shape = field.getValue().getFirst().type();
                operator = ".";
            } else if (shape.peeled() instanceof ArrayShape array
                    && array.counts().getFirst() > 0) {
                long index = random.nextLong(array.counts().getFirst());
                item.append('[').append(index).append(']');
                expression.append('[').append(index).append(']');
                shape = array.withoutFirstDimension();
            } else if (shape.peeled() instanceof PointerShape pointer && PointerTargets.isFollowed(pointer)) {
                PointerTargets.Target target =
                        new PointerTargets(types, new DefinitionChoice(types, null)).of(pointer, root, "");
                if (target.definitions().size() != 1
                        || target.definitions().getFirst().shape().byteSize() == TypeShape.UNKNOWN_SIZE
                        || random.nextInt(6) == 0) {
                    break;
                }
                TypeShape next = target.definitions().getFirst().shape();
                boolean arrow = next.peeled() instanceof AggregateShape && random.nextInt(4) > 0;
                expressions.add(expression.toString());
                String start = "((__typeof__(" + expression + "))0)";
                if (arrow) {
                    operator = "->";
                    expression = new StringBuilder(start + "->");
                } else {
                    int index = random.nextInt(5);
                    item.append('[').append(index).append(']');
                    expression = new StringBuilder(start + "[" + index + "]");
                }
                shape = next;
            } else {
                break;
            }
        }
        if (expression.toString().endsWith("->")) {
            throw new UnanswerableException("a pointer to a struct without members");
        }
        expressions.add(expression.toString());
        return new RandomPath(item.toString(), expressions);
    }

    @ParameterizedTest
    @CsvSource({"main_arena, 4000", "_rtld_global, 3000"})
    void randomPathsHaveTheOffsetsAndSizesOfGdb(String variable, int count) throws IOException, ExtractionException {
        Path file = DebianPackages.debugFiles("libc6-dbg", "amd64").stream()
                .filter(each -> defines(each, variable))
                .findFirst()
                .orElseThrow();
        agreesWithGdb(file, count);
    }

    @ParameterizedTest
    @CsvSource({
        "gcc12-dwarf2-x86_64-el",
        "gcc12-dwarf4-x86_64-el",
        "gcc12-dwarf5-x86_64-el",
        "gcc12-dwarf5-i386-el",
        "clang14-dwarf4-x86_64-el",
        "clang14-dwarf5-x86_64-el",
        "gcc12-dwarf5-dwz-el"
    })
    void randomPathsOfFixturesHaveTheOffsetsAndSizesOfGdb(String name) throws IOException, ExtractionException {
        agreesWithGdb(Fixture.named(name).debugFile(), 300);
    }

    private static boolean defines(Path file, String variable) {
        try {
            return types(file).variablesNamed(variable).stream().anyMatch(found -> !found.declaration());
        } catch (IOException | ExtractionException e) {
            throw new AssertionError(e);
        }
    }

    private void agreesWithGdb(Path file, int count) throws IOException, ExtractionException {
        TypeCatalogue extracted = types(file);
        TypeIndex types = StoredCatalogue.of(CatalogueWriter.encode(extracted)).sharingLayouts();
        List<Definition> roots = new ArrayList<>();
        extracted.forEachDefinition(definition -> {
            if (definition.kind() == TypeKind.STRUCT
                    && !definition.name().isEmpty()
                    && definition.function() == null
                    && definition.language().family() == Language.Family.C
                    && definition.shape() instanceof AggregateShape) {
                roots.add(definition);
            }
        });
        Random random = new Random(43);
        List<String> items = new ArrayList<>();
        List<String> expressions = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        int behindPointers = 0;
        for (int i = 0; i < count; i++) {
            RandomPath path;
            try {
                path = random(types, roots, random);
            } catch (UnanswerableException e) {
                continue;
            }
            List<Placement.Fixed> places = new ArrayList<>();
            switch (ask(path.item(), types).outcome()) {
                case ItemOutcome.PathFound found -> places.add(found.placement());
                case ItemOutcome.PlanFound found -> {
                    behindPointers++;
                    places.addAll(found.plan().pointers());
                    places.add(found.plan().target());
                }
                case ItemOutcome.Ambiguous _, ItemOutcome.TypeFound _ -> {
                    continue;
                }
                case ItemOutcome other -> throw new AssertionError(path.item() + ": " + other);
            }
            assertThat(places).as(path.item()).hasSameSizeAs(path.expressions());
            for (int part = 0; part < places.size(); part++) {
                items.add(path.item());
                expressions.add("&(" + path.expressions().get(part) + ")");
                expected.add(Long.toString(places.get(part).offset()));
            }
            items.add(path.item());
            expressions.add("sizeof(" + path.expressions().getLast() + ")");
            expected.add(Long.toString(places.getLast().size()));
        }
        List<String> found = gdb(file, expressions);
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < expected.size(); i++) {
            // gdb takes the definition that the pointer's unit has, an item the one that has the member.
            if (!found.get(i).equals(expected.get(i)) && !found.get(i).contains("There is no member named")) {
                differences.add(items.get(i) + ": " + expressions.get(i) + " is " + found.get(i) + ", expected "
                        + expected.get(i));
            }
        }
        assertThat(differences).isEmpty();
        assertThat(behindPointers).isGreaterThan(count / 20);
    }

    private static List<ItemAnswer> answers(Path program, String... items) throws IOException, ExtractionException {
        ItemResolver resolver = new ItemResolver(new BuildContents(types(program), symbols(program)), null);
        return ItemParser.parseEach(List.of(items)).stream()
                .map(resolver::resolve)
                .toList();
    }

    @Test
    void macrosReadARunningProgram() throws IOException, ExtractionException, InterruptedException {
        Path program = compiled("gcc", "plans.c", "-g");
        List<String> header = ConstantsHeader.lines(
                answers(
                        program,
                        "node.next->holder->leaf->big",
                        "start->next->before",
                        "node.table[1]->small",
                        "node.array[3].name",
                        "node.pair[1][0]",
                        "node.holder->leaf->flag",
                        "node.unnamed->tag"),
                PinnedTypes.NONE,
                null,
                null);
        Files.write(folder.resolve("plans.h"), header);
        Path reader = compiled("gcc", "plans_reader.c", "-Wall", "-Wextra", "-Werror", "-I" + folder);
        Process running = new ProcessBuilder(program.toString()).start();
        try (BufferedReader out = running.inputReader(StandardCharsets.UTF_8)) {
            String[] addresses = out.readLine().split(" ", -1);
            assertThat(RequiredTool.at(reader).output(running.pid(), addresses[0], addresses[1]))
                    .isEqualTo("0 -20 0 2 0 -4 0 three 0 3 0 2 1\n");
        } finally {
            running.destroy();
            running.waitFor();
        }
    }

    @Test
    void fetchArgumentsAreThoseOfPerf() throws IOException, ExtractionException {
        Path program = compiled("gcc", "plans.c", "-g", "-O1");
        List<String> paths = List.of(
                "before", "next->before", "next->holder->leaf->big", "holder->leaf->small", "next->next->inner.big");
        List<Object> words = new ArrayList<>(List.of("probe", "-x", program, "-D"));
        words.add("handle "
                + String.join(" ", paths.stream().map(path -> "node->" + path).toList()));
        String line = RequiredTool.require("perf").output(words.toArray()).strip();
        List<String> expected = List.of(line.split(" ", -1)).stream()
                .filter(word -> word.contains("("))
                .map(word -> word.substring(word.indexOf('=') + 1))
                .toList();
        List<String> arguments = TracerText.lines(
                answers(program, paths.stream().map(path -> "node." + path).toArray(String[]::new)),
                TracerText.Dialect.TRACEFS,
                null,
                ByteOrder.LITTLE_ENDIAN);
        assertThat(expected).hasSameSizeAs(paths);
        assertThat(arguments.stream().map(word -> word.substring(word.indexOf('=') + 1)))
                .containsExactlyElementsOf(expected);
    }

    @Test
    void bpftraceAcceptsTheExpressionsWithTheirTypes() throws IOException, ExtractionException {
        Path program = compiled("gcc", "plans.c", "-g", "-O1");
        List<String> lines = TracerText.lines(
                answers(
                        program,
                        "node.next->holder->leaf->big",
                        "node.holder->leaf->small",
                        "node.array[2].name",
                        "node.holder->leaf->flag",
                        "start->before",
                        "node.next->inner"),
                TracerText.Dialect.BPFTRACE,
                null,
                ByteOrder.LITTLE_ENDIAN);
        Path script = Files.write(
                folder.resolve("plan.bt"), List.of("uprobe:" + program + ":handle {", String.join("\n", lines), "}"));
        Process process = new ProcessBuilder(
                        RequiredTool.require("bpftrace").path().toString(), "-d", script.toString())
                .redirectErrorStream(true)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        // The last stage before code is made, which needs a kernel that may load it.
        assertThat(out).contains("AST after: Semantic");
        String typed = out.substring(out.indexOf("AST after: Semantic"));
        assertThat(typed)
                .contains("$node_next_holder_leaf_big :: type[int64")
                .contains("$node_holder_leaf_small :: type[int16")
                .contains("$node_array_2_name :: type[string[")
                .contains("$node_holder_leaf_flag :: type[unsigned int64");
    }

    @ParameterizedTest
    @CsvSource({"gcc, -gdwarf-4", "gcc, -gdwarf-5", "clang, -gdwarf-5"})
    void itemsAndResolveAreInverseInEveryLeafOfEveryVariable(String compiler, String version)
            throws IOException, ExtractionException {
        Path program = compiled(compiler, "plans.c", version, "-fno-pie", "-no-pie");
        inverse(types(program), symbols(program), 100);
    }

    @ParameterizedTest
    @CsvSource({"gcc12-dwarf5-x86_64-el", "gcc12-dwarf5-i386-el", "clang14-dwarf5-s390x-eb", "gcc12-dwarf3-s390x-eb"})
    void itemsAndResolveAreInverseInFixtures(String name) throws IOException, ExtractionException {
        Path file = Fixture.named(name).debugFile();
        inverse(types(file), symbols(file), 100);
    }

    private static void inverse(TypeIndex types, SymbolSearch symbols, int atLeast) {
        ItemResolver resolver = new ItemResolver(new BuildContents(types, symbols), null);
        TreeSet<String> names = new TreeSet<>();
        types.forEachVariable(variable -> {
            if (!variable.declaration() && variable.type().byteSize() > 0) {
                names.add(variable.qualifiedName());
            }
        });
        int leaves = 0;
        for (String name : names) {
            String root = "variable " + name;
            if (!(resolver.resolve(ItemParser.parse(root)).outcome() instanceof ItemOutcome.VariableFound whole)) {
                continue;
            }
            long start = whole.isThreadLocal()
                    ? Objects.requireNonNull(whole.symbol()).value()
                    : 0;
            long size = whole.variable().type().byteSize();
            for (long at = 0; at < size; at++) {
                OffsetAnswer answer = OffsetResolver.resolve(OffsetExpression.parse(name + "+" + at), types, null);
                for (ResolutionStep leaf : leaves(((OffsetAnswer.Resolved) answer).root())) {
                    boolean edge = at == leaf.offset() || at == leaf.offset() + leaf.size() - 1;
                    if (!edge || leaf.kind() == ResolutionStep.Kind.PADDING || leaf.name() == null) {
                        continue;
                    }
                    String item = "variable " + leaf.path();
                    ItemOutcome outcome =
                            resolver.resolve(ItemParser.parse(item)).outcome();
                    assertThat(outcome).as(item).isInstanceOf(ItemOutcome.VariableFound.class);
                    Placement.Fixed place =
                            ((ItemOutcome.PathFound) ((ItemOutcome.VariableFound) outcome).part()).placement();
                    assertThat(place.offset() - start).as(item).isEqualTo(leaf.offset());
                    assertThat(place.size()).as(item).isEqualTo(leaf.size());
                    leaves++;
                }
            }
        }
        assertThat(leaves).isGreaterThan(atLeast);
    }

    private static List<ResolutionStep> leaves(ResolutionStep step) {
        return step.isLeaf()
                ? List.of(step)
                : step.contents().stream()
                        .flatMap(inner -> leaves(inner).stream())
                        .toList();
    }

    @Test
    void variablesHaveTheAddressesOfTheirSymbols() throws IOException, ExtractionException {
        Path program = compiled("gcc", "plans.c", "-g");
        ItemOutcome.VariableFound found = (ItemOutcome.VariableFound)
                answers(program, "root.inner.big").getFirst().outcome();

        List<String> gdb = gdb(program, List.of("&root", "(long)&root.inner.big - (long)&root"));
        assertThat(found.address()).hasValue(Long.parseLong(gdb.getFirst()));
        assertThat(((ItemOutcome.PathFound) found.part()).placement().offset()).isEqualTo(Long.parseLong(gdb.get(1)));
        assertThat(Objects.requireNonNull(found.symbol()).section().name()).isEqualTo(".data");
    }

    @Test
    void threadLocalVariablesCountFromTheBlockOfTheirModule() throws IOException, ExtractionException {
        Path program = compiled("gcc", "plans.c", "-g");
        List<ItemAnswer> answers = answers(program, "of_thread.next", "counter", "of_thread.next->before");
        ItemOutcome.VariableFound next =
                (ItemOutcome.VariableFound) answers.getFirst().outcome();
        long block = Objects.requireNonNull(next.symbol()).value();

        assertThat(next.symbol().type()).isEqualTo(SymbolType.TLS);
        assertThat(next.address()).isEmpty();
        assertThat(((ItemOutcome.PathFound) next.part()).placement().offset()).isEqualTo(block + 8);
        ItemOutcome.PlanFound plan = (ItemOutcome.PlanFound)
                ((ItemOutcome.VariableFound) answers.get(2).outcome()).part();
        assertThat(plan.plan().pointers().getFirst().offset()).isEqualTo(block + 8);
        assertThat(plan.plan().target().offset()).isZero();
    }

    @Test
    void boxesAndReferencesOfRustAreFollowedAndFatPointersAreStructs() throws IOException, ExtractionException {
        Path source = Files.writeString(folder.resolve("boxes.rs"), """
            pub struct Inner { pub value: u64, pub next: Option<Box<Inner>> }
            pub struct Outer<'a> { pub boxed: Box<Inner>, pub borrowed: &'a Inner, pub slice: &'a [Inner],
                pub dynamic: Box<dyn Fn()> }
            #[no_mangle] pub extern "C" fn used(all: &Outer) -> u64 {
                (all.dynamic)();
                all.boxed.value + all.borrowed.value + all.slice[0].value
            }
            """);
        Path library = folder.resolve("boxes.so");
        RequiredTool.require("rustc").outputIn(folder, "-g", "--crate-type=cdylib", source, "-o", library);
        TypeIndex types = types(library);

        for (String item : List.of("Outer.boxed->value", "Outer.borrowed->value", "Outer.slice.data_ptr->value")) {
            assertThat(plan(item, types).pointers()).as(item).hasSize(1);
            assertThat(plan(item, types).target().type().spelling()).isEqualTo("u64");
        }
        for (String item : List.of("Outer.slice->value", "Outer.dynamic->value")) {
            assertThat(ask(item, types).outcome())
                    .asString()
                    .contains("FIELD_NOT_FOUND", "is not a pointer", "fat pointer");
        }
    }

    @Test
    void referencesOfCppAreFollowed() throws IOException, ExtractionException {
        Files.writeString(folder.resolve("references.cpp"), """
            namespace ns { struct Node; struct Value { int first; Node &back; }; struct Node { Value &&moved; Value *p; int Value::*member; }; }
            struct Node { long other; };
            ns::Node *node;
            Node *global;
            """);
        Path cpp = folder.resolve("references.o");
        RequiredTool.require("g++").outputIn(folder, "-g", "-c", folder.resolve("references.cpp"), "-o", cpp);
        TypeIndex types = types(cpp);

        assertThat(plan("ns::Node.moved->back->p->first", types).pointers()).hasSize(3);
        assertThat(ask("ns::Node.moved->back->p->first.x", types).status()).isEqualTo(ItemStatus.FIELD_NOT_FOUND);
        assertThat(ask("ns::Node.member->first", types).status()).isEqualTo(ItemStatus.FIELD_NOT_FOUND);
    }

    private static ReadPlan plan(String item, TypeIndex types) {
        return ((ItemOutcome.PlanFound) ask(item, types).outcome()).plan();
    }
}
