package dev.offsetd.query.item;

import static dev.offsetd.query.item.ItemAnswers.ask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.corpus.SecondOpinion;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.extractor.testkit.Gdb;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.answer.ConstantsHeader;
import dev.offsetd.query.answer.TracerText;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.resolve.VariableLeaves;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
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
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Members behind pointers and in variables, as gdb, perf, bpftrace and running programs see them. */
class ReadPlanIntegrationTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 2);
    private static final Architecture X86_64 = new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN);

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

    @ParameterizedTest
    @CsvSource({"main_arena, 4000", "_rtld_global, 3000"})
    void randomPathsHaveTheOffsetsAndSizesOfGdbAndDrgn(String variable, int count)
            throws IOException, ExtractionException {
        Path file = DebianPackages.debugFiles("libc6-dbg", "amd64").stream()
                .filter(each -> defines(each, variable))
                .findFirst()
                .orElseThrow();
        agreesWithOtherTools(file, count);
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
    void randomPathsOfFixturesHaveTheOffsetsAndSizesOfGdbAndDrgn(String name) throws IOException, ExtractionException {
        agreesWithOtherTools(Fixture.named(name).debugFile(), 300);
    }

    private static boolean defines(Path file, String variable) {
        try {
            return types(file).variablesNamed(variable).stream().anyMatch(found -> !found.declaration());
        } catch (IOException | ExtractionException e) {
            throw new AssertionError(e);
        }
    }

    private static void agreesWithOtherTools(Path file, int count) throws IOException, ExtractionException {
        TypeCatalogue extracted = types(file);
        RandomPaths paths = new RandomPaths(
                extracted, StoredCatalogue.of(CatalogueWriter.encode(extracted)).sharingLayouts(), count);
        assertThat(paths.behindPointers()).isGreaterThan(count / 20);
        assertThat(paths.fromVariables()).isGreaterThan(count / 20);
        assertThat(paths.toBitFields()).isPositive();
        for (SecondOpinion.Result result : paths.compared(file, true)) {
            assertThat(result.differences()).isEmpty();
            assertThat(result.compared()).as(result.tool()).isGreaterThan(count / 2);
        }
    }

    private static List<ItemAnswer> answers(Path program, String... items) throws IOException, ExtractionException {
        ItemResolver resolver = new ItemResolver(new BuildContents(types(program), symbols(program)), null);
        return ItemParser.parseEach(List.of(items)).stream()
                .map(resolver::resolve)
                .toList();
    }

    /** Linkers leave their DIEs, with the address 0. gdb takes 0 for an address only if the file has a section there. */
    @ParameterizedTest
    @CsvSource({"bfd, ld.bfd", "lld, ld.lld"})
    void variableThatTheLinkerDiscardedIsNotFoundAsInGdb(String linker, String tool)
            throws IOException, ExtractionException {
        RequiredTool.require(tool);
        Path source = Files.writeString(folder.resolve("discarded.c"), """
                struct point { int x, y; } used = {1, 2}, unused = {3, 4};
                void _start(void) { used.x++; }
                """);
        Path program = folder.resolve("discarded-" + linker);
        RequiredTool.require("gcc")
                .output(
                        "-g",
                        "-fdata-sections",
                        "-nostdlib",
                        "-Wl,--gc-sections",
                        "-fuse-ld=" + linker,
                        source,
                        "-o",
                        program);

        assertThat(answers(program, "used.y", "unused.y"))
                .extracting(ItemAnswer::status)
                .containsExactly(ItemStatus.FOUND, ItemStatus.TYPE_NOT_FOUND);
        assertThat(RequiredTool.require("gdb")
                        .output("-batch", "-nx", "-ex", "print &unused.y", "-ex", "print &used.y", program))
                .contains("<used+4>")
                .doesNotContain("unused");
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
    void plansLeadWhereGdbFindsTheMemberInARunningProgram() throws IOException, ExtractionException {
        Path program = compiled("gcc", "plans.c", "-g");
        List<String> items = List.of(
                "root.next->holder->leaf->big",
                "start->next->before",
                "root.table[1]->small",
                "start->holder->row[2].ratio",
                "root.next->array[3].name",
                "table[0]->word");
        List<String> expressions = new ArrayList<>();
        for (ItemAnswer answer : answers(program, items.toArray(String[]::new))) {
            ItemOutcome.VariableFound found = (ItemOutcome.VariableFound) answer.outcome();
            ReadPlan plan = ((ItemOutcome.PlanFound) found.part()).plan();
            String at = "(unsigned long)&" + found.variable().name();
            for (Placement.Fixed pointer : plan.pointers()) {
                at = "*(unsigned long *)(" + at + " + " + pointer.offset() + ")";
            }
            expressions.add(at + " + " + plan.target().offset());
            expressions.add("&(" + answer.item().text() + ")");
        }

        List<String> addresses = new Gdb(program).evaluatedIn("handle", expressions);
        for (int i = 0; i < items.size(); i++) {
            assertThat(addresses.get(2 * i))
                    .as(items.get(i))
                    .matches("[0-9]{9,}")
                    .isEqualTo(addresses.get(2 * i + 1));
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
                X86_64);
        assertThat(expected).hasSameSizeAs(paths);
        assertThat(arguments.stream().map(word -> word.substring(word.indexOf('=') + 1)))
                .containsExactlyElementsOf(expected);
    }

    @Test
    void bpftraceAcceptsTheExpressionsWithTheirTypes() throws IOException, ExtractionException {
        Path program = compiled("gcc", "plans.c", "-g", "-O1");
        List<String> lines = bpftrace(answers(
                program,
                "node.next->holder->leaf->big",
                "node.holder->leaf->small",
                "node.array[2].name",
                "node.holder->leaf->flag",
                "start->before",
                "node.next->inner"));
        String typed = typed(program, "handle", lines);
        assertThat(typed)
                .contains("$node_next_holder_leaf_big :: type[int64")
                .contains("$node_holder_leaf_small :: type[int16")
                .contains("$node_array_2_name :: type[string[")
                .contains("$node_holder_leaf_flag :: type[unsigned int64");
        Path statics = statics();
        assertThat(typed(statics, "main", bpftrace(answers(statics, "alone->value"))))
                .contains("$alone_value :: type[int32");
    }

    /** Returns what bpftrace makes of a script before it makes code, which needs a kernel that may load it. */
    private String typed(Path program, String function, List<String> lines) throws IOException {
        Path script = Files.write(
                folder.resolve("plan.bt"),
                List.of("uprobe:" + program + ":" + function + " {", String.join("\n", lines), "}"));
        Process process = new ProcessBuilder(
                        RequiredTool.require("bpftrace").path().toString(), "-d", script.toString())
                .redirectErrorStream(true)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(out).contains("AST after: Semantic");
        return out.substring(out.indexOf("AST after: Semantic"));
    }

    /** Programs whose static variables have other symbols than names, or one of a name that others have too. */
    private Path statics() throws IOException {
        Path folder = Files.createDirectories(this.folder.resolve("statics"));
        Files.writeString(folder.resolve("statics.c"), """
            struct leaf { int before, value; };
            static struct leaf first = {1, 2};
            static struct leaf *shared = &first;
            int other(void);
            int count(void) { static struct leaf *alone = &first; return alone++->value; }
            int step(void) { static struct leaf *state = &first; return state++->value; }
            int main(void) { return shared++->value + count() + step() + other(); }
            """);
        Files.writeString(folder.resolve("other.c"), """
            static int shared = 1;
            int other(void) { static int state = 2; return state++ + shared++; }
            """);
        RequiredTool gcc = RequiredTool.require("gcc");
        gcc.outputIn(folder, "-c", "other.c");
        gcc.outputIn(folder, "-g", "statics.c", "other.o", "-o", "statics");
        return folder.resolve("statics");
    }

    private Path namespaces() throws IOException {
        Files.writeString(folder.resolve("namespaces.cc"), """
            struct A { int a, b, c; };
            A g, h;
            A *hidden = &h;
            namespace n { static A *hidden = &g; int use() { return hidden++->c; } }
            int main() { return hidden->c + n::use(); }
            """);
        RequiredTool.require("g++").outputIn(folder, "-g", "namespaces.cc", "-o", "namespaces");
        return folder.resolve("namespaces");
    }

    private static void hasSymbolOfNm(ItemAnswer answer, Path program, String symbol) throws IOException {
        ItemOutcome.VariableFound found = (ItemOutcome.VariableFound) answer.outcome();
        assertThat(Objects.requireNonNull(found.symbol()).name()).isEqualTo(symbol);
        assertThat(found.symbol().section().name()).isEqualTo(".data");
        assertThat(RequiredTool.require("nm").output(program))
                .containsPattern("%016x [dD] %s\n".formatted(found.address().orElseThrow(), Pattern.quote(symbol)));
    }

    @Test
    void variableHasTheSymbolAtItsAddressWhateverItsName() throws IOException, ExtractionException {
        Path program = namespaces();
        List<ItemAnswer> ofNamespaces = answers(program, "n::hidden->c", "hidden->c");
        hasSymbolOfNm(ofNamespaces.getFirst(), program, "_ZN1nL6hiddenE");
        hasSymbolOfNm(ofNamespaces.get(1), program, "hidden");

        Path other = statics();
        List<ItemAnswer> ofFunctions = answers(other, "alone->value", "state->value", "shared->value");
        hasSymbolOfNm(ofFunctions.getFirst(), other, "alone.1");
        hasSymbolOfNm(ofFunctions.get(1), other, "state.0");
        hasSymbolOfNm(ofFunctions.get(2), other, "shared");
    }

    @Test
    void bpftraceFindsVariablesByTheNameOfOneSymbolOnly() throws IOException, ExtractionException {
        assertThat(bpftrace(answers(namespaces(), "n::hidden->c", "hidden->c")))
                .containsExactly(
                        "$n_hidden_c = *(int32*)(*(uint64*)((uint64)uaddr(\"_ZN1nL6hiddenE\")) + 8);",
                        "$hidden_c = *(int32*)(*(uint64*)((uint64)uaddr(\"hidden\")) + 8);");
        assertThat(bpftrace(answers(statics(), "alone->value", "state->value", "shared->value")))
                .containsExactly(
                        "$alone_value = *(int32*)(*(uint64*)((uint64)uaddr(\"alone.1\")) + 4);",
                        "/* state->value: several symbols have the name state.0: give its address as base */",
                        "/* shared->value: several symbols have the name shared: give its address as base */");
    }

    private static List<String> bpftrace(List<ItemAnswer> answers) {
        return TracerText.lines(answers, TracerText.Dialect.BPFTRACE, null, X86_64);
    }

    @Test
    void bpftraceReadsTheValuesOfARunningProgram() throws IOException, ExtractionException {
        RequiredTool bpftrace = RequiredTool.require("bpftrace");
        try {
            bpftrace.output("-e", "BEGIN { exit(); }");
        } catch (IOException e) {
            abort("this kernel does not load BPF for this user: " + e.getMessage());
        }
        Path program = compiled("gcc", "plans.c", "-g", "-O1", "-no-pie");
        List<String> lines = bpftrace(answers(
                program,
                "leaves[2].level",
                "holder.row[0].big",
                "root.next->before",
                "table[1]->level",
                "leaves[1].flag",
                "node.inner.name"));
        Path script = Files.write(
                folder.resolve("values.bt"),
                List.of(
                        "uprobe:" + program + ":handle {",
                        String.join("\n", lines),
                        "printf(\"%d %d %d %d %d %s\\n\", $leaves_2_level, $holder_row_0_big, $root_next_before,"
                                + " $table_1_level, $leaves_1_flag, $node_inner_name); exit(); }"));

        assertThat(bpftrace.output("-c", program, script)).contains("-4 5 2 -5 2 root");
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
        SecondOpinion.Result result = VariableLeaves.compare(types, symbols);
        assertThat(result.differences()).isEmpty();
        assertThat(result.compared()).isGreaterThan(atLeast);
    }

    @Test
    void variablesHaveTheAddressesOfTheirSymbols() throws IOException, ExtractionException {
        Path program = compiled("gcc", "plans.c", "-g");
        ItemOutcome.VariableFound found = (ItemOutcome.VariableFound)
                answers(program, "root.inner.big").getFirst().outcome();

        List<String> gdb = new Gdb(program).evaluated(List.of("&root", "(long)&root.inner.big - (long)&root"));
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

    /** Compilers state no place of those of AArch64, so only what other files see is found, by its symbol. */
    @ParameterizedTest
    @CsvSource({
        "gcc, 4",
        "gcc -shared -fPIC, 4",
        "s390x-linux-gnu-gcc, 4",
        "s390x-linux-gnu-gcc -shared -fPIC, 4",
        "clang, 4",
        "clang --target=powerpc64le-linux-gnu -fuse-ld=lld, 4",
        "clang --target=aarch64-linux-gnu -fuse-ld=lld, 1"
    })
    void threadLocalVariablesHaveTheOffsetsOfReadelfWhateverTheirSymbols(String compiler, int count)
            throws IOException, ExtractionException {
        Files.writeString(folder.resolve("locals.c"), """
            static __thread int first = 1;
            __thread long shared = 2;
            static __thread int later[3] = {3};
            int f(void) { static __thread int inside = 4; return inside++ + later[1]; }
            void _start(void) { first++; shared++; f(); }
            """);
        List<Object> words = new ArrayList<>(List.of(compiler.split(" ")));
        RequiredTool tool = RequiredTool.require((String) words.removeFirst());
        words.addAll(List.of("-g", "-nostdlib", "locals.c", "-o", "locals"));
        if (!compiler.contains("-shared")) {
            words.addFirst("-static");
        }
        tool.outputIn(folder, words.toArray());
        int found = 0;
        for (ItemAnswer answer : answers(folder.resolve("locals"), "first", "shared", "later[1]", "inside")) {
            if (answer.status() == ItemStatus.FOUND) {
                found++;
                hasOffsetOfReadelf(answer, folder.resolve("locals"));
            }
        }
        assertThat(found).isEqualTo(count);
    }

    @Test
    void threadLocalVariableOfANamespaceIsNotThatOfAnotherOne() throws IOException, ExtractionException {
        Files.writeString(folder.resolve("locals.cc"), """
            thread_local int mine = 1;
            namespace n { static thread_local int mine = 2; int use() { return mine++; } }
            int main() { static thread_local int other = 3; return mine++ + n::use() + other++; }
            """);
        RequiredTool.require("g++").outputIn(folder, "-g", "locals.cc", "-o", "locals");
        Path program = folder.resolve("locals");
        List<ItemAnswer> answers = answers(program, "mine", "n::mine", "other");
        for (ItemAnswer answer : answers) {
            hasOffsetOfReadelf(answer, program);
        }
        assertThat(answers)
                .extracting(answer -> Objects.requireNonNull(((ItemOutcome.VariableFound) answer.outcome()).symbol())
                        .name())
                .containsExactly("mine", "_ZN1nL4mineE", "_ZZ4mainE5other");

        RequiredTool.require("g++").outputIn(folder, "-g", "-c", "locals.cc", "-o", "locals.o");
        assertThat(answers(folder.resolve("locals.o"), "mine", "n::mine"))
                .extracting(ItemAnswer::status)
                .containsExactly(ItemStatus.FOUND, ItemStatus.UNSUPPORTED);
    }

    private static void hasOffsetOfReadelf(ItemAnswer answer, Path file) throws IOException {
        ItemOutcome.VariableFound found = (ItemOutcome.VariableFound) answer.outcome();
        assertThat(found.isThreadLocal()).isTrue();
        String symbol = Objects.requireNonNull(found.symbol()).name();
        assertThat(symbol).contains(found.variable().name());
        long inVariable = answer.item().text().endsWith("[1]") ? 4 : 0;
        assertThat(RequiredTool.require("readelf").output("--syms", "--wide", file))
                .containsPattern("%016x +[0-9]+ TLS .* %s\n"
                        .formatted(
                                ((ItemOutcome.PathFound) found.part())
                                                .placement()
                                                .offset()
                                        - inVariable,
                                Pattern.quote(symbol)));
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
            namespace ns { struct Node; struct Value { int first; Node &back; }; struct Node { Value &&moved; Value *p; int Value::*member; Value *&alias; }; }
            struct Node { long other; };
            ns::Node *node;
            Node *global;
            """);
        Path cpp = folder.resolve("references.o");
        RequiredTool.require("g++").outputIn(folder, "-g", "-c", folder.resolve("references.cpp"), "-o", cpp);
        TypeIndex types = types(cpp);

        assertThat(plan("ns::Node.moved->back->p->first", types).pointers()).hasSize(3);
        assertThat(ask("ns::Node.moved->back->p->first.x", types).status()).isEqualTo(ItemStatus.FIELD_NOT_FOUND);
        assertThat(plan("ns::Node.alias->first", types).pointers()).hasSize(2);
        assertThat(plan("ns::Node.alias[0]->first", types).pointers()).hasSize(2);
        assertThat(ask("ns::Node.member->first", types).status()).isEqualTo(ItemStatus.FIELD_NOT_FOUND);
    }

    @Test
    void variablesMayOmitInlineAndUnnamedNamespaces() throws IOException, ExtractionException {
        Files.writeString(folder.resolve("inline.cpp"), """
            namespace ns {
                inline namespace v1 { struct Value { int first; }; Value *place; int counted; }
                namespace { int hidden; }
                int use() { return hidden + counted; }
            }
            namespace other { int counted; }
            """);
        Path library = folder.resolve("inline.so");
        RequiredTool.require("g++")
                .outputIn(folder, "-g", "-shared", "-fPIC", folder.resolve("inline.cpp"), "-o", library);
        ItemResolver resolver = new ItemResolver(new BuildContents(types(library), symbols(library)), null);

        for (String item : List.of("ns::counted", "ns::hidden", "variable ns::counted", "ns::place->first")) {
            assertThat(resolver.resolve(ItemParser.parse(item)).status())
                    .as(item)
                    .isEqualTo(ItemStatus.FOUND);
        }
        assertThat(resolver.resolve(ItemParser.parse("ns::counted")).outcome())
                .asString()
                .contains("ns::v1::counted");
        for (String item : List.of("\"ns::counted\"", "v2::counted", "ns::other::counted")) {
            assertThat(resolver.resolve(ItemParser.parse(item)).status())
                    .as(item)
                    .isEqualTo(ItemStatus.TYPE_NOT_FOUND);
        }
    }

    private static ReadPlan plan(String item, TypeIndex types) {
        return ((ItemOutcome.PlanFound) ask(item, types).outcome()).plan();
    }
}
