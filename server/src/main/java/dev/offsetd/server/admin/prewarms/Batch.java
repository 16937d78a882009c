package dev.offsetd.server.admin.prewarms;

import dev.offsetd.server.admin.shell.Figures;
import dev.offsetd.server.admin.shell.Moment;
import dev.offsetd.server.prewarms.PrewarmCounts;
import dev.offsetd.server.prewarms.PrewarmState;
import dev.offsetd.server.prewarms.PrewarmSummary;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch as pages show it.
 *
 * @param state in a word
 * @param badge class of its badge
 * @param ended how many of its builds have a result
 * @param told how many of its builds are in which state, in words
 * @param types what is looked up in its builds; empty if nothing is
 */
record Batch(
        String id,
        String state,
        String badge,
        boolean active,
        int ended,
        int total,
        String told,
        String types,
        String priority,
        String by,
        Moment created,
        @Nullable Moment endedAt) {

    static Batch of(PrewarmSummary prewarm) {
        PrewarmCounts counts = prewarm.counts();
        boolean active = prewarm.state() == PrewarmState.ACTIVE;
        String state = switch (prewarm.state()) {
            case ACTIVE -> "active";
            case CANCELLED -> "cancelled";
            case DONE -> prewarm.complete() ? "complete" : counts.failed() > 0 ? "with failures" : "incomplete";
        };
        String badge = switch (prewarm.state()) {
            case ACTIVE -> "badge-info";
            case CANCELLED -> "badge-quiet";
            case DONE -> prewarm.complete() ? "badge-ok" : "badge-warn";
        };
        return new Batch(
                prewarm.id().toString(),
                state,
                badge,
                active,
                counts.total() - counts.unfinished(),
                counts.total(),
                told(counts),
                String.join(", ", prewarm.types()),
                prewarm.priority().word(),
                prewarm.createdBy(),
                Moment.of(prewarm.createdAt()),
                Moment.orNull(prewarm.endedAt()));
    }

    private static String told(PrewarmCounts counts) {
        List<String> parts = new ArrayList<>();
        add(parts, counts.done(), "done");
        add(parts, counts.failed(), "failed");
        add(parts, counts.extracting(), "extracting");
        add(parts, counts.fetching(), "fetching");
        add(parts, counts.waiting(), "waiting");
        add(parts, counts.cancelled(), "cancelled");
        return String.join(", ", parts);
    }

    private static void add(List<String> parts, int count, String state) {
        if (count > 0) {
            parts.add(Figures.count(count) + " " + state);
        }
    }
}
