package dev.offsetd.server.operations.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** The dashboard and the alert rules as Prometheus takes them. */
class MonitoringIntegrationTests {

    @TempDir
    private Path folder;

    /** Prometheus' own checker, out of the package: installing that would start a server. */
    private static RequiredTool promtool() throws IOException {
        return RequiredTool.at(DebianPackages.unpacked("prometheus", "amd64").resolve("usr/bin/promtool"));
    }

    @Test
    void alertsFireWhenTheyShouldAndOnlyThen() throws IOException {
        assertThat(promtool().output("test", "rules", Monitoring.ALERT_TESTS)).contains("SUCCESS");
    }

    @Test
    void everyQueryIsOneForPrometheus() throws IOException {
        List<Map<String, Object>> rules = new ArrayList<>();
        for (String query : new TreeSet<>(Monitoring.read().queries().values())) {
            rules.add(Map.of("record", "query:" + rules.size(), "expr", query));
        }
        Path file = folder.resolve("queries.yaml");
        Files.writeString(file, new Yaml().dump(Map.of("groups", List.of(Map.of("name", "queries", "rules", rules)))));
        assertThat(promtool().output("check", "rules", file)).contains(rules.size() + " rules found");
        assertThat(promtool().output("check", "rules", Monitoring.ALERTS)).contains("SUCCESS");
    }
}
