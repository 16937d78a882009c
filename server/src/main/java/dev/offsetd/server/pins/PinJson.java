package dev.offsetd.server.pins;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
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
    private static final String OFFSET = "offset";
    private static final String SIZE = "size";
    private static final String BIT_OFFSET = "bitOffset";
    private static final String BIT_SIZE = "bitSize";
    private static final String TYPE = "type";
    private static final String MEMBERS = "members";

    private static final String EXTRACTED = "extracted";
    private static final String FROM = "from";
    private static final String TO = "to";

    private static final Set<String> OF_ACKNOWLEDGEMENT = new TreeSet<>(Set.of(REASON, EXTRACTED));
    private static final Set<String> OF_COPY = new TreeSet<>(Set.of(FROM, TO));
    private static final Set<String> OF_DRAFT = new TreeSet<>(Set.of(BUILD_ID, ITEM, VALUE, REASON, EXPIRES_AT));
    private static final Set<String> OF_PLACE = new TreeSet<>(Set.of(OFFSET, SIZE, BIT_OFFSET, BIT_SIZE, TYPE));
    private static final Set<String> OF_TYPE = new TreeSet<>(Set.of(SIZE, MEMBERS));

    private PinJson() {}

    /** Returns a pin for the audit log. */
    static JsonNode tree(Pin pin) {
        return JsonMapper.shared().readTree(Representation.JSON.object(out -> writeProperties(out, pin)));
    }

    /** Returns a value for the database. */
    static String text(PinnedValue value) {
        return new String(Representation.JSON.object(out -> writeMembers(out, value)), StandardCharsets.UTF_8);
    }

    /** Parses the output of {@link #text}. */
    static PinnedValue ofText(String text) {
        return value(JsonMapper.shared().readTree(text), VALUE);
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
            writeValue(out, extracted);
        }
        PinnedValue seen = pin.seen();
        if (seen != null) {
            out.writeName("seen");
            writeValue(out, seen);
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
    static void write(JsonGenerator out, PinRevision revision) {
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
        writeValue(out, draft.value());
        out.writeStringProperty(REASON, draft.reason());
        Instant expiresAt = draft.expiresAt();
        if (expiresAt != null) {
            out.writeStringProperty(EXPIRES_AT, expiresAt.toString());
        }
    }

    /** Writes a value as an object. */
    static void writeValue(JsonGenerator out, PinnedValue value) {
        out.writeStartObject();
        writeMembers(out, value);
        out.writeEndObject();
    }

    private static void writeMembers(JsonGenerator out, PinnedValue value) {
        switch (value) {
            case PinnedValue.OfMember(long offset, long size, PinnedValue.Bits bits, String type) -> {
                out.writeNumberProperty(OFFSET, offset);
                out.writeNumberProperty(SIZE, size);
                if (bits != null) {
                    out.writeNumberProperty(BIT_OFFSET, bits.bitOffset());
                    out.writeNumberProperty(BIT_SIZE, bits.bitSize());
                }
                if (type != null) {
                    out.writeStringProperty(TYPE, type);
                }
            }
            case PinnedValue.OfType(long size, Map<String, PinnedValue.OfMember> members) -> {
                out.writeNumberProperty(SIZE, size);
                if (!members.isEmpty()) {
                    out.writeObjectPropertyStart(MEMBERS);
                    members.forEach((name, place) -> {
                        out.writeName(name);
                        writeValue(out, place);
                    });
                    out.writeEndObject();
                }
            }
        }
    }

    /**
     * Parses the draft in a request body.
     *
     * @param pinned the build of the pin, which the body may leave out; null for a new pin
     * @throws ProblemException if the body is invalid: 400, with the location
     */
    static PinDraft draft(JsonNode body, @Nullable BuildId pinned) {
        requireMembers(body, "", OF_DRAFT);
        BuildId id = pinned != null && body.path(BUILD_ID).isMissingNode()
                ? pinned
                : buildId(BUILD_ID, string(body, "", BUILD_ID));
        return new PinDraft(
                id,
                string(body, "", ITEM),
                value(required(body, "", VALUE), VALUE),
                string(body, "", REASON),
                expiry(body));
    }

    private static BuildId buildId(String place, String text) {
        try {
            return BuildId.parseKey(text);
        } catch (IllegalArgumentException e) {
            throw PinProblems.bad(place, place + " " + HostileText.quote(text) + ": " + e.getMessage());
        }
    }

    /** Source and target of a copy. */
    record Copy(BuildId from, BuildId to) {}

    /**
     * Parses the builds in a request body.
     *
     * @throws ProblemException if the body is invalid: 400, with the location
     */
    static Copy copy(JsonNode body) {
        requireMembers(body, "", OF_COPY);
        return new Copy(buildId(FROM, string(body, "", FROM)), buildId(TO, string(body, "", TO)));
    }

    /**
     * Parses the body of an acknowledgement.
     *
     * @throws ProblemException if the body is invalid: 400, with the location
     */
    static Acknowledgement acknowledgement(JsonNode body) {
        requireMembers(body, "", OF_ACKNOWLEDGEMENT);
        JsonNode shown = body.path(EXTRACTED);
        String text = shown.isNull() ? "" : shown.isMissingNode() ? null : text(value(shown, EXTRACTED));
        return new Acknowledgement(string(body, "", REASON), text);
    }

    private static @Nullable Instant expiry(JsonNode body) {
        JsonNode given = body.path(EXPIRES_AT);
        if (given.isMissingNode() || given.isNull()) {
            return null;
        }
        String text = string(body, "", EXPIRES_AT);
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException e) {
            throw bad(EXPIRES_AT, HostileText.quote(text), "a time such as 2030-01-31T12:00:00Z");
        }
    }

    /** Parses a member's value if it has an offset, else a type's. */
    private static PinnedValue value(JsonNode json, String at) {
        if (json.path(OFFSET).isMissingNode()) {
            requireMembers(json, at, OF_TYPE);
            Map<String, PinnedValue.OfMember> members = new LinkedHashMap<>();
            JsonNode given = json.path(MEMBERS);
            if (!given.isMissingNode()) {
                if (!given.isObject()) {
                    throw bad(
                            at + '.' + MEMBERS,
                            HostileText.quote(given.toString()),
                            "an object of member names and placements");
                }
                given.forEachEntry((name, place) -> members.put(name, place(place, within(at + '.' + MEMBERS, name))));
            }
            return new PinnedValue.OfType(number(json, at, SIZE), members);
        }
        return place(json, at);
    }

    private static PinnedValue.OfMember place(JsonNode json, String at) {
        requireMembers(json, at, OF_PLACE);
        boolean isBitField =
                !json.path(BIT_OFFSET).isMissingNode() || !json.path(BIT_SIZE).isMissingNode();
        return new PinnedValue.OfMember(
                number(json, at, OFFSET),
                number(json, at, SIZE),
                isBitField ? new PinnedValue.Bits(number(json, at, BIT_OFFSET), bitSize(json, at)) : null,
                json.path(TYPE).isMissingNode() ? null : string(json, at, TYPE));
    }

    private static int bitSize(JsonNode json, String at) {
        long bits = number(json, at, BIT_SIZE);
        if (bits < 1 || bits > Integer.MAX_VALUE) {
            throw bad(at + '.' + BIT_SIZE, Long.toString(bits), "at least 1");
        }
        return (int) bits;
    }

    private static long number(JsonNode json, String at, String name) {
        JsonNode value = required(json, at, name);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw bad(within(at, name), HostileText.quote(value.toString()), "an integer");
        }
        return value.longValue();
    }

    private static String string(JsonNode json, String at, String name) {
        JsonNode value = required(json, at, name);
        return value.stringValueOpt()
                .orElseThrow(() -> bad(within(at, name), HostileText.quote(value.toString()), "a string"));
    }

    private static JsonNode required(JsonNode json, String at, String name) {
        JsonNode value = json.path(name);
        if (value.isMissingNode()) {
            throw PinProblems.bad(within(at, name), within(at, name) + " is missing");
        }
        return value;
    }

    private static void requireMembers(JsonNode json, String at, Set<String> known) {
        if (!json.isObject()) {
            throw bad(at.isEmpty() ? "body" : at, HostileText.quote(json.toString()), "an object");
        }
        JsonBody.unexpectedMember(json, known).ifPresent(name -> {
            throw PinProblems.bad(
                    within(at, name),
                    "member " + HostileText.quote(within(at, name)) + "; expected " + String.join(", ", known));
        });
    }

    /** Returns the location of a member for a message, quoted if the untrusted name has control characters. */
    static String within(String at, String name) {
        String shown = name.chars().anyMatch(Character::isISOControl) ? HostileText.quote(name) : name;
        return at.isEmpty() ? shown : at + '.' + shown;
    }

    private static ProblemException bad(String place, String value, String expected) {
        return PinProblems.bad(place, place + " is " + value + "; expected " + expected);
    }
}
