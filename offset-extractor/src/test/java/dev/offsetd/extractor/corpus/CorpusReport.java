package dev.offsetd.extractor.corpus;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/** Results of a corpus run as Markdown tables. */
final class CorpusReport {

    private final List<Row> rows = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final Map<String, String> missing = new LinkedHashMap<>();
    private final Map<String, NameCount> byName = new LinkedHashMap<>();
    private final Map<String, FrameOpinion.Tally> frames = new LinkedHashMap<>();

    /**
     * Comparison of one file with one tool.
     *
     * @param bytes size of the file
     */
    record Row(CorpusEntry entry, CorpusFile file, String tool, Comparison.Result result, long bytes, double seconds) {}

    private static final class NameCount {
        private int compared;
        private int differences;
    }

    void add(Row row) {
        rows.add(row);
    }

    /** Records an entry, or an entry with one tool, that could not be compared. */
    void missing(String what, String reason) {
        missing.put(what, reason);
    }

    void failed(CorpusEntry entry, CorpusFile file, String problem) {
        failures.add(entry.name() + " (" + file.path().getFileName() + "): " + problem);
    }

    void byName(CorpusEntry entry, SecondOpinion.Result result) {
        NameCount count = byName.computeIfAbsent(entry.name() + " | " + result.tool(), added -> new NameCount());
        count.compared += result.compared();
        count.differences += result.differences().size();
    }

    /** Adds where each tool alone differs in functions and lines. */
    void frames(FrameOpinion.Outcome outcome) {
        outcome.tallies().forEach((tool, tally) -> frames.merge(tool, tally, FrameOpinion.Tally::plus));
    }

    /** Returns the results of an entry, one line per tool. */
    List<String> lines(CorpusEntry entry) {
        List<String> lines = new ArrayList<>();
        for (List<Row> group : groups()) {
            Row first = group.getFirst();
            if (first.entry().equals(entry)) {
                lines.add(String.format(
                        Locale.ROOT,
                        "%-16s %-14s %,11d definitions %,11d members  %d differ  %.0f s",
                        entry.name(),
                        first.tool(),
                        sum(group, row -> row.result().definitions()),
                        sum(group, row -> row.result().parts()),
                        sum(group, row -> row.result().differenceCount()),
                        group.stream().mapToDouble(Row::seconds).sum()));
            }
        }
        byName.forEach((key, count) -> {
            if (key.startsWith(entry.name() + " | ")) {
                lines.add(String.format(
                        Locale.ROOT,
                        "%-16s %-14s %,11d by name, %d differ",
                        entry.name(),
                        key.substring(entry.name().length() + 3),
                        count.compared,
                        count.differences));
            }
        });
        return lines;
    }

    /** Groups the rows by entry and tool. */
    private List<List<Row>> groups() {
        Map<String, List<Row>> groups = new LinkedHashMap<>();
        for (Row row : rows) {
            groups.computeIfAbsent(row.entry().name() + " " + row.tool(), added -> new ArrayList<>())
                    .add(row);
        }
        return List.copyOf(groups.values());
    }

    private static long sum(List<Row> rows, ToLongFunction<Row> count) {
        return rows.stream().mapToLong(count).sum();
    }

    /** Returns whether all comparisons agree. */
    boolean isClean() {
        return failures.isEmpty()
                && rows.stream().allMatch(row -> row.result().differenceCount() == 0)
                && byName.values().stream().allMatch(count -> count.differences == 0);
    }

    String markdown() throws IOException {
        StringBuilder out = new StringBuilder();
        out.append("| entry | made of | files | bytes | tool | definitions | members | differences | s |\n");
        out.append("|---|---|--:|--:|---|--:|--:|--:|--:|\n");
        groups().forEach(group -> append(out, group));
        appendByName(out);
        appendFrames(out);
        appendRest(out);
        return out.toString();
    }

    private static void append(StringBuilder out, List<Row> group) {
        Row first = group.getFirst();
        out.append(String.format(
                Locale.ROOT,
                "| %s | %s | %d | %,d | %s | %,d | %,d | %,d | %.0f |%n",
                first.entry().name(),
                first.file().origin(),
                group.size(),
                sum(group, Row::bytes),
                first.tool(),
                sum(group, row -> row.result().definitions()),
                sum(group, row -> row.result().parts()),
                sum(group, row -> row.result().differenceCount()),
                group.stream().mapToDouble(Row::seconds).sum()));
    }

    private void appendByName(StringBuilder out) {
        if (byName.isEmpty()) {
            return;
        }
        out.append("\n| entry | tool | compared by name | differences |\n|---|---|--:|--:|\n");
        byName.forEach((key, count) ->
                out.append(String.format(Locale.ROOT, "| %s | %,d | %,d |%n", key, count.compared, count.differences)));
    }

    private void appendFrames(StringBuilder out) {
        if (frames.isEmpty()) {
            return;
        }
        out.append("\n| tool | addresses asked | it has | at |\n|---|--:|---|--:|\n");
        frames.forEach((tool, tally) -> tally.differing()
                .forEach((kind, count) -> out.append(
                        String.format(Locale.ROOT, "| %s | %,d | %s | %,d |%n", tool, tally.asked(), kind, count))));
    }

    private void appendRest(StringBuilder out) throws IOException {
        Set<Oracle> oracles = new TreeSet<>();
        rows.forEach(row -> oracles.addAll(row.file().oracles()));
        out.append(String.format(
                Locale.ROOT,
                "%nDefinitions compared: %,d. Differences: %,d.%n",
                sum(rows, row -> row.result().definitions()),
                sum(rows, row -> row.result().differenceCount())
                        + byName.values().stream()
                                .mapToLong(count -> count.differences)
                                .sum()));
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
