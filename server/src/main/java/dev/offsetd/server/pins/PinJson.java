package dev.offsetd.server.pins;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.bundle.PinnedValueWriter;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.web.JsonObject;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** JSON of pins in the API, in the audit log and in the database. */
final class PinJson {

    private static final String BUILD_ID = "buildId";
    private static final String ITEM = "item";
    private static final String VALUE = "value";
    private static final String REASON = "reason";
    private static final String EXPIRES_AT = "expiresAt";

    private static final String EXTRACTED = "extracted";
    private static final String FROM = "from";
    private static final String TO = "to";

    private static final Set<String> OF_ACKNOWLEDGEMENT = Set.of(REASON, EXTRACTED);
    private static final Set<String> OF_COPY = Set.of(FROM, TO);
    private static final Set<String> OF_DRAFT = Set.of(BUILD_ID, ITEM, VALUE, REASON, EXPIRES_AT);

    private PinJson() {}

    /** Returns a pin for the audit log. */
    static JsonNode tree(Pin pin) {
        return JsonMapper.shared().readTree(Representation.JSON.object(out -> writeProperties(out, pin)));
    }

    /** Returns a value for the database. */
    static String text(PinnedValue value) {
        return new String(
                Representation.JSON.object(out -> PinnedValueWriter.writeProperties(out, value)),
                StandardCharsets.UTF_8);
    }

    /** Parses the output of {@link #text}. */
    static PinnedValue ofText(String text) {
        return value(new JsonObject(JsonMapper.shared().readTree(text), VALUE, PinProblems::bad));
    }

    /** Writes a pin into the object that is open. */
    static void writeProperties(JsonGenerator out, Pin pin) {
        out.writeStringProperty("id", pin.id().toString());
        writeDraft(out, pin.draft());
        out.writeStringProperty("state", pin.state().word());
        out.writeStringProperty("author", pin.author());
        out.writeStringProperty("createdAt", pin.createdAt().toString());
        out.writeStringProperty("editedBy", pin.editedBy());
        out.writeStringProperty("editedAt", pin.editedAt().toString());
        out.writeNumberProperty("revision", pin.revision());
        out.writeStringProperty("agreement", pin.agreement().word());
        PinnedValue extracted = pin.extracted();
        if (extracted != null) {
            out.writeName(EXTRACTED);
            PinnedValueWriter.write(out, extracted);
        }
        PinnedValue seen = pin.seen();
        if (seen != null) {
            out.writeName("seen");
            PinnedValueWriter.write(out, seen);
        }
        Pin.Review review = pin.review();
        if (review != null) {
            out.writeStringProperty("review", review.word());
        }
        if (pin.acknowledged() != null) {
            out.writeStringProperty("acknowledged", pin.acknowledged());
        }
    }

    /** Writes a revision as an object. */
    static void write(JsonGenerator out, Pin.Revision revision) {
        out.writeStartObject();
        out.writeNumberProperty("revision", revision.revision());
        out.writeStringProperty("action", revision.action());
        out.writeStringProperty("who", revision.who());
        out.writeStringProperty("at", revision.at().toString());
        writeDraft(out, revision.draft());
        out.writeStringProperty("state", revision.state().word());
        if (revision.acknowledged() != null) {
            out.writeStringProperty("acknowledged", revision.acknowledged());
        }
        out.writeEndObject();
    }

    private static void writeDraft(JsonGenerator out, PinDraft draft) {
        out.writeStringProperty(BUILD_ID, draft.buildId().toString());
        out.writeStringProperty(ITEM, draft.item());
        out.writeName(VALUE);
        PinnedValueWriter.write(out, draft.value());
        out.writeStringProperty(REASON, draft.reason());
        Instant expiresAt = draft.expiresAt();
        if (expiresAt != null) {
            out.writeStringProperty(EXPIRES_AT, expiresAt.toString());
        }
    }

    /**
     * Parses the draft in a request body.
     *
     * @param pinned the build of the pin, which the body may leave out; null for a new pin
     * @throws ProblemException if the body is invalid: 400, with the location
     */
    static PinDraft draft(JsonNode body, @Nullable BuildId pinned) {
        JsonObject draft = object(body).only(OF_DRAFT);
        return new PinDraft(
                pinned != null && !draft.has(BUILD_ID) ? pinned : draft.buildId(BUILD_ID),
                draft.text(ITEM),
                value(draft.object(VALUE)),
                draft.text(REASON),
                expiry(draft));
    }

    private static JsonObject object(JsonNode body) {
        return new JsonObject(body, "", PinProblems::bad);
    }

    /** Source and target of a copy. */
    record Copy(BuildId from, BuildId to) {}

    /**
     * Parses the builds in a request body.
     *
     * @throws ProblemException if the body is invalid: 400, with the location
     */
    static Copy copy(JsonNode body) {
        JsonObject copy = object(body).only(OF_COPY);
        return new Copy(copy.buildId(FROM), copy.buildId(TO));
    }

    /**
     * Parses the body of an acknowledgement.
     *
     * @throws ProblemException if the body is invalid: 400, with the location
     */
    static Pin.Acknowledgement acknowledgement(JsonNode body) {
        JsonObject acknowledgement = object(body).only(OF_ACKNOWLEDGEMENT);
        JsonNode shown = body.path(EXTRACTED);
        String text =
                shown.isNull() ? "" : shown.isMissingNode() ? null : text(value(acknowledgement.object(EXTRACTED)));
        return new Pin.Acknowledgement(acknowledgement.text(REASON), text);
    }

    private static @Nullable Instant expiry(JsonObject draft) {
        if (!draft.json().hasNonNull(EXPIRES_AT)) {
            return null;
        }
        try {
            return OffsetDateTime.parse(draft.text(EXPIRES_AT)).toInstant();
        } catch (DateTimeParseException e) {
            throw draft.bad(EXPIRES_AT, "a time such as 2030-01-31T12:00:00Z");
        }
    }

    /** Parses a member's value if it has an offset, else a type's. */
    private static PinnedValue value(JsonObject json) {
        if (json.has("offset")) {
            return place(json);
        }
        json.only(PinnedValueWriter.TYPE_PROPERTIES);
        Map<String, PinnedValue.OfMember> members = new LinkedHashMap<>();
        if (json.has("members")) {
            JsonObject given = json.object("members");
            given.json().propertyNames().forEach(name -> members.put(name, place(given.object(name))));
        }
        return new PinnedValue.OfType(json.integer("size"), members);
    }

    private static PinnedValue.OfMember place(JsonObject json) {
        json.only(PinnedValueWriter.MEMBER_PROPERTIES);
        return new PinnedValue.OfMember(
                json.integer("offset"),
                json.integer("size"),
                json.has("bitOffset") || json.has("bitSize")
                        ? new PinnedValue.Bits(json.integer("bitOffset"), bitSize(json))
                        : null,
                json.optionalText("type").orElse(null));
    }

    private static int bitSize(JsonObject json) {
        long bits = json.integer("bitSize");
        if (bits < 1 || bits > Integer.MAX_VALUE) {
            throw json.bad("bitSize", "at least 1");
        }
        return (int) bits;
    }
}
