package dev.offsetd.server.commandline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.CommandLine;
import dev.offsetd.server.testkit.CommandLine.Run;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code prewarm} of an OCI image with Go programs answers for each of them, by DWARF or by what the program itself states. */
@Timeout(180)
class PrewarmGoImagesIntegrationTests {

    private static final String ITEM = "main.Shape.Name";

    @TempDir
    private Path folder;

    /** Builds a program whose contents, and so its build, differ from those of other names. */
    private Path program(String name, String linkerOptions) throws Exception {
        Path sources = Files.createDirectories(folder.resolve("sources-" + name));
        Files.writeString(sources.resolve("go.mod"), "module example.com/" + name + "\n\ngo 1.18\n");
        Files.writeString(sources.resolve("main.go"), """
                package main

                type Shape struct {
                	Sides int
                	Name  string
                }

                func main() {
                	var shown interface{} = Shape{}
                	println(shown)
                }
                """);
        Path file = folder.resolve(name);
        RequiredTool.require("go")
                .with("GOTOOLCHAIN", "local")
                .with("GOFLAGS", "-mod=mod")
                .outputIn(sources, "build", "-o", file, "-ldflags=" + linkerOptions);
        return file;
    }

    private Path image(List<Path> programs) throws Exception {
        RequiredTool umoci = RequiredTool.require("umoci");
        Path layout = folder.resolve("image");
        String image = layout + ":latest";
        umoci.output("init", "--layout", layout);
        umoci.output("new", "--image", image);
        for (Path program : programs) {
            umoci.output("insert", "--rootless", "--image", image, program, "/usr/bin/" + program.getFileName());
        }
        Path archive = folder.resolve("image.tar");
        RequiredTool.require("tar").output("-C", layout, "-cf", archive, ".");
        return archive;
    }

    private static String key(Path program) throws Exception {
        try (DebugInfo info = DebugInfo.open(program)) {
            return info.keys().primary().toString();
        }
    }

    @Test
    void everyProgramOfTheImageIsAnswered() throws Exception {
        Map<String, Path> programs = new LinkedHashMap<>();
        for (String[] options : new String[][] {
            {"whole", "-B 0x" + "a1".repeat(20)},
            {"no-dwarf", "-w -B 0x" + "a2".repeat(20)},
            {"stripped", "-s -w -B 0x" + "a3".repeat(20)},
            {"no-build-id", "-s -w"}
        }) {
            programs.put(options[0], program(options[0], options[1]));
        }
        Path image = image(List.copyOf(programs.values()));
        try (TestServer server = TestServer.start(
                folder.resolve("data"), TestDatabase.create(), "offsetd.offline=true", "offsetd.work.poll=50ms")) {
            Run run = CommandLine.run(
                    folder,
                    Map.of("OFFSETD_TOKEN", Publisher.of(server, "ci").token()),
                    CommandLine.launcher(folder.resolve("offsetd")).toString(),
                    "prewarm",
                    server.url(),
                    image.toString(),
                    "--executables",
                    "--types",
                    ITEM,
                    "--json");

            assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
            JsonNode report = JsonMapper.shared().readTree(run.out());
            List<String> answers = new ArrayList<>();
            report.path("builds")
                    .forEach(build -> answers.add(build.path("buildId").asString() + " "
                            + build.path("answer").asString()));
            assertThat(answers)
                    .containsExactlyInAnyOrder(
                            "a1".repeat(20) + " exact", "a2".repeat(20) + " exact", "a3".repeat(20) + " exact");
            assertThat(report.path("withoutBuildId").asInt()).isEqualTo(1);
            assertThat(key(Objects.requireNonNull(programs.get("no-build-id")))).startsWith("go:");
            for (Path program : programs.values()) {
                JsonNode item = Json.item(server.offsets(key(program), ITEM), ITEM);
                assertThat(item.path("offset").asInt()).as("%s", program).isEqualTo(8);
                assertThat(item.path("size").asInt()).isEqualTo(16);
            }
        }
    }
}
