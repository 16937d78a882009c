package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A Python client that openapi-generator makes from the contract, used against a server. */
@Timeout(120)
class GeneratedClientIntegrationTests {

    /** The build generates it before the integration tests. */
    private static final Path CLIENT = Path.of("target", "python-client").toAbsolutePath();

    private static final Path CALLS =
            Path.of("src", "test", "resources", "generated-client", "calls.py").toAbsolutePath();

    @Test
    void pythonClientGeneratedFromTheContractReadsTheAnswers(@TempDir Path folder) throws IOException {
        RequiredTool python = pythonWithItsPackages(folder.resolve("venv")).with("PYTHONPATH", CLIENT);
        try (TestServer server =
                TestServer.start(folder.resolve("data"), TestDatabase.create(), "offsetd.offline=true")) {
            Publisher.of(server, "ci").put(server, SmallBuild.ID, SmallBuild.debugFile());
            assertThat(python.output(CALLS, server.url(), SmallBuild.ID).lines())
                    .containsExactly(
                            "anonymous",
                            "struct 8 4",
                            "4",
                            "type_not_found False",
                            "[4, 4]",
                            "extracted",
                            "build_not_found True");
        }
    }

    /** Returns a Python that has the packages that the client requires: that of the machine, or one in a new folder. */
    private static RequiredTool pythonWithItsPackages(Path venv) throws IOException {
        RequiredTool python = RequiredTool.require("python3");
        try {
            python.output("-c", "import pydantic, dateutil, urllib3; pydantic.TypeAdapter");
            return python;
        } catch (IOException missing) {
            try {
                python.output("-m", "venv", venv);
                RequiredTool.at(venv.resolve("bin/pip"))
                        .output(
                                "install",
                                "--quiet",
                                "--retries=0",
                                "--timeout=10",
                                "-r",
                                CLIENT.resolve("requirements.txt"));
                return RequiredTool.at(venv.resolve("bin/python"));
            } catch (IOException e) {
                throw RequiredTool.unavailable(
                        "python3 lacks pydantic 2, and pip cannot install it: " + e.getMessage());
            }
        }
    }
}
