package dev.offsetd.server.events;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.web.Representation;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.databind.JsonNode;

/**
 * An event in the log.
 *
 * @param kind a word that a later server may have written
 * @param build as in {@link NewEvent}
 */
public record Event(
        long id, Instant at, String kind, @Nullable BuildId build, List<String> sets, String title, JsonNode detail) {

    public Event {
        sets = List.copyOf(sets);
    }

    /** Writes the members of the event's object. */
    public void write(JsonGenerator out) {
        out.writeStringProperty("id", Long.toString(id));
        out.writeStringProperty("at", at.toString());
        out.writeStringProperty("kind", kind);
        if (build != null) {
            out.writeStringProperty("buildId", build.toString());
        }
        if (!sets.isEmpty()) {
            Representation.write(out, "sets", sets);
        }
        out.writeStringProperty("title", title);
        out.writeName("detail");
        try (JsonParser members = detail.traverse(ObjectReadContext.empty())) {
            members.nextToken();
            out.copyCurrentStructure(members);
        }
    }
}
