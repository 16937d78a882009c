package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Rules for the workflows of this repository and of {@code examples/ci}. */
class WorkflowsTests {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern USES = Pattern.compile("(?m)^ *(?:- )?uses: *(.*)$");
    private static final Pattern PINNED =
            Pattern.compile("([\\w-]+/[\\w-]+)(?:/[\\w-]+)*@([0-9a-f]{40}) # v\\d+\\.\\d+\\.\\d+");
    private static final Pattern COMMAND = Pattern.compile("(?:^|\\s)((?:\\./|packaging/|examples/)[\\w./-]+)");

    static List<Path> workflows() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String folder : List.of(".github/workflows", "examples/ci/github")) {
            try (Stream<Path> entries = Files.list(ROOT.resolve(folder))) {
                files.addAll(entries.sorted().toList());
            }
        }
        return files;
    }

    @ParameterizedTest
    @MethodSource("workflows")
    void workflowHasLeastPrivilegeALimitOfTimeAndExistingCommands(Path file) throws Exception {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        JsonNode workflow =
                JsonMapper.shared().valueToTree(new Yaml(new SafeConstructor(options)).load(Files.readString(file)));

        assertThat(workflow.path("permissions").toString()).isEqualTo("{\"contents\":\"read\"}");
        assertThat(workflow.path("jobs")).isNotEmpty();
        for (JsonNode job : workflow.path("jobs")) {
            assertThat(job.has("uses") || job.path("timeout-minutes").isInt())
                    .as("timeout-minutes")
                    .isTrue();
            for (JsonNode step : job.path("steps")) {
                assertThat(step.has("run") ^ step.has("uses"))
                        .as(step.toString())
                        .isTrue();
                // A text from outside must reach a shell by the environment only.
                assertThat(step.path("run").asString(""))
                        .doesNotContain("${{ github.")
                        .doesNotContain("${{ inputs.")
                        .doesNotContain("${{ secrets.");
                if (file.startsWith(ROOT.resolve(".github"))) {
                    COMMAND.matcher(step.path("run").asString(""))
                            .results()
                            .forEach(match ->
                                    assertThat(ROOT.resolve(match.group(1))).isExecutable());
                }
            }
        }
    }

    @Test
    void actionsArePinnedToOneCommitOfANamedVersion() throws Exception {
        Map<String, String> commits = new HashMap<>();
        for (Path file : workflows()) {
            for (MatchResult uses :
                    USES.matcher(Files.readString(file)).results().toList()) {
                Matcher pinned = PINNED.matcher(uses.group(1));
                assertThat(pinned.matches()).as(file + ": " + uses.group(1)).isTrue();
                String commit = commits.merge(pinned.group(1), pinned.group(2), (earlier, _) -> earlier);
                assertThat(pinned.group(2)).as(file + ": " + uses.group(1)).isEqualTo(commit);
            }
        }
        assertThat(commits).containsKeys("actions/checkout", "actions/cache", "docker/setup-qemu-action");
    }
}
