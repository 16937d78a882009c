package dev.offsetd.server.events;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.operations.Word;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * Events that a reader wants; empty lists are for all.
 *
 * @param kinds words of kinds
 * @param sets names of type sets; an event has one of them
 */
public record EventFilter(List<String> kinds, List<String> sets) {

    public EventFilter {
        kinds = List.copyOf(kinds);
        sets = List.copyOf(sets);
    }

    /**
     * Returns the filter of these words.
     *
     * @param problem makes the exception of a kind that is unknown from the text of it and what is expected
     */
    public static EventFilter of(
            List<String> kinds, List<String> sets, BiFunction<String, String, ? extends RuntimeException> problem) {
        for (String kind : kinds) {
            if (Word.find(EventKind.class, kind).isEmpty()) {
                throw problem.apply(
                        "kind " + HostileText.quote(kind),
                        Arrays.stream(EventKind.values()).map(EventKind::word).collect(Collectors.joining(", ")));
            }
        }
        return new EventFilter(kinds, sets);
    }
}
