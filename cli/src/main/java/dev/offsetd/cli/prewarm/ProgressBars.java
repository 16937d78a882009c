package dev.offsetd.cli.prewarm;

import dev.offsetd.cli.terminal.TerminalSize;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/**
 * What a terminal shows of a batch: a bar for each build, and a line about all. Where there are more builds than lines, those
 * that the server is at work on come first, and the rest is only counted.
 */
final class ProgressBars {

    private static final int MAX_NAME_CHARS = 32;
    private static final int ID_CHARS = 8;
    private static final int BAR_CHARS = 20;

    /** The states in the order in which a build goes through them. */
    private static final List<String> STATES =
            List.of("done", "failed", "cancelled", "fetching", "extracting", "waiting");

    private ProgressBars() {}

    /** A build with its name. */
    record Named(String name, Progress progress) {}

    /** Lines for this terminal, fewer than it has. */
    static List<String> lines(Collection<Named> builds, TerminalSize terminal) {
        int room = Math.max(1, terminal.rows() - 2);
        List<Named> shown = new ArrayList<>(builds);
        if (shown.size() > room) {
            shown.sort(Comparator.comparingInt(build -> rank(build.progress())));
            shown = shown.subList(0, room);
        }
        int nameChars = shown.stream().mapToInt(build -> build.name().length()).reduce(1, Math::max);
        int width = Math.min(nameChars, MAX_NAME_CHARS);
        List<String> lines = new ArrayList<>();
        for (Named build : shown) {
            lines.add(cut(
                    String.format(
                            "%-" + width + "s  %s  %s",
                            cut(build.name(), width),
                            build.progress().buildId().toString().substring(0, ID_CHARS),
                            build.progress().bar(BAR_CHARS)),
                    terminal.columns()));
        }
        lines.add(cut(summary(builds, builds.size() - shown.size()), terminal.columns()));
        return lines;
    }

    /** How many are where. */
    static String summary(Collection<Named> builds, int notShown) {
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

    private static int rank(Progress progress) {
        if (progress.isActive()) {
            return 0;
        }
        return progress.hasEnded() ? 2 : 1;
    }

    private static String cut(String text, int chars) {
        return text.length() <= chars ? text : text.substring(0, Math.max(0, chars - 1)) + "~";
    }
}
