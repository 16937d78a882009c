package dev.offsetd.server.offsets;

import static dev.offsetd.extractor.testkit.Dw.DW_ATE_signed;
import static dev.offsetd.extractor.testkit.DwarfTree.baseType;
import static dev.offsetd.extractor.testkit.DwarfTree.bitField;
import static dev.offsetd.extractor.testkit.DwarfTree.member;
import static dev.offsetd.extractor.testkit.DwarfTree.struct;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
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

    private static final Path SOURCES = Path.of("..", "examples", "clients").toAbsolutePath();

    /** A build whose values differ from every fallback, and one that lacks what the client needs. */
    private static final BuildId WHOLE = BuildId.parse("11".repeat(20));

    private static final BuildId PARTIAL = BuildId.parse("22".repeat(20));

    private static final List<String> FALLBACK = List.of(
            "fallback",
            "ec_vm_stack 0 fallback",
            "ec_cfp 16 fallback",
            "cfp_size 56 fallback",
            "iseq_body 16 fallback",
            "vm_objspace 1296 fallback");

    private static final List<String> VALUES =
            List.of("ec_vm_stack 8", "ec_cfp 24", "cfp_size 64", "iseq_body 32", "vm_objspace 1304");

    /** A client and the commands that build it. */
    enum Client {
        CURL {
            @Override
            RequiredTool build(Path folder) {
                RequiredTool.require("curl");
                RequiredTool.require("jq");
                return RequiredTool.at(SOURCES.resolve("curl/offsets.sh"));
            }
        },
        GO {
            @Override
            RequiredTool build(Path folder) throws IOException {
                RequiredTool go =
                        RequiredTool.require("go").with("GOPROXY", "off").with("GOTOOLCHAIN", "local");
                go.outputIn(SOURCES.resolve("go"), "vet", ".");
                go.outputIn(SOURCES.resolve("go"), "build", "-o", folder.resolve("go-client"), ".");
                return RequiredTool.at(folder.resolve("go-client"));
            }
        },
        RUST {
            @Override
            RequiredTool build(Path folder) throws IOException {
                RequiredTool.require("rustc")
                        .output(
                                "--edition",
                                "2021",
                                "-D",
                                "warnings",
                                "-o",
                                folder.resolve("rust-client"),
                                SOURCES.resolve("rust/offsets.rs"));
                return RequiredTool.at(folder.resolve("rust-client"));
            }
        },
        C {
            @Override
            RequiredTool build(Path folder) throws IOException {
                RequiredTool.require("curl-config");
                if (!Files.exists(Path.of("/usr/include/jansson.h"))) {
                    throw RequiredTool.unavailable("libjansson-dev is not installed");
                }
                RequiredTool.require("gcc")
                        .output(
                                "-std=c99",
                                "-Wall",
                                "-Wextra",
                                "-Werror",
                                "-o",
                                folder.resolve("c-client"),
                                SOURCES.resolve("c/offsets.c"),
                                "-lcurl",
                                "-ljansson");
                return RequiredTool.at(folder.resolve("c-client"));
            }
        };

        /** Compiles the client unless it can be run directly. */
        abstract RequiredTool build(Path folder) throws IOException;
    }

    @TempDir
    private static Path folder;

    private static final Map<Client, Future<RequiredTool>> BUILT = new EnumMap<>(Client.class);

    private static ExecutorService threads;
    private static TestServer server;
    private static String token;

    @BeforeAll
    static void start() {
        threads = Executors.newVirtualThreadPerTaskExecutor();
        for (Client client : Client.values()) {
            BUILT.put(client, threads.submit(() -> client.build(folder)));
        }
        server = TestServer.start(
                folder.resolve("data"), TestDatabase.create(), "offsetd.offline=true", "offsetd.read-auth=true");
        Publisher publisher = Publisher.of(server, "ci");
        token = publisher.authorized()[1].substring("Bearer ".length());
        publisher.put(
                server,
                WHOLE,
                elf(
                        WHOLE,
                        struct("rb_execution_context_struct", 480, member("vm_stack", "long", 8), cfp(24)),
                        struct("rb_control_frame_struct", 64, member("pc", "long", 0)),
                        struct("rb_iseq_struct", 40, member("body", "long", 32)),
                        struct("rb_vm_struct", 4000, member("objspace", "long", 1304))));
        publisher.put(
                server,
                PARTIAL,
                elf(
                        PARTIAL,
                        // An offset that does not fit in a byte, and a bit-field where the client needs whole bytes.
                        // One type and one member are missing.
                        struct("rb_execution_context_struct", 480, bitField("vm_stack", "long", 8, 64, 8), cfp(264)),
                        struct("rb_iseq_struct", 40, member("body", "long", 32)),
                        struct("rb_vm_struct", 4000)));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
        threads.close();
    }

    private static DwarfTree.Part cfp(long offset) {
        return member("cfp", "long", offset);
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
    private static List<String> run(Client client, String url, BuildId id, String cache) throws Exception {
        return run(client, url, id, cache, token);
    }

    private static List<String> run(Client client, String url, BuildId id, String cache, String shown)
            throws Exception {
        Path place = folder.resolve(client + "-" + cache);
        return built(client)
                .with("OFFSETD_TOKEN", shown)
                .output(url, id, place)
                .lines()
                .toList();
    }

    private static RequiredTool built(Client client) throws Exception {
        try {
            return Objects.requireNonNull(BUILT.get(client)).get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw (Error) e.getCause();
        }
    }

    private static List<String> from(String source) {
        List<String> lines = new ArrayList<>(List.of(source));
        lines.addAll(VALUES);
        return lines;
    }

    /** Returns a URL on which no server listens. */
    private static String nowhere() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return "http://127.0.0.1:" + socket.getLocalPort();
        }
    }

    @ParameterizedTest
    @EnumSource
    void withoutServerAndCacheTheFallbackIsUsed(Client client) throws Exception {
        assertThat(run(client, nowhere(), WHOLE, "none")).isEqualTo(FALLBACK);
    }

    @ParameterizedTest
    @EnumSource
    void answerIsKeptAndUsedWhenItIsNotModifiedAndWhenTheServerIsAway(Client client) throws Exception {
        assertThat(run(client, server.url(), WHOLE, "kept")).isEqualTo(from("fresh"));
        assertThat(run(client, server.url(), WHOLE, "kept")).isEqualTo(from("not modified"));
        assertThat(run(client, nowhere(), WHOLE, "kept")).isEqualTo(from("cache"));
        // 401 says nothing about the build.
        assertThat(run(client, server.url(), WHOLE, "kept", "wrong")).isEqualTo(from("cache"));
    }

    @ParameterizedTest
    @EnumSource
    void unknownBuildTakesTheFallback(Client client) throws Exception {
        assertThat(run(client, server.url(), SmallBuild.UNKNOWN_ID, "unknown")).isEqualTo(FALLBACK);
    }

    @ParameterizedTest
    @EnumSource
    void missingUnfitAndOversizedItemsTakeTheFallbackOneByOne(Client client) throws Exception {
        assertThat(run(client, server.url(), PARTIAL, "partial"))
                .containsExactly(
                        "fresh",
                        "ec_vm_stack 0 fallback",
                        "ec_cfp 16 fallback",
                        "cfp_size 56 fallback",
                        "iseq_body 32",
                        "vm_objspace 1296 fallback");
    }

    @ParameterizedTest
    @EnumSource
    void malformedCacheIsIgnored(Client client) throws Exception {
        Path cache =
                Files.createDirectories(folder.resolve(client + "-damaged")).resolve(WHOLE.toString());
        Files.writeString(cache, "\"tag\"\n{\"schemaVersion\":1,\"buildId\":\"" + WHOLE + "\",\"offs");
        assertThat(run(client, nowhere(), WHOLE, "damaged")).isEqualTo(FALLBACK);
        assertThat(run(client, server.url(), WHOLE, "damaged")).isEqualTo(from("fresh"));
    }

    @ParameterizedTest
    @EnumSource
    void malformedAnswerIsNeitherUsedNorCached(Client client) throws Exception {
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
        try (MockWebServer odd = new MockWebServer()) {
            odd.start();
            String url = "http://127.0.0.1:" + odd.getPort();
            for (MockResponse response : responses) {
                odd.enqueue(response);
                assertThat(run(client, url, WHOLE, "odd")).isEqualTo(FALLBACK);
            }
            run(client, server.url(), WHOLE, "odd");
            for (MockResponse response : responses) {
                odd.enqueue(response);
                assertThat(run(client, url, WHOLE, "odd")).isEqualTo(from("cache"));
            }
            assertThat(run(client, nowhere(), WHOLE, "odd")).isEqualTo(from("cache"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void requestSaysWhatTheClientHasAndHowLongItWaits(Client client) throws Exception {
        run(client, server.url(), WHOLE, "request");
        try (MockWebServer listener = new MockWebServer()) {
            listener.setDispatcher(new Dispatcher() {
                @Override
                public MockResponse dispatch(RecordedRequest request) {
                    return new MockResponse.Builder().code(304).build();
                }
            });
            listener.start();
            assertThat(run(client, "http://127.0.0.1:" + listener.getPort(), WHOLE, "request"))
                    .isEqualTo(from("not modified"));
            RecordedRequest request = listener.takeRequest();
            assertThat(request.getHeaders().get("If-None-Match")).matches("\"[^\"]+\"");
            assertThat(request.getHeaders().get("Prefer")).isEqualTo("wait=1");
            assertThat(request.getHeaders().get("Authorization")).isEqualTo("Bearer " + token);
            assertThat(request.getHeaders().get("Accept-Encoding"))
                    .contains(client == Client.RUST ? "identity" : "gzip");
        }
    }

    @Test
    void serverThatSaysNothingIsNotWaitedForLong() throws Exception {
        try (GatedUpstream silent = new GatedUpstream(new byte[0])) {
            String url = silent.url().substring(0, silent.url().length() - 1);
            List<Callable<List<String>>> runs = new ArrayList<>();
            for (Client client : Client.values()) {
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
