package dev.offsetd.server.debuginfod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.RealDebuginfod;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.SmallRuby;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Debuggers with this server in {@code DEBUGINFOD_URLS} and nothing else; elfutils' server is the upstream. */
class DebuginfodToolsIntegrationTests {

    private static final String BUILD_ID = "0123456789abcdef0123456789abcdef01234568";

    @TempDir
    private static Path folder;

    private static SmallRuby ruby;
    private static Path program;
    private static RealDebuginfod upstream;
    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        ruby = SmallRuby.compile(folder.resolve("ruby"), BUILD_ID);
        Path served = Files.createDirectory(folder.resolve("served"));
        Files.copy(ruby.stripped(), served.resolve("libruby.so.3.4.1"));
        Files.copy(ruby.debugFile(), served.resolve("libruby.so.3.4.1.debug"));
        // Where no debugger finds anything beside it.
        program = Files.createDirectory(folder.resolve("alone")).resolve("libruby.so.3.4.1");
        Files.copy(ruby.stripped(), program);
        upstream = RealDebuginfod.over(served, 2, folder);
        server = TestServer.start(
                folder.resolve("data"), TestDatabase.create(), "offsetd.upstreams.urls=" + upstream.url());
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
        if (upstream != null) {
            upstream.close();
        }
    }

    private static RequiredTool client(String tool) throws IOException {
        return client(RequiredTool.require(tool));
    }

    /** Returns a debugger with an empty cache. */
    private static RequiredTool client(RequiredTool tool) throws IOException {
        return tool.with("DEBUGINFOD_URLS", server.url())
                .with("DEBUGINFOD_CACHE_PATH", Files.createTempDirectory(folder, "cache"))
                .with("HOME", folder);
    }

    private static Path found(Object... arguments) throws IOException {
        return Path.of(client("debuginfod-find").output(arguments).strip());
    }

    @Test
    void buildIdOfDifferentProgramsHasNoFile() throws Exception {
        // Bazel's: the hash of the Go build-id "redacted" since Go 1.24.
        long before = upstream.requests();
        String shared = "498919aff001d8366249403a2544fba2d833084f";
        for (String kind : List.of("debuginfo", "executable", "section/.debug_info", "source/usr/src/a.c")) {
            HttpResponse<String> answer = server.get("/buildid/" + shared + "/" + kind);

            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(409);
            assertThat(Json.of(answer).path("code").asString()).isEqualTo("build_id_not_unique");
        }
        assertThatThrownBy(() -> found("debuginfo", shared)).hasMessageContaining("Server query failed");
        assertThat(upstream.requests()).isEqualTo(before);
    }

    @Test
    void debuginfodFindGetsEachKindOfFile() throws Exception {
        assertThat(found("debuginfo", BUILD_ID)).hasSameBinaryContentAs(ruby.debugFile());
        assertThat(found("executable", BUILD_ID)).hasSameBinaryContentAs(ruby.stripped());
        Path source = ruby.library().resolveSibling("ruby.c");
        assertThat(found("source", BUILD_ID, source)).hasSameBinaryContentAs(source);
        Path dumped = folder.resolve("section");
        for (String section : List.of(".debug_info", ".debug_line", ".text")) {
            Path file = section.equals(".text") ? ruby.stripped() : ruby.debugFile();
            RequiredTool.require("objcopy")
                    .output("--dump-section", section + "=" + dumped, file, folder.resolve("unchanged"));
            assertThat(found("section", BUILD_ID, section)).as(section).hasSameBinaryContentAs(dumped);
        }
        assertThat(upstream.downloads()).isEqualTo(1);
    }

    @Test
    void debuginfodFindReportsAMiss() {
        assertThatThrownBy(() -> found("debuginfo", SmallBuild.UNKNOWN_ID)).hasMessageContaining("No such file");
        assertThatThrownBy(() -> found("section", BUILD_ID, ".nothing")).isInstanceOf(IOException.class);
    }

    @Test
    void gdbShowsTypesLinesAndSource() throws IOException {
        String shown = client("gdb")
                .output(
                        "-batch",
                        "-nx",
                        "-iex",
                        "set debuginfod enabled on",
                        "-ex",
                        "ptype /o struct rb_control_frame_struct",
                        "-ex",
                        "info line rb_vm_exec",
                        "-ex",
                        "info source",
                        program);
        assertThat(shown).contains("total size (bytes):   24").containsPattern("Line [0-9]+ of \".*ruby.c\"");
    }

    @Test
    void elfutilsReadsTheDebugInformation() throws IOException {
        assertThat(client("eu-addr2line").output("-e", program, "rb_vm_exec")).containsPattern("ruby\\.c:[0-9]+");
        // It reads no separate debug file by itself.
        String file = client("debuginfod-find").output("debuginfo", BUILD_ID).strip();
        assertThat(client("eu-readelf").output("--debug-dump=info", file)).contains("rb_control_frame_struct");
    }

    @Test
    void drgnLoadsTheDebugInformation() throws IOException {
        Path script = Files.writeString(folder.resolve("size_of_frame.py"), """
                import drgn, sys
                program = drgn.Program(drgn.host_platform)
                program.load_debug_info([sys.argv[1]])
                print(program.type('struct rb_control_frame_struct').size)
                """);
        RequiredTool.require("drgn");
        // Its command attaches to the kernel; the module is installed with it.
        RequiredTool python = client(RequiredTool.at(Path.of("/usr/bin/python3")));
        assertThat(python.output(script, program).strip()).isEqualTo("24");
    }
}
