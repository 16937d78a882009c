package dev.offsetd.server.operations.telemetry;

import dev.offsetd.server.testkit.TestServer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The series that a server exports at one moment.
 *
 * @param values the value of each series, by its name and labels as exported
 */
record Scrape(Map<String, Double> values) {

    private static final Pattern LINE = Pattern.compile("([a-z0-9_]+(?:\\{.*})?) ([^ ]+)");
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    static Scrape of(TestServer server) {
        Map<String, Double> values = new TreeMap<>();
        for (String line : server.get("/metrics").body().lines().toList()) {
            if (!line.startsWith("#")) {
                Matcher matcher = LINE.matcher(line);
                if (!matcher.matches()) {
                    throw new IllegalStateException("no line of Prometheus' text: " + line);
                }
                values.put(matcher.group(1), Double.valueOf(matcher.group(2)));
            }
        }
        return new Scrape(values);
    }

    /** Returns the series whose names start with the prefix. */
    Set<String> series(String prefix) {
        Set<String> series = new TreeSet<>(values.keySet());
        series.removeIf(name -> !name.startsWith(prefix));
        return series;
    }

    /** Returns the sum of the series of this name that have all of these labels. */
    double sum(String name, String... labels) {
        return values.entrySet().stream()
                .filter(series -> series.getKey().startsWith(name))
                .filter(series -> List.of(labels).stream().allMatch(series.getKey()::contains))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    /** Returns the labels of each series of exactly this name. */
    List<Map<String, String>> labelsOf(String name) {
        return values.keySet().stream()
                .filter(series -> series.equals(name) || series.startsWith(name + "{"))
                .map(series -> LABEL.matcher(series)
                        .results()
                        .collect(Collectors.toMap((MatchResult label) -> label.group(1), label -> label.group(2))))
                .toList();
    }

    /** Returns the labels of each meter, by its name without the suffix that Prometheus appends. */
    Map<String, Set<String>> labels() {
        Map<String, Set<String>> meters = new TreeMap<>();
        for (String series : values.keySet()) {
            String name = series.replaceFirst("\\{.*", "").replaceFirst("_(bucket|count|sum|max)$", "");
            Set<String> labels = meters.computeIfAbsent(name, _ -> new TreeSet<>());
            LABEL.matcher(series)
                    .results()
                    .map((MatchResult label) -> label.group(1))
                    .forEach(labels::add);
        }
        return meters;
    }
}
