package dev.offsetd.extractor.corpus;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a run has found, as a table of Markdown. */
final class CorpusReport {

    private final List<Row> rows = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final Map<String, String> missing = new LinkedHashMap<>();
    private final Map<String, NameCount> byName = new LinkedHashMap<>();

    /**
     * One file held against one tool.
     *
     * @param bytes of the file
     */
    record Row(CorpusEntry entry, CorpusFile file, String tool, Comparison.Result result, long bytes, double seconds) {}

    private static final class NameCount {
        private int compared;
        private int differences;
    }

    void add(Row row) {
        rows.add(row);
    }

    void missing(CorpusEntry entry, String reason) {
        missing.put(entry.name(), reason);
    }

    void failed(CorpusEntry entry, CorpusFile file, String problem) {
        failures.add(entry.name() + " (" + file.path().getFileName() + "): " + problem);
    }

    void byName(CorpusEntry entry, CorpusFile file, SecondOpinion.Result result) {
        NameCount count = byName.computeIfAbsent(entry.name() + " | " + result.tool(), added -> new NameCount());
        count.compared += result.compared();
        count.differences += result.differences().size();
    }

    /** Whether all that was compared agrees, or is known why not. */
    boolean isClean() {
        return failures.isEmpty()
                && rows.stream().allMatch(row -> row.result().unexplainedCount() == 0)
                && byName.values().stream().allMatch(count -> count.differences == 0);
    }

    /** The tables. */
    String markdown() throws IOException {
        StringBuilder out = new StringBuilder();
        out.append(
                "| entry | made of | files | bytes | tool | definitions | members | explained | unexplained | s |\n");
        out.append("|---|---|--:|--:|---|--:|--:|--:|--:|--:|\n");
        Map<String, List<Row>> groups = new LinkedHashMap<>();
        for (Row row : rows) {
            groups.computeIfAbsent(row.entry().name() + row.tool(), added -> new ArrayList<>())
                    .add(row);
        }
        groups.values().forEach(group -> append(out, group));
        appendByName(out);
        appendRest(out);
        return out.toString();
    }

    private static void append(StringBuilder out, List<Row> group) {
        Row first = group.getFirst();
        out.append(String.format(
                Locale.ROOT,
                "| %s | %s | %d | %,d | %s | %,d | %,d | %,d | %,d | %.0f |%n",
                first.entry().name(),
                first.file().origin(),
                group.size(),
                group.stream().mapToLong(Row::bytes).sum(),
                first.tool(),
                group.stream().mapToLong(row -> row.result().definitions()).sum(),
                group.stream().mapToLong(row -> row.result().parts()).sum(),
                group.stream().mapToLong(row -> row.result().explainedCount()).sum(),
                group.stream().mapToLong(row -> row.result().unexplainedCount()).sum(),
                group.stream().mapToDouble(Row::seconds).sum()));
    }

    private void appendByName(StringBuilder out) {
        if (byName.isEmpty()) {
            return;
        }
        out.append("\n| entry | tool | types asked for by name | differences |\n|---|---|--:|--:|\n");
        byName.forEach((key, count) ->
                out.append(String.format(Locale.ROOT, "| %s | %,d | %,d |%n", key, count.compared, count.differences)));
    }

    private void appendRest(StringBuilder out) throws IOException {
        Map<Explanation, Long> explained = new TreeMap<>();
        Set<Oracle> oracles = new TreeSet<>();
        for (Row row : rows) {
            row.result().explained().forEach((explanation, count) -> explained.merge(explanation, count, Long::sum));
            oracles.addAll(row.file().oracles());
        }
        long definitions =
                rows.stream().mapToLong(row -> row.result().definitions()).sum();
        long unexplained =
                rows.stream().mapToLong(row -> row.result().unexplainedCount()).sum();
        out.append(String.format(
                Locale.ROOT,
                "%nDefinitions compared: %,d. Explained differences: %,d. Unexplained: %,d.%n",
                definitions,
                explained.values().stream().mapToLong(Long::longValue).sum(),
                unexplained));
        explained.forEach((explanation, count) ->
                out.append(String.format(Locale.ROOT, "- %,d: %s%n", count, explanation.text())));
        missing.forEach((entry, reason) -> out.append("- not to be had: ")
                .append(entry)
                .append(": ")
                .append(reason)
                .append('\n'));
        failures.forEach(failure -> out.append("- failed: ").append(failure).append('\n'));
        out.append("\nTools:\n");
        for (Oracle oracle : oracles) {
            out.append("- ").append(oracle.version()).append('\n');
        }
    }
}
