package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Types that drgn finds on a server, compared with those that it reads from the same file. */
@Timeout(300)
class DrgnTypesIntegrationTests {

    private static final Path RESOURCES =
            Path.of("src", "test", "resources", "clients").toAbsolutePath();

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"gcc", "s390x-linux-gnu-gcc"})
    void typesFromAServerAreThoseOfTheFile(String compiler) throws Exception {
        RequiredTool.require("drgn");
        Path file = folder.resolve("types.so");
        BuildId id = BuildId.parse("ab".repeat(20));
        RequiredTool.require(compiler)
                .output(
                        "-g",
                        "-shared",
                        "-fPIC",
                        "-nostdlib",
                        "-Wl,--build-id=0x" + id,
                        "-o",
                        file,
                        RESOURCES.resolve("drgn_types.c"));
        try (TestServer server =
                TestServer.start(folder.resolve("data"), TestDatabase.create(), "offsetd.offline=true")) {
            assertThat(Publisher.of(server, "ci")
                            .put(server, id, Files.readAllBytes(file))
                            .statusCode())
                    .isEqualTo(201);
            assertThat(ExampleClient.python()
                            .output(
                                    RESOURCES.resolve("drgn_types.py"),
                                    server.url(),
                                    id,
                                    folder.resolve("cache"),
                                    file))
                    .isEqualTo("compared 13\n");
        }
    }
}
