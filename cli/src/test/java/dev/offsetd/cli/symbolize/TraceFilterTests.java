package dev.offsetd.cli.symbolize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.cli.file.DebugFileFinder;
import dev.offsetd.cli.file.FileSymbols;
import dev.offsetd.cli.file.ReaderOptions;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.symbol.SymbolTable;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code symbolize} as a filter. */
class TraceFilterTests {

    private static final String PADDED_ID = "1122334455667788" + "0".repeat(24);

    /** The page of a process that a program of the tests is said to be loaded at. */
    private static final long PAGE = 0x7f0000000000L;

    @TempDir
    private Path folder;

    private record Filtered(ByteArrayOutputStream written, String err) {

        byte[] bytes() {
            return written.toByteArray();
        }

        String out() {
            return written.toString(StandardCharsets.UTF_8);
        }
    }

    private Filtered filtered(Console.Output output, @Nullable Path given, boolean returnAddresses, byte[] input)
            throws IOException, CommandFailure {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        StringWriter err = new StringWriter();
        Console console = new Console(out, new PrintWriter(err), null, output);
        DebugFileFinder files =
                new DebugFileFinder(ReaderOptions.readOptions(1), List.of(folder.resolve("usr/lib/debug")), console);
        new TraceFilter(files, console, given, returnAddresses, null).run(new ByteArrayInputStream(input));
        console.flush();
        return new Filtered(out, err.toString());
    }

    private Filtered filtered(@Nullable Path given, boolean returnAddresses, String... lines)
            throws IOException, CommandFailure {
        byte[] input = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
        return filtered(Console.Output.FILE, given, returnAddresses, input);
    }

    /** Returns the innermost function below each line; a dash if nothing was added to it. */
    private static List<String> functions(Filtered filtered, String... lines) {
        List<String> functions = new ArrayList<>();
        List<String> out = filtered.out().lines().toList();
        int at = 0;
        for (int i = 0; i < lines.length; i++) {
            assertThat(out.get(at)).isEqualTo(lines[i]);
            at++;
            String next = i + 1 < lines.length ? lines[i + 1] : null;
            String function = "-";
            for (; at < out.size() && !out.get(at).equals(next); at++) {
                function = function.equals("-") ? out.get(at).strip().split(" ", 2)[0] : function;
            }
            functions.add(function);
        }
        return functions;
    }

    private List<String> functions(@Nullable Path given, boolean returnAddresses, String... lines) throws Exception {
        return functions(filtered(given, returnAddresses, lines), lines);
    }

    private Path linked(String name, String... options) throws Exception {
        List<Object> arguments = new ArrayList<>(List.of("-nostdlib", "-O0", "-fno-pic", "-o", folder.resolve(name)));
        arguments.addAll(List.of(options));
        RequiredTool.require("gcc").output(arguments.toArray());
        return folder.resolve(name);
    }

    private Path source(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    /** Returns a program whose function entry follows the function before without a gap. */
    private Path program() throws Exception {
        Path source = source("app.c", """
                int before(void) { return 1; }
                int entry(void) { return 2; }
                int _start(void) { return entry() + before(); }
                """);
        return linked("app", "-g", "-no-pie", "-static", "-Wl,--build-id=0x1122334455667788", source.toString());
    }

    private SymbolTable table(Path program) throws Exception {
        StringWriter ignored = new StringWriter();
        Console console = new Console(ignored, new PrintWriter(ignored), false);
        return FileSymbols.read(program, DebugFileFinder.ofSystem(console), console)
                .table();
    }

    private List<Long> values(Path program, String name) throws Exception {
        return table(program).symbols().stream()
                .filter(symbol -> symbol.name().equals(name))
                .map(Symbol::value)
                .toList();
    }

    private String address(Path program, String name) throws Exception {
        return Long.toHexString(values(program, name).getFirst());
    }

    private String offset(Path program, String name) throws Exception {
        FileOffsets offsets = table(program).fileOffsets();
        return "0x"
                + Long.toHexString(
                        offsets.ofAddress(values(program, name).getFirst()).getAsLong());
    }

    @Test
    void linesAreRepeatedByteForByte() throws Exception {
        byte[] bytes = "\tindented\r\n\0\033[2J\u00ff\u0080\n\n  no end".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(filtered(Console.Output.FILE, null, false, bytes).bytes()).isEqualTo(bytes);
    }

    @Test
    void longLineIsRepeatedToo() throws Exception {
        byte[] bytes = new byte[3 * TraceFilter.RawLines.MAX_BYTES + 7];
        Arrays.fill(bytes, (byte) '7');
        assertThat(filtered(Console.Output.FILE, null, false, bytes).bytes()).isEqualTo(bytes);
    }

    @Test
    void terminalGetsNoControlCharactersExceptTabs() throws Exception {
        byte[] bytes = "\tone\r\n\033[2Jtwo\rthree\0\n".getBytes(StandardCharsets.UTF_8);
        assertThat(filtered(Console.Output.TERMINAL, null, false, bytes).out())
                .isEqualTo("\tone\r\n\\u001b[2Jtwo\\u000dthree\\u0000\n");
    }

    @Test
    void framesFollowALastLineWithoutEnd() throws Exception {
        Path app = program();
        byte[] bytes = ("0x" + address(app, "entry")).getBytes(StandardCharsets.UTF_8);
        assertThat(filtered(Console.Output.FILE, app, false, bytes).out())
                .isEqualTo("0x" + address(app, "entry") + "\n  entry at " + folder.resolve("app.c") + ":2:17\n");
    }

    @Test
    void addressesOfTheGivenFileHaveTheFormsOfTheCommandLine() throws Exception {
        Path app = program();
        String[] lines = {
            "text", "0x" + address(app, "entry"), "  " + address(app, "before"), "file:" + offset(app, "entry"), "feed"
        };
        assertThat(functions(app, false, lines)).containsExactly("-", "entry", "before", "entry", "-");
        Filtered outside = filtered(app, false, "file:0x99999999");
        assertThat(outside.out()).isEqualTo("file:0x99999999\n");
        assertThat(outside.err()).contains("file:0x99999999: offset 0x99999999 is outside of all loaded segments");
    }

    @Test
    void givenFileThatCannotBeReadHasAReason() {
        assertThatThrownBy(() -> filtered(folder.resolve("nofile"), false, ""))
                .hasMessageContaining("nofile\": no such file");
        assertThatThrownBy(() -> filtered(folder, false, "")).hasMessageContaining(": is a directory");
    }

    @Test
    void inputThatCannotBeReadIsNotAFaultOfTheOutput() throws Exception {
        Console console = new Console(new StringWriter(), new PrintWriter(new StringWriter()), false);
        TraceFilter filter = new TraceFilter(DebugFileFinder.ofSystem(console), console, null, false, null);
        InputStream broken = InputStream.nullInputStream();
        broken.close();
        assertThatThrownBy(() -> filter.run(broken))
                .isInstanceOf(CommandFailure.class)
                .hasMessageStartingWith("standard input: ");
    }

    @Test
    void sampledInstructionOfPerfIsNoReturnAddress() throws Exception {
        Path app = program();
        String frame = "\t  " + address(app, "entry") + " entry+0x0 (" + app + ")";
        String inlined = "\t  " + address(app, "entry") + " small (inlined)";
        String kernel = "\tffffffff81000130 entry_SYSCALL_64_after_hwframe+0x76 ([kernel.kallsyms])";
        String[] lines = {
            "app 2210 19628.877580:     250000 cpu-clock: ",
            frame,
            "  app.c:2",
            frame,
            "\t  7f00 [unknown] ([unknown])",
            frame,
            "",
            "app 2210 19628.877590:     250000 cpu-clock: ",
            inlined,
            frame,
            frame,
            "",
            "app 2210 19628.877600:     250000 cpu-clock: ",
            kernel,
            frame,
            frame
        };
        assertThat(functions(null, true, lines))
                .containsExactly(
                        "-", "entry", "-", "before", "-", "before", "-", "-", "-", "entry", "before", "-", "-", "-",
                        "entry", "before");
        assertThat(functions(null, false, frame, frame)).containsExactly("entry", "entry");
    }

    @Test
    void samplesOfPerfWithoutStacksAreOnOneLine() throws Exception {
        Path app = program();
        String at = ":  " + address(app, "entry") + " entry+0x0 (" + app + ")";
        String[] lines = {
            "          app 27276 18941.988: 250000 cpu-clock:ppp" + at,
            "my app 27276 [001] 18941.988: 250000 cpu-clock:ppp" + at,
            "app 27276 18941.988: 250000 cycles:  " + address(app, "entry") + " entry (" + app + "+"
                    + offset(app, "entry") + ")"
        };
        assertThat(functions(null, true, lines)).containsExactly("entry", "entry", "entry");
    }

    @Test
    void allLinesOfGlibcAreReturnAddresses() throws Exception {
        Path app = program();
        String address = "0x" + address(app, "entry");
        String[] lines = {
            app + "[" + address + "]",
            app + "() [" + address + "]",
            app + "(entry+0x0)[" + address + "]",
            app + "(entry+0x0) [" + address + "]",
            app + "(+" + address + ")[0x7f0000001000]",
            "/nowhere/lib.so(outer+0x0) [0x1]",
            "/nowhere\0/lib.so(outer+0x0) [0x1]"
        };
        assertThat(functions(null, false, lines))
                .containsExactly("entry", "entry", "entry", "entry", "entry", "-", "-");
        assertThat(functions(null, true, lines))
                .containsExactly("before", "before", "before", "before", "before", "-", "-");
    }

    /** Compiles a program that is linked as usual. */
    private Path usual(String name, String text, String... options) throws Exception {
        Path program = folder.resolve(name);
        List<Object> arguments = new ArrayList<>(List.of("-g", "-O1", "-fno-inline", "-fno-optimize-sibling-calls"));
        arguments.addAll(List.of(options));
        arguments.addAll(List.of("-o", program, source(name + ".c", text)));
        RequiredTool.require("gcc").output(arguments.toArray());
        return program;
    }

    /** glibc spells the frames of these programs by distance, by address, and by the symbols that are exported. */
    @ParameterizedTest
    @ValueSource(strings = {"-pie", "-no-pie", "-rdynamic"})
    void traceThatGlibcWritesHasTheCallsOfTheProgram(String option) throws Exception {
        Path program = usual("crashes", """
                #include <execinfo.h>
                #include <unistd.h>
                static int leaf(void) {
                    void *stack[32];
                    int frames = backtrace(stack, 32);
                    backtrace_symbols_fd(stack, frames, STDOUT_FILENO);
                    return frames;
                }
                int middle(void) {
                    return leaf() + 1;
                }
                int main(void) {
                    return middle() == 0;
                }
                """, option);
        String[] lines = RequiredTool.at(program).output().lines().toArray(String[]::new);
        Filtered filtered = filtered(null, true, lines);
        assertThat(functions(filtered, lines)).startsWith("leaf", "middle", "main");
        Path source = folder.resolve("crashes.c");
        assertThat(filtered.out()).contains("  leaf at " + source + ":5:", "  middle at " + source + ":10:");
    }

    @Test
    void samplesThatPerfTakesHaveTheCallsOfTheProgram() throws Exception {
        Path program = usual("spins", """
                static volatile unsigned long turns;
                void spin(void) {
                    while (turns < 200000000) {
                        turns = turns + 1;
                    }
                }
                void outer(void) {
                    spin();
                    turns = 0;
                }
                int main(void) {
                    outer();
                    return 0;
                }
                """, "-O0");
        RequiredTool perf = RequiredTool.require("perf");
        Path samples = folder.resolve("samples");
        try {
            perf.output("record", "-q", "-e", "cpu-clock", "-F", "99", "--call-graph", "fp", "-o", samples, program);
        } catch (IOException e) {
            Assumptions.abort("perf may not record here: " + e.getMessage());
        }
        String[] lines =
                perf.output("script", "--no-demangle", "-i", samples).lines().toArray(String[]::new);
        List<String> functions = functions(filtered(null, true, lines), lines).stream()
                .filter(function -> !function.equals("-"))
                .toList();
        assertThat(functions).containsSequence("spin", "outer", "main");
    }

    @Test
    void distanceFromThePlaceOfLoadingIsAnAddressOfTheFile() throws Exception {
        Path source = source("lib.c", "int outer(int a) {\n    return a * 3;\n}\n");
        Path library = linked("liba.so", "-g", "-shared", "-fPIC", "-Wl,-Ttext-segment=0x200000", source.toString());
        String[] lines = {library + "(+0x" + address(library, "outer") + ")[0x7f0000001000]"};
        assertThat(functions(null, false, lines)).containsExactly("outer");
    }

    @Test
    void namesAreNoPatterns() throws Exception {
        StringBuilder assembly = new StringBuilder(".text\n");
        for (String name : List.of("main.(*AB).Same", "main.(*B).Same", "main.T.Put", "main.(*T[...]).Put")) {
            assembly.append("""
                    .globl "%s"
                    .type "%s", STT_FUNC
                    "%s": .skip 16
                    .size "%s", 16
                    """.formatted(name, name, name, name));
        }
        Path go = linked("go", "-shared", source("go.s", assembly.toString()).toString());
        String[] lines = {
            "\t7f0000001000 main.(*B).Same+0x2 (" + go + ")",
            "\t7f0000001000 main.(*T[...]).Put+0x2 (" + go + ")",
            "\t7f0000001000 main.*+0x2 (" + go + ")"
        };
        assertThat(functions(null, false, lines)).containsExactly("main.(*B).Same", "main.(*T[...]).Put", "-");
    }

    @Test
    void addressTellsSymbolsOfOneNameApart() throws Exception {
        String twin = "static __attribute__((used, aligned(4096))) int twin(void) { return 1; }\n";
        String dup = "static __attribute__((used)) int dup(void) { return 2; }\n";
        Path one = source("one.c", twin + dup);
        Path two = source("two.c", twin + "int other(void) { return 3; }\n" + dup);
        Path program = linked("twins", "-g", "-shared", "-fPIC", one.toString(), two.toString());
        List<Long> values = values(program, "dup");
        assertThat(values).hasSize(2);
        for (long value : values) {
            long distance = value == values.getFirst() ? 0 : 1;
            String[] lines = {
                "\t%x dup+0x%x (%s)".formatted(PAGE + value + distance, distance, program),
                "%s(dup+0x%x)[0x%x]".formatted(program, distance, PAGE + value + distance)
            };
            String expected = value == values.getFirst() ? "/one.c:2" : "/two.c:3";
            assertThat(filtered(null, false, lines).out().lines().filter(line -> line.startsWith("  dup at")))
                    .hasSize(2)
                    .allMatch(line -> line.contains(expected));
        }
        String[] unknown = {
            "\t%x twin+0x1 (%s)".formatted(PAGE + values(program, "twin").getFirst() + 1, program),
            "\t%x dup+0x0 (%s)".formatted(PAGE + values.getFirst() + 0x7f0, program),
            program + "(dup+0x0)"
        };
        assertThat(functions(null, false, unknown)).containsExactly("-", "-", "-");
    }

    @Test
    void programsOfBuildsAreFoundByTheirUnpaddedId() throws Exception {
        Path app = program();
        for (String place :
                List.of("usr/lib/debug/.build-id/11/22334455667788", "usr/lib/.build-id/11/22334455667788")) {
            Path link = folder.resolve(place);
            Files.createDirectories(link.getParent());
            Files.createSymbolicLink(link, app);
            String frame = "        " + PADDED_ID + " " + offset(app, "entry");
            assertThat(functions(null, true, "@[", frame, frame, "]: 1"))
                    .as(place)
                    .containsExactly("-", "entry", "before", "-");
            Files.delete(link);
        }
    }

    /** bpftrace writes those of the vDSO and of generated code as addresses of the process (src/types_format.cpp). */
    @Test
    void frameOfBpftraceWithoutABuildIdIsTheFirstOfItsStackToo() throws Exception {
        Path app = program();
        String frame = "        " + PADDED_ID + " " + offset(app, "entry");
        String[] lines = {"@[", "        7ffd5a9d2a30", frame, "]: 1", "@[", frame, frame, "]: 2"};
        assertThat(functions(app, true, lines)).containsExactly("-", "-", "before", "-", "-", "entry", "before", "-");
    }

    @Test
    void givenFileAnswersForItsBuild() throws Exception {
        Path app = program();
        assertThat(functions(app, false, PADDED_ID + " " + offset(app, "entry")))
                .containsExactly("entry");
    }

    @Test
    void buildWithoutAProgramIsReportedOnce() throws Exception {
        String[] lines = {PADDED_ID + " 0x1000", PADDED_ID + " 0x1001"};
        assertThat(filtered(null, false, lines).err().lines())
                .singleElement()
                .asString()
                .contains("build " + PADDED_ID + ": neither the program nor its debug file is in ");

        Path app = program();
        Path debugFile = folder.resolve("usr/lib/debug/.build-id/11/22334455667788.debug");
        Files.createDirectories(debugFile.getParent());
        RequiredTool.require("objcopy").output("--only-keep-debug", app, debugFile);
        Filtered filtered = filtered(null, false, lines);
        assertThat(functions(filtered, lines)).containsExactly("-", "-");
        assertThat(filtered.err().lines())
                .singleElement()
                .asString()
                .contains("offsets in its file need the program, and only its debug file " + debugFile);

        assertThat(filtered(app, false, PADDED_ID + " 0x99999999", PADDED_ID + " 0x99999998")
                        .err()
                        .lines())
                .singleElement()
                .asString()
                .contains("offset 0x99999999 is outside of all loaded segments of the program");
    }
}
