package dev.offsetd.server.events;

import dev.offsetd.extractor.builds.BuildId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An event before it has a number.
 *
 * @param build that the event is about; null for none
 * @param sets type sets that the event is about
 * @param title the event in one line, without secrets: readers of the log need no special right
 * @param detail members of the JSON object with more about it, of values that Jackson writes
 */
public record NewEvent(
        EventKind kind, @Nullable BuildId build, List<String> sets, String title, Map<String, Object> detail) {

    public NewEvent {
        sets = List.copyOf(sets);
    }
}
