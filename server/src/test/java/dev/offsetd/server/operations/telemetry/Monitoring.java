package dev.offsetd.server.operations.telemetry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The dashboard and the alert rules of {@code docs/monitoring}.
 *
 * @param queries each query, by the rule or panel that contains it
 * @param records names of the series that recording rules create
 * @param alerts names of the alerts
 */
record Monitoring(Map<String, String> queries, Set<String> records, Set<String> alerts) {

    static final Path FOLDER = Path.of("..", "docs", "monitoring");
    static final Path ALERTS = FOLDER.resolve("alerts.yaml");
    static final Path ALERT_TESTS = FOLDER.resolve("alerts.test.yaml");
    static final Path DASHBOARD = FOLDER.resolve("dashboard.json");

    /** Labels that Prometheus adds to each series it scrapes. */
    private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

    private static final String UP = "up";

    Monitoring {
        queries = Map.copyOf(queries);
        records = Set.copyOf(records);
        alerts = Set.copyOf(alerts);
    }

    static Monitoring read() throws IOException {
        Map<String, String> queries = new LinkedHashMap<>();
        Set<String> records = new TreeSet<>();
        Set<String> alerts = new TreeSet<>();
        for (JsonNode group : yaml(ALERTS).path("groups")) {
            for (JsonNode rule : group.path("rules")) {
                String name = rule.path(rule.has("alert") ? "alert" : "record").asString();
                (rule.has("alert") ? alerts : records).add(name);
                queries.put(name, rule.path("expr").asString());
            }
        }
        JsonNode dashboard = dashboard();
        for (JsonNode panel : dashboard.path("panels")) {
            for (JsonNode target : panel.path("targets")) {
                String place = panel.path("title").asString() + " "
                        + target.path("refId").asString();
                queries.put(place, withoutVariables(target.path("expr").asString()));
            }
        }
        for (JsonNode annotation : dashboard.path("annotations").path("list")) {
            queries.put(
                    annotation.path("name").asString(),
                    withoutVariables(annotation.path("expr").asString()));
        }
        return new Monitoring(queries, records, alerts);
    }

    static JsonNode dashboard() throws IOException {
        return JsonMapper.shared().readTree(Files.readString(DASHBOARD));
    }

    static JsonNode yaml(Path file) throws IOException {
        return JsonMapper.shared().valueToTree(new Yaml().<Object>load(Files.readString(file)));
    }

    /** Returns the query as Grafana sends it. */
    private static String withoutVariables(String query) {
        return query.replace("$__rate_interval", "5m")
                .replace("$job", "offsetd")
                .replace("$instance", ".*");
    }

    /** Returns the selectors and labels of queries that a server with these series lacks. */
    List<String> notIn(Scrape scrape) {
        List<String> missing = new ArrayList<>();
        queries.forEach((place, text) -> {
            PromQuery query = PromQuery.of(text);
            Set<String> labels = new TreeSet<>(OF_PROMETHEUS);
            for (PromQuery.Selector selector : query.selectors()) {
                List<Map<String, String>> series = scrape.labelsOf(selector.meter());
                series.forEach(one -> labels.addAll(one.keySet()));
                if (!selector.meter().equals(UP)
                        && !records.contains(selector.meter())
                        && series.stream().noneMatch(withoutThoseOfPrometheus(selector)::selects)) {
                    missing.add(place + ": " + selector);
                }
            }
            for (String label : query.grouping()) {
                if (!labels.contains(label)) {
                    missing.add(place + ": label " + label);
                }
            }
        });
        return missing;
    }

    private static PromQuery.Selector withoutThoseOfPrometheus(PromQuery.Selector selector) {
        return new PromQuery.Selector(
                selector.meter(),
                selector.conditions().stream()
                        .filter(condition -> !OF_PROMETHEUS.contains(condition.label()))
                        .toList());
    }
}
