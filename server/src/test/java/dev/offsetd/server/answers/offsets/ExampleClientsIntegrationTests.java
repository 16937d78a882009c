package dev.offsetd.server.answers.offsets;

import static dev.offsetd.extractor.testkit.Dw.DW_ATE_signed;
import static dev.offsetd.extractor.testkit.DwarfTree.baseType;
import static dev.offsetd.extractor.testkit.DwarfTree.bitField;
import static dev.offsetd.extractor.testkit.DwarfTree.member;
import static dev.offsetd.extractor.testkit.DwarfTree.struct;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.FreePort;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.CommandLine;
import dev.offsetd.server.testkit.DocumentWalk;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import mockwebserver3.MockResponse;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.opentest4j.TestAbortedException;

/** The example clients of the repository, compiled and run. All must print the same for the same server. */
@Timeout(300)
class ExampleClientsIntegrationTests {

    /** A build whose values differ from every fallback. */
    static final BuildId WHOLE = BuildId.parse("11".repeat(20));

    /** The agent's facts of a program: the key of its fallback. */
    static final String[] PROGRAM = {"ruby", "3.4.5", "x86_64"};

    static final List<String> FALLBACK =
            List.of("fallback", "ec_vm_stack 0", "ec_cfp 16", "cfp_size 56", "iseq_body 16", "vm_objspace 1296");

    /** Builds that lack what the client needs. */
    private static final BuildId WITHOUT_A_TYPE = BuildId.parse("22".repeat(20));

    private static final BuildId WITH_A_BIT_FIELD = BuildId.parse("33".repeat(20));

    /** One member has an offset that does not fit in a byte. */
    private static final BuildId LARGE = BuildId.parse("44".repeat(20));

    /** The build of the document. */
    private static final BuildId PRINTED = BuildId.parse("d0578622796a415da30d749b495bf4fadf75f941");

    private static final List<String> VALUES =
            List.of("ec_vm_stack 8", "ec_cfp 24", "cfp_size 64", "iseq_body 32", "vm_objspace 1304");

    @TempDir
    private static Path folder;

    private static final Map<ExampleClient, Future<RequiredTool>> BUILT = new EnumMap<>(ExampleClient.class);

    private static ExecutorService threads;
    private static TestServer server;
    private static String token;

    @BeforeAll
    static void start() {
        threads = Executors.newVirtualThreadPerTaskExecutor();
        for (ExampleClient client : ExampleClient.values()) {
            BUILT.put(client, threads.submit(() -> client.build(folder)));
        }
        server = TestServer.start(
                folder.resolve("data"), TestDatabase.create(), "offsetd.offline=true", "offsetd.read-auth=true");
        Publisher publisher = Publisher.of(server, "ci");
        token = publisher.authorized()[1].substring("Bearer ".length());
        publisher.put(server, WHOLE, whole());
        publisher.put(server, SmallBuild.debugFile());
        publisher.put(server, WITHOUT_A_TYPE, elf(WITHOUT_A_TYPE, stack(8), iseq(), vm(1304)));
        DwarfTree.Part bits = bitField("vm_stack", "long", 8, 64, 8);
        publisher.put(
                server,
                WITH_A_BIT_FIELD,
                elf(
                        WITH_A_BIT_FIELD,
                        struct("rb_execution_context_struct", 480, bits, member("cfp", "long", 24)),
                        frame(64),
                        iseq(),
                        vm(1304)));
        publisher.put(server, LARGE, elf(LARGE, stack(264), frame(64), iseq(), vm(1304)));
        DwarfTree.Part printed =
                struct("rb_execution_context_struct", 480, member("vm_stack", "long", 0), member("cfp", "long", 16));
        DwarfTree.Part body = struct("rb_iseq_struct", 40, member("body", "long", 16));
        publisher.put(server, PRINTED, elf(PRINTED, printed, frame(56), body, vm(1296)));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
        threads.close();
    }

    /** Returns the debug file of {@link #WHOLE}. */
    static byte[] whole() {
        return elf(WHOLE, stack(8), frame(64), iseq(), vm(1304));
    }

    private static DwarfTree.Part stack(long offset) {
        return struct(
                "rb_execution_context_struct", 480, member("vm_stack", "long", offset), member("cfp", "long", 24));
    }

    private static DwarfTree.Part frame(int size) {
        return struct("rb_control_frame_struct", size, member("pc", "long", 0));
    }

    private static DwarfTree.Part iseq() {
        return struct("rb_iseq_struct", 40, member("body", "long", 32));
    }

    private static DwarfTree.Part vm(long objspace) {
        return struct("rb_vm_struct", 4000, member("objspace", "long", objspace));
    }

    private static byte[] elf(BuildId id, DwarfTree.Part... structs) {
        List<DwarfTree.Part> parts = new ArrayList<>(List.of(baseType("long", 8, DW_ATE_signed)));
        parts.addAll(List.of(structs));
        return DwarfWriter.write(DwarfStyle.DEFAULT, unit(parts.toArray(DwarfTree.Part[]::new)))
                .toElf()
                .buildId(id.toBytes())
                .toBytes();
    }

    /** Runs a client and returns its output. The cache folder is specific to the client and the given name. */
    private static List<String> run(ExampleClient client, String url, BuildId id, String cache) throws Exception {
        return run(client, url, id, cache, token);
    }

    private static List<String> run(ExampleClient client, String url, BuildId id, String cache, String shown)
            throws Exception {
        Path place = folder.resolve(client + "-" + cache);
        return built(client)
                .with("OFFSETD_TOKEN", shown)
                .output(url, id, place, PROGRAM[0], PROGRAM[1], PROGRAM[2])
                .lines()
                .toList();
    }

    /** Runs a client that must fail, with a message, and print nothing as if it were an offset. */
    private static void assertNothing(ExampleClient client, String url, BuildId id, String... program)
            throws Exception {
        List<String> command = new ArrayList<>(List.of(
                built(client).path().toString(),
                url,
                id.toString(),
                folder.resolve(client + "-nothing").toString()));
        command.addAll(List.of(program));
        Map<String, String> environment = new HashMap<>(built(client).environment());
        environment.put("OFFSETD_TOKEN", token);
        CommandLine.Run run = CommandLine.run(
                Files.createDirectories(folder.resolve(client + "-run")), environment, command.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).isNotBlank();
    }

    private static RequiredTool built(ExampleClient client) throws Exception {
        try {
            return Objects.requireNonNull(BUILT.get(client)).get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw (Error) e.getCause();
        }
    }

    static List<String> valuesFrom(String source) {
        List<String> lines = new ArrayList<>(List.of(source));
        lines.addAll(VALUES);
        return lines;
    }

    /** Returns a URL on which no server listens. */
    private static String nowhere() throws IOException {
        return "http://127.0.0.1:" + FreePort.any();
    }

    @ParameterizedTest
    @EnumSource
    void withoutServerAndCacheTheFallbackIsUsed(ExampleClient client) throws Exception {
        assertThat(run(client, nowhere(), WHOLE, "none")).isEqualTo(FALLBACK);
    }

    @ParameterizedTest
    @EnumSource
    void answerIsKeptAndUsedWhenItIsNotModifiedAndWhenTheServerIsAway(ExampleClient client) throws Exception {
        try (ServerProxy proxy = new ServerProxy(server)) {
            assertThat(run(client, proxy.url(), WHOLE, "kept")).isEqualTo(valuesFrom("server"));
            assertThat(run(client, proxy.url(), WHOLE, "kept")).isEqualTo(valuesFrom("revalidated"));
            // 401 says nothing about the build.
            assertThat(run(client, proxy.url(), WHOLE, "kept", "wrong")).isEqualTo(valuesFrom("cache"));
            assertThat(proxy.statuses()).containsExactly(200, 304, 401);
            proxy.goAway();
            assertThat(run(client, proxy.url(), WHOLE, "kept")).isEqualTo(valuesFrom("cache"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void unknownBuildTakesTheFallback(ExampleClient client) throws Exception {
        assertThat(run(client, server.url(), SmallBuild.UNKNOWN_ID, "unknown")).isEqualTo(FALLBACK);
    }

    @ParameterizedTest
    @EnumSource
    void itemThatIsMissingOrUnfitOrOversizedFailsTheProgram(ExampleClient client) throws Exception {
        for (BuildId id : List.of(WITHOUT_A_TYPE, WITH_A_BIT_FIELD, LARGE)) {
            assertNothing(client, server.url(), id, PROGRAM);
        }
    }

    @ParameterizedTest
    @EnumSource
    void programOfAnotherKindHasNoOffsets(ExampleClient client) throws Exception {
        assertNothing(client, server.url(), SmallBuild.ID);
        assertNothing(client, server.url(), SmallBuild.ID, PROGRAM);
        // The cache, too, knows what the build is not.
        assertNothing(client, nowhere(), SmallBuild.ID, PROGRAM);
    }

    @ParameterizedTest
    @EnumSource
    void fallbackIsOfTheStatedRuntimeVersionAndMachine(ExampleClient client) throws Exception {
        assertThat(built(client)
                        .output(nowhere(), WHOLE, folder.resolve(client + "-3.1"), "ruby", "3.1.2", "x86_64")
                        .lines())
                .containsExactly(
                        "fallback", "ec_vm_stack 0", "ec_cfp 16", "cfp_size 64", "iseq_body 16", "vm_objspace 1104");
        assertNothing(client, nowhere(), WHOLE);
        assertNothing(client, nowhere(), WHOLE, "ruby", "3.1.4", "x86_64");
        assertNothing(client, nowhere(), WHOLE, "ruby", "3.4.5", "aarch64");
        assertNothing(client, nowhere(), WHOLE, "jruby", "3.4.5", "x86_64");
    }

    @ParameterizedTest
    @EnumSource
    void commandsOfTheDocumentPrintWhatItShows(ExampleClient client) throws Exception {
        Path home = Files.createDirectories(folder.resolve(client + "-document"));
        Path programs = Files.createDirectories(home.resolve("bin"));
        Path program = programs.resolve("offsets");
        Files.writeString(
                program, "#!/bin/sh\nexec '%s' \"$@\"\n".formatted(built(client).path()));
        CommandLine.executable(program);
        DocumentWalk walk = new DocumentWalk(home)
                .with("PATH", programs + ":" + System.getenv("PATH"))
                .with("OFFSETD_TOKEN", token)
                .replacing("http://127.0.0.1:8080", server.url())
                .replacing("http://127.0.0.1:1 ", nowhere() + " ");
        built(client).environment().forEach(walk::with);
        List<DocumentWalk.Step> steps = DocumentWalk.steps(ExampleClient.EXAMPLES.resolve("README.md"));
        assertThat(steps).hasSize(4);
        for (DocumentWalk.Step step : steps) {
            assertThat(walk.run(step)).as(step.commands()).isEqualTo(step.output());
        }
        walk.assertAllUsed();
    }

    @ParameterizedTest
    @EnumSource
    void damagedCacheIsIgnored(ExampleClient client) throws Exception {
        run(client, server.url(), WHOLE, "damaged");
        Path cache = onlyFile(folder.resolve(client + "-damaged"));
        String stored = Files.readString(cache);
        Files.writeString(cache, stored.substring(0, stored.indexOf("rb_iseq_struct")));
        assertThat(run(client, nowhere(), WHOLE, "damaged")).isEqualTo(FALLBACK);
        assertThat(run(client, server.url(), WHOLE, "damaged")).isEqualTo(valuesFrom("server"));
        assertThat(cache).hasContent(stored);
    }

    private static Path onlyFile(Path cache) throws IOException {
        try (Stream<Path> files = Files.list(cache)) {
            List<Path> found = files.toList();
            assertThat(found).hasSize(1);
            return found.getFirst();
        }
    }

    @ParameterizedTest
    @EnumSource
    void malformedAnswerIsNeitherUsedNorCached(ExampleClient client) throws Exception {
        List<MockResponse> responses = List.of(
                new MockResponse.Builder()
                        .code(202)
                        .setHeader("Retry-After", "2")
                        .body("{}")
                        .build(),
                new MockResponse.Builder()
                        .code(503)
                        .setHeader("Retry-After", "1")
                        .body("{}")
                        .build(),
                new MockResponse.Builder().code(422).body("{}").build(),
                new MockResponse.Builder().code(200).body("<html>Log in</html>").build());
        try (ServerProxy proxy = new ServerProxy(server)) {
            for (MockResponse response : responses) {
                proxy.answer(response);
                assertThat(run(client, proxy.url(), WHOLE, "odd")).isEqualTo(FALLBACK);
            }
            run(client, proxy.url(), WHOLE, "odd");
            for (MockResponse response : responses) {
                proxy.answer(response);
                assertThat(run(client, proxy.url(), WHOLE, "odd")).isEqualTo(valuesFrom("cache"));
            }
            proxy.goAway();
            assertThat(run(client, proxy.url(), WHOLE, "odd")).isEqualTo(valuesFrom("cache"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void requestSaysWhatTheClientHasAndHowLongItWaits(ExampleClient client) throws Exception {
        try (ServerProxy proxy = new ServerProxy(server)) {
            run(client, proxy.url(), WHOLE, "request");
            assertThat(proxy.takeRequest().getHeaders().get("Prefer")).isEqualTo("wait=1");
            run(client, proxy.url(), WHOLE, "request");
            RecordedRequest request = proxy.takeRequest();
            assertThat(request.getHeaders().get("If-None-Match")).matches("\"[^\"]+\"");
            assertThat(request.getHeaders().get("Authorization")).isEqualTo("Bearer " + token);
            assertThat(request.getHeaders().get("Accept-Encoding"))
                    .contains(client == ExampleClient.RUST ? "identity" : "gzip");
        }
    }

    @Test
    void serverThatSaysNothingIsNotWaitedForLong() throws Exception {
        try (GatedUpstream silent = new GatedUpstream(new byte[0])) {
            String url = silent.url().substring(0, silent.url().length() - 1);
            List<Callable<List<String>>> runs = new ArrayList<>();
            for (ExampleClient client : ExampleClient.values()) {
                runs.add(() -> run(client, url, WHOLE, "silent"));
            }
            for (Future<List<String>> run : threads.invokeAll(runs)) {
                try {
                    assertThat(run.get()).isEqualTo(FALLBACK);
                } catch (ExecutionException e) {
                    // The client's own tests report the missing tool.
                    assertThat(e).hasCauseInstanceOf(TestAbortedException.class);
                }
            }
        }
    }
}
