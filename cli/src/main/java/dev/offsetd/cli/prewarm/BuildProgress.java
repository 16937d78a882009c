package dev.offsetd.cli.prewarm;

import dev.offsetd.cli.terminal.TextTable;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.answer.ByteCount;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Progress of one build in {@code GET /v1/prewarms/{id}}.
 *
 * @param state the server's word
 * @param bytes fetched so far; null if nothing is being fetched
 * @param totalBytes size of the file; null if the source does not announce it
 * @param item the server's JSON of the build
 */
record BuildProgress(
        BuildId buildId,
        String state,
        @Nullable Long bytes,
        @Nullable Long totalBytes,
        JsonNode item) {

    private static final String DONE = "done";
    private static final String WAITING = "waiting";

    /** Parses an item; empty if it does not conform to the API. */
    static Optional<BuildProgress> of(JsonNode item) {
        String state = item.path("state").asString("");
        if (state.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new BuildProgress(
                    BuildId.parseKey(item.path("buildId").asString("")),
                    state,
                    number(item.path("bytes")),
                    number(item.path("totalBytes")),
                    item));
        } catch (IllegalArgumentException noBuildId) {
            return Optional.empty();
        }
    }

    private static @Nullable Long number(JsonNode node) {
        return node.canConvertToLong() ? node.asLong() : null;
    }

    boolean isDone() {
        return state.equals(DONE);
    }

    boolean hasEnded() {
        return switch (state) {
            case WAITING, "fetching", "extracting" -> false;
            default -> true;
        };
    }

    boolean isActive() {
        return !hasEnded() && !state.equals(WAITING);
    }

    /**
     * Returns whether the build has everything that was requested.
     *
     * @param bounds required shares of sets, instead of all
     */
    boolean satisfies(List<FailUnder> bounds) {
        if (!isDone()) {
            return false;
        }
        for (FailUnder bound : bounds) {
            JsonNode required = item.path("coverage").path(bound.set()).path("required");
            if (!required.isObject()
                    || !bound.allows(
                            required.path("found").asLong(0),
                            required.path("of").asLong(0))) {
                return false;
            }
        }
        if (bounds.isEmpty()) {
            return item.path("complete").asBoolean(false);
        }
        return item.path("missing").isEmpty()
                && item.path("coverage").properties().stream()
                        .filter(set ->
                                bounds.stream().noneMatch(bound -> bound.set().equals(set.getKey())))
                        .allMatch(set -> isWhole(set.getValue()));
    }

    private static boolean isWhole(JsonNode coverage) {
        JsonNode required = coverage.path("required");
        return required.path("found").asLong(0) >= required.path("of").asLong(0);
    }

    /** The coverage of each set, and other missing items. */
    String coverage() {
        StringJoiner text = new StringJoiner(", ");
        for (Map.Entry<String, JsonNode> set : item.path("coverage").properties()) {
            JsonNode required = set.getValue().path("required");
            text.add(set.getKey() + " " + required.path("found").asLong(0) + " of "
                    + required.path("of").asLong(0));
        }
        for (JsonNode missing : item.path("missing")) {
            text.add("no " + missing.asString("?"));
        }
        return text.toString();
    }

    /** The cause of the last failure, or an empty string. */
    String cause() {
        JsonNode cause = item.path("cause");
        String code = cause.path("code").asString("");
        String detail = cause.path("detail").asString("");
        return code + (code.isEmpty() || detail.isEmpty() ? "" : ": ") + detail;
    }

    String outcome() {
        String why = isDone() ? coverage() : cause();
        return why.isEmpty() ? state : state + ", " + why;
    }

    /** Returns a progress bar of this width, and the bytes or the state. */
    String bar(int width) {
        if (hasEnded()) {
            return "[" + (isDone() ? "#" : " ").repeat(width) + "] " + state;
        }
        if (bytes == null) {
            return "[" + (state.equals("extracting") ? "#" : ".").repeat(width) + "] " + state + again();
        }
        if (totalBytes == null || totalBytes <= 0) {
            return "[" + "?".repeat(width) + "] " + ByteCount.text(bytes) + ", " + state;
        }
        return TextTable.bar(bytes, totalBytes, width);
    }

    private String again() {
        String cause = cause();
        return state.equals(WAITING) && !cause.isEmpty()
                ? String.format(
                        Locale.ROOT,
                        " for attempt %d, %s",
                        item.path("attempts").asInt(0) + 1,
                        cause)
                : "";
    }
}
