package dev.offsetd.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.offsetd.cli.CommandLineRun;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.answer.CheckReport;
import dev.offsetd.query.check.Finding;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/** Compiled BPF programs beside programs whose types have changed. The expected statuses are by libbpf's rules. */
class CheckCommandIntegrationTests {

    private static final String PROGRAM = """
            enum colour { RED = 1, BLUE = 2 };
            struct inner { int a, b; };
            struct task___v2 { int pid; struct inner in[4]; union { long first; int second; }; void *next; int state; }
                __attribute__((preserve_access_index));
            struct gone { int x; } __attribute__((preserve_access_index));
            __attribute__((section("socket"), used))
            long read(struct task___v2 *t, struct gone *g) {
                long sum = t->pid + t->in[3].b + t->second + t->state;
                if (__builtin_preserve_field_info(t->next, 2))
                    sum += (long) t->next;
                if (__builtin_preserve_type_info(*(struct gone *) 0, 0))
                    sum += g->x;
                return sum + __builtin_preserve_enum_value(*(enum colour *) BLUE, 1)
                    + __builtin_preserve_enum_value(*(enum colour *) RED, 0);
            }
            """;

    @TempDir
    private static Path folder;

    private static Path program;

    @BeforeAll
    static void compile() throws IOException {
        Path source = Files.writeString(folder.resolve("program.bpf.c"), PROGRAM);
        program = folder.resolve("program.bpf.o");
        RequiredTool.require("clang").output("-g", "-O2", "-target", "bpf", "-c", source, "-o", program);
    }

    private static String build(String name, String source) throws IOException {
        Path text = Files.writeString(folder.resolve(name + ".c"), source);
        Path library = folder.resolve(name + ".so");
        RequiredTool.require("gcc").output("-g", "-shared", "-fPIC", "-o", library, text);
        return library.toString();
    }

    private static String whole(String name) throws IOException {
        return build(name, """
                enum colour { RED = 3, BLUE = 4 } colour;
                struct inner { long a; int b; };
                struct task { void *next; int pid; struct inner in[8]; struct { union { int second; }; }; int state; } task;
                struct gone { int y, x; } gone;
                """);
    }

    @Test
    void programWorksWithABuildThatHasEverything() throws IOException {
        String build = whole("whole");

        assertThat(CommandLineRun.of("check", program.toString(), "--builds", build))
                .isEqualTo(new CommandLineRun(0, "ok    " + build + ": 10 resolved\n", ""));
    }

    @Test
    void missingMembersFailUnlessTheProgramAsksForThem() throws IOException {
        String build = build("old", """
                enum colour { BLUE = 4 } colour;
                struct inner { int a, b; };
                struct task { int pid; struct inner in[4]; int second; struct inner state; } task;
                """);

        CommandLineRun run =
                CommandLineRun.of("check", program.toString(), "--builds", build, "--builds", whole("both"));

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.out().lines())
                .containsExactlyInAnyOrder(
                        "FAILS " + build + ": 4 resolved",
                        "  absent struct task.state (field_byte_offset): its form is aggregate; the program has"
                                + " integer",
                        "  absent_guarded struct task.next (field_exists): \"struct task\" has no member \"next\"",
                        "  absent_guarded struct task.next (field_byte_offset): \"struct task\" has no member \"next\"",
                        "  absent_guarded struct gone (type_exists): type_not_found",
                        "  absent_guarded struct gone.x (field_byte_offset): type_not_found",
                        "  absent_guarded enumerator RED (enumval_exists): \"enum colour\" has no such enumerator",
                        "ok    " + folder.resolve("both.so") + ": 10 resolved");
    }

    @Test
    void typesThatDifferAreAmbiguous() throws IOException {
        Path first = Files.writeString(folder.resolve("one.c"), "struct gone { int x; } one;\n");
        Path second = Files.writeString(folder.resolve("two.c"), "struct gone { long y; int x; } two;\n");
        Path library = folder.resolve("two.so");
        RequiredTool.require("gcc").output("-g", "-shared", "-fPIC", "-o", library, first, second);

        assertThat(CommandLineRun.of("check", program.toString(), "--builds", library.toString())
                        .out())
                .contains("  ambiguous struct gone.x (field_byte_offset): several types of this name differ\n");
    }

    @Test
    void setsAndMapsAreComparedWithAReference() throws IOException {
        String before = build("before", "struct _zend_op { int type, lineno; } op;\n");
        String after = build("after", "struct _zend_op { long type; int lineno; } op;\n");

        CommandLineRun run = CommandLineRun.of(
                "check", "@php", "--map", "otel-ebpf-profiler", "--reference", before, "--builds", after);

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.out()).contains("  differs zend_op.lineno: 4 -> 8\n");
    }

    @Test
    void reportIsAlsoJsonAndJunit() throws IOException {
        String build = whole("formats");
        String missing = folder.resolve("no-such-file").toString();

        assertThat(CommandLineRun.of("check", program.toString(), "--builds", build, "--format", "json", "--json")
                        .out())
                .isEqualTo(CommandLineRun.of("check", program.toString(), "--builds", build, "-j")
                        .out())
                .isEqualTo("{\"passes\":true,\"builds\":[{\"build\":\"" + build
                        + "\",\"title\":\"\",\"passes\":true,\"resolved\":10,\"findings\":[]}]}\n");
        CommandLineRun junit = CommandLineRun.of("check", program.toString(), "--builds", missing, "--format", "junit");
        assertThat(junit.exitCode()).isEqualTo(3);
        assertThat(junit.out()).contains("tests=\"1\" failures=\"1\"").contains("no-such-file&quot;: no such file");
    }

    /** The server answers a part of the builds at a time. */
    @ParameterizedTest
    @ValueSource(strings = {"json", "junit"})
    void reportOfManyBuildsIsOneDocument(String format) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/checks", exchange -> {
            boolean first = !exchange.getRequestURI().getQuery().contains("after=");
            if (first) {
                exchange.getResponseHeaders().set("X-Offsetd-Next", "/v1/checks?after=x");
            }
            exchange.getResponseHeaders().set("X-Offsetd-Passes", Boolean.toString(!first));
            byte[] page = document(format, row(first ? "a" : "b", first)).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        server.start();
        try {
            CommandLineRun run = CommandLineRun.of(
                    "check",
                    "@ruby",
                    "--builds",
                    "libruby",
                    "--format",
                    format,
                    "--server",
                    "http://127.0.0.1:" + server.getAddress().getPort());

            assertThat(run.exitCode()).as("the first part fails").isEqualTo(3);
            assertThat(run.out()).isEqualTo(document(format, row("a", true), row("b", false)) + "\n");
        } finally {
            server.stop(0);
        }
    }

    private static String document(String format, CheckReport.Row... rows) {
        CheckReport report = new CheckReport(List.of(rows), true);
        if (format.equals("junit")) {
            return report.junit();
        }
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonMapper.shared().createGenerator(text)) {
            json.writeStartObject();
            report.write(json);
            json.writeEndObject();
        }
        return text.toString();
    }

    @Test
    void serverChecksAllBuildsUnlessSomeAreNamed() throws IOException {
        Queue<String> queries = new ConcurrentLinkedQueue<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/checks", exchange -> {
            queries.add(exchange.getRequestURI().getQuery());
            exchange.getResponseHeaders().set("X-Offsetd-Passes", "false");
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        try {
            String url = "http://127.0.0.1:" + server.getAddress().getPort();

            assertThat(CommandLineRun.of("check", "@ruby", "--server", url))
                    .isEqualTo(new CommandLineRun(3, "", "offsetd: the server has no build\n"));
            assertThat(CommandLineRun.of("check", "@ruby", "--server", url, "-b", "ruby", "-b", "arm64"))
                    .isEqualTo(new CommandLineRun(3, "", "offsetd: no build matches \"ruby arm64\"\n"));
            assertThat(queries)
                    .containsExactly(
                            "limit=200&strict=false&types=@ruby", "limit=200&strict=false&q=ruby+arm64&types=@ruby");
        } finally {
            server.stop(0);
        }
    }

    private static CheckReport.Row row(String build, boolean fails) {
        Finding.Status status = fails ? Finding.Status.ABSENT : Finding.Status.RESOLVED;
        return new CheckReport.Row(build, "", List.of(new Finding("task.pid", null, status, null)), null);
    }

    @Test
    void wrongArgumentsAreUsageErrors() {
        assertThat(CommandLineRun.of("check", program.toString()))
                .isEqualTo(new CommandLineRun(
                        2, "", "offsetd: no build to check; expected --builds FILE, or --server URL\n"));
        assertThat(CommandLineRun.of("check", program.toString(), "--map", "x", "--builds", "x")
                        .err())
                .contains("--map and --reference are for type sets");
        assertThat(CommandLineRun.of("check", program.toString(), "--builds", "x", "--format", "junit", "--json")
                        .err())
                .contains("--json and --format junit are both given");
        assertThat(CommandLineRun.of("check", "/dev/null", "--builds", "x").exitCode())
                .isEqualTo(3);
    }

    @Test
    void invalidOptionFailsTheCommandInsteadOfABuild() throws IOException {
        String build = whole("options");

        assertThat(CommandLineRun.of("check", program.toString(), "--builds", build, "--debug-dir", "/none"))
                .isEqualTo(new CommandLineRun(2, "", "offsetd: --debug-dir is \"/none\"; expected a folder\n"));
        assertThat(CommandLineRun.of("check", program.toString(), "--builds", build, "--threads", "0"))
                .isEqualTo(new CommandLineRun(2, "", "offsetd: --threads is 0; expected 1 to 1024\n"));
    }
}
