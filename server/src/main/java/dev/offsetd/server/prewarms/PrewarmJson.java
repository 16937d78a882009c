package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.operations.work.Priority;
import dev.offsetd.server.web.JsonObject;
import dev.offsetd.server.web.Representation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;

/** JSON of batches, in requests and answers. */
final class PrewarmJson {

    private static final String BUILDS = "builds";
    private static final String NAMES = "names";
    private static final String TYPES = "types";
    private static final String PRIORITY = "priority";
    private static final Set<String> DRAFT_MEMBERS = Set.of(BUILDS, NAMES, TYPES, PRIORITY);

    private PrewarmJson() {}

    /** Parses a body; 400 if it is malformed. */
    static PrewarmDraft draft(JsonNode body) {
        JsonObject draft = new JsonObject(body, "", PrewarmDraft::bad).only(DRAFT_MEMBERS);
        if (!draft.has(BUILDS)) {
            throw draft.bad(BUILDS, "an array of build-ids");
        }
        List<BuildId> builds = new ArrayList<>();
        for (String text : draft.texts(BUILDS)) {
            builds.add(draft.buildId(BUILDS + '[' + builds.size() + ']', text));
        }
        return new PrewarmDraft(
                builds,
                draft.has(NAMES) ? names(draft.object(NAMES), builds) : Map.of(),
                draft.texts(TYPES),
                draft.optionalText(PRIORITY)
                        .map(word -> Word.find(Priority.class, word)
                                .orElseThrow(() -> draft.bad(PRIORITY, "\"low\", \"normal\" or \"high\"")))
                        .orElse(Priority.NORMAL));
    }

    private static Map<BuildId, String> names(JsonObject given, List<BuildId> builds) {
        Set<BuildId> sent = new HashSet<>(builds);
        Map<BuildId, String> names = new HashMap<>();
        given.json().forEachEntry((key, name) -> {
            String path = name.stringValueOpt()
                    .filter(text -> !text.isBlank() && text.codePointCount(0, text.length()) <= PrewarmDraft.MAX_NAME)
                    .orElseThrow(() -> given.bad(key, "a path of 1 to " + PrewarmDraft.MAX_NAME + " characters"));
            BuildId id = given.buildId(given.place(key), key);
            if (!sent.contains(id)) {
                throw PrewarmDraft.bad(given.place(key), "build " + id + " is not among the builds");
            }
            names.put(id, path);
        });
        return names;
    }

    static void writeProperties(JsonGenerator out, Prewarm prewarm) {
        writeProperties(out, prewarm.summary());
        Representation.write(out, "items", prewarm.items(), PrewarmJson::writeItem);
    }

    /** Writes the properties of a batch without its items. */
    static void writeProperties(JsonGenerator out, PrewarmSummary prewarm) {
        out.writeStringProperty("id", prewarm.id().toString());
        out.writeStringProperty("state", prewarm.state().word());
        out.writeStringProperty(PRIORITY, prewarm.priority().word());
        Representation.write(out, TYPES, prewarm.types());
        out.writeStringProperty("createdAt", prewarm.createdAt().toString());
        out.writeStringProperty("createdBy", prewarm.createdBy());
        writeIfAny(out, "endedAt", prewarm.endedAt());
        out.writeBooleanProperty("complete", prewarm.complete());
        out.writeObjectPropertyStart("counts");
        PrewarmSummary.Counts counts = prewarm.counts();
        out.writeNumberProperty("waiting", counts.waiting());
        out.writeNumberProperty("fetching", counts.fetching());
        out.writeNumberProperty("extracting", counts.extracting());
        out.writeNumberProperty("done", counts.done());
        out.writeNumberProperty("failed", counts.failed());
        out.writeNumberProperty("cancelled", counts.cancelled());
        out.writeEndObject();
    }

    private static void writeItem(JsonGenerator out, PrewarmItem item) {
        out.writeStringProperty("buildId", item.buildId().toString());
        if (item.name() != null) {
            out.writeStringProperty("name", item.name());
        }
        out.writeStringProperty("state", item.state().word());
        writeIfAny(out, "bytes", item.bytes());
        writeIfAny(out, "totalBytes", item.totalBytes());
        out.writeNumberProperty("attempts", item.attempts());
        writeIfAny(out, "nextAttemptAt", item.nextAttemptAt());
        PrewarmItem.Cause cause = item.cause();
        if (cause != null) {
            out.writeObjectPropertyStart("cause");
            out.writeStringProperty("code", cause.code());
            out.writeStringProperty("detail", cause.detail());
            out.writeEndObject();
        }
        item.reply().ifPresent(reply -> out.writeStringProperty("answer", reply.word()));
        PrewarmItem.Result result = item.result();
        if (result != null) {
            out.writeBooleanProperty("complete", result.complete());
            if (!result.coverage().isEmpty()) {
                out.writeObjectPropertyStart("coverage");
                result.coverage().forEach((set, share) -> write(out, set, share));
                out.writeEndObject();
            }
            if (!result.missing().isEmpty()) {
                Representation.write(out, "missing", result.missing());
            }
        }
    }

    private static void write(JsonGenerator out, String set, PrewarmItem.Result.SetShare share) {
        out.writeObjectPropertyStart(set);
        write(out, "required", share.required());
        write(out, "optional", share.optional());
        Representation.write(out, "missing", share.missing());
        out.writeEndObject();
    }

    private static void write(JsonGenerator out, String name, Coverage.Share share) {
        out.writeObjectPropertyStart(name);
        out.writeNumberProperty("found", share.found());
        out.writeNumberProperty("of", share.of());
        out.writeEndObject();
    }

    private static void writeIfAny(JsonGenerator out, String name, @Nullable Instant time) {
        if (time != null) {
            out.writeStringProperty(name, time.toString());
        }
    }

    private static void writeIfAny(JsonGenerator out, String name, @Nullable Long number) {
        if (number != null) {
            out.writeNumberProperty(name, number);
        }
    }
}
