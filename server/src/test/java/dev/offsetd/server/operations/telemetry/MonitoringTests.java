package dev.offsetd.server.operations.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The dashboard and the alert rules as people take them: what is to be done, and where it stands on the screen. */
class MonitoringTests {

    private static final Path RUNBOOK = Monitoring.FOLDER.resolveSibling("monitoring.md");
    private static final Pattern HEADING = Pattern.compile("(?m)^### (Offsetd\\w+)$");

    @Test
    void everyAlertHasItsPlaceInTheRunbookAndTestsBothWays() throws IOException {
        Set<String> alerts = Monitoring.read().alerts();
        assertThat(HEADING.matcher(Files.readString(RUNBOOK))
                        .results()
                        .map((MatchResult heading) -> heading.group(1))
                        .collect(Collectors.toSet()))
                .isEqualTo(alerts);
        for (JsonNode group : Monitoring.yaml(Monitoring.ALERTS).path("groups")) {
            for (JsonNode rule : group.path("rules")) {
                String name = rule.path("alert").asString("");
                if (!name.isEmpty()) {
                    assertThat(rule.path("annotations").path("runbook").asString())
                            .isEqualTo("docs/monitoring.md#" + name.toLowerCase(Locale.ROOT));
                    assertThat(rule.path("labels").path("severity").asString()).isIn("page", "ticket");
                }
            }
        }
        Set<String> fires = new HashSet<>();
        Set<String> stays = new HashSet<>();
        for (JsonNode test : Monitoring.yaml(Monitoring.ALERT_TESTS).path("tests")) {
            for (JsonNode rule : test.path("alert_rule_test")) {
                (rule.path("exp_alerts").isEmpty() ? stays : fires)
                        .add(rule.path("alertname").asString());
            }
        }
        assertThat(fires).isEqualTo(alerts);
        assertThat(stays).isEqualTo(alerts);
    }

    @Test
    void dashboardCanBeImportedAnywhere() throws IOException {
        JsonNode dashboard = Monitoring.dashboard();
        assertThat(dashboard.path("id").isNull()).isTrue();
        assertThat(dashboard.path("uid").asString()).isEqualTo("offsetd");
        assertThat(dashboard.path("schemaVersion").asInt()).isPositive();
        assertThat(dashboard
                        .path("templating")
                        .path("list")
                        .valueStream()
                        .map(variable -> variable.path("name").asString()))
                .containsExactly("datasource", "job", "instance");
        assertThat(dashboard.findValues("datasource"))
                .isNotEmpty()
                .allSatisfy(source -> assertThat(source.path("uid").asString()).isEqualTo("${datasource}"));
        Set<Integer> ids = new HashSet<>();
        Set<String> cells = new HashSet<>();
        for (JsonNode panel : dashboard.path("panels")) {
            assertThat(ids.add(panel.path("id").asInt())).as("id of %s", panel).isTrue();
            JsonNode place = panel.path("gridPos");
            for (int x = place.path("x").asInt();
                    x < place.path("x").asInt() + place.path("w").asInt();
                    x++) {
                for (int y = place.path("y").asInt();
                        y < place.path("y").asInt() + place.path("h").asInt();
                        y++) {
                    assertThat(x).isLessThan(24);
                    assertThat(cells.add(x + "," + y))
                            .as("place of %s", panel.path("title"))
                            .isTrue();
                }
            }
        }
    }
}
