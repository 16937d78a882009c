package dev.offsetd.cli.prewarm;

import dev.offsetd.cli.terminal.TerminalSize;
import dev.offsetd.cli.terminal.TextTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/**
 * Progress display of a batch: a bar for each build and a summary. If the terminal has too few rows, active builds come
 * first, and the summary counts the rest.
 */
final class ProgressBars {

    private static final int MAX_NAME_CHARS = 32;
    private static final int BAR_CHARS = 20;

    /** The states in the order of the summary. */
    private static final List<String> STATES =
            List.of("done", "failed", "cancelled", "fetching", "extracting", "waiting");

    private ProgressBars() {}

    /** @param left the remaining time of its transfer; empty if it is not known */
    record NamedBuild(String name, BuildProgress progress, String left) {}

    /** Returns fewer lines than the terminal has. */
    static List<String> lines(Collection<NamedBuild> builds, TerminalSize terminal) {
        int room = Math.max(1, terminal.rows() - 2);
        List<NamedBuild> shown = new ArrayList<>(builds);
        if (shown.size() > room) {
            shown.sort(Comparator.comparingInt(build -> rank(build.progress())));
            shown = shown.subList(0, room);
        }
        int nameChars = shown.stream().mapToInt(build -> build.name().length()).reduce(1, Math::max);
        int width = Math.min(nameChars, MAX_NAME_CHARS);
        List<String> lines = new ArrayList<>();
        for (NamedBuild build : shown) {
            lines.add(cut(
                    String.format(
                            "%-" + width + "s  %s  %s",
                            cut(build.name(), width),
                            TextTable.shortId(build.progress().buildId().toString()),
                            build.progress().bar(BAR_CHARS) + build.left()),
                    terminal.columns()));
        }
        lines.add(cut(summary(builds, builds.size() - shown.size()), terminal.columns()));
        return lines;
    }

    /** Returns the number of builds in each state. */
    static String summary(Collection<NamedBuild> builds, int notShown) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        STATES.forEach(state -> counts.put(state, 0));
        builds.forEach(build -> counts.merge(build.progress().state(), 1, Integer::sum));
        StringJoiner text = new StringJoiner(", ");
        text.add(
                counts.remove("done") + " of " + builds.size() + (builds.size() == 1 ? " build done" : " builds done"));
        counts.forEach((state, count) -> {
            if (count > 0) {
                text.add(count + " " + state);
            }
        });
        if (notShown > 0) {
            text.add(notShown + " not shown");
        }
        return text.toString();
    }

    private static int rank(BuildProgress progress) {
        if (progress.isActive()) {
            return 0;
        }
        return progress.hasEnded() ? 2 : 1;
    }

    private static String cut(String text, int chars) {
        return text.length() <= chars ? text : text.substring(0, Math.max(0, chars - 1)) + "~";
    }
}
