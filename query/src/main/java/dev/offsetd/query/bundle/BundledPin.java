package dev.offsetd.query.bundle;

import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.overlay.PinnedItem;
import dev.offsetd.query.overlay.PinnedValue;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * An active pin of a bundled build.
 *
 * @param id of the pin on the server that made the bundle
 * @param author who made it there
 * @param pinnedAt time of its last edit
 * @param expiresAt null if it does not expire
 */
public record BundledPin(
        String id,
        String item,
        PinnedValue value,
        String reason,
        String author,
        Instant pinnedAt,
        @Nullable Instant expiresAt) {

    private static final int MAX_ITEM_CHARS = 4_000;
    private static final int MAX_TEXT_CHARS = 4_000;
    private static final int MAX_ID_CHARS = 64;

    /** Returns whether the pin is still in effect. */
    public boolean isActive(Instant now) {
        return expiresAt == null || expiresAt.isAfter(now);
    }

    /** Returns the overrides of pins, by the keys of their provenance in answers. */
    public static List<PinnedItem> pinned(SequencedMap<String, BundledPin> pins) {
        return pins.entrySet().stream()
                .map(entry -> entry.getValue().pinned(entry.getKey()))
                .toList();
    }

    private PinnedItem pinned(String source) {
        return new PinnedItem(source, ItemParser.parse(item), value);
    }

    /** Writes the members of the pin in the provenance of an answer. */
    public void writeProvenance(JsonGenerator out, String key) {
        out.writeObjectPropertyStart(key);
        out.writeStringProperty("origin", "pin");
        out.writeStringProperty("pin", id);
        out.writeStringProperty("reason", reason);
        out.writeStringProperty("author", author);
        out.writeStringProperty("pinnedAt", pinnedAt.toString());
        if (expiresAt != null) {
            out.writeStringProperty("expiresAt", expiresAt.toString());
        }
        out.writeEndObject();
    }

    void write(JsonGenerator out) {
        out.writeStartObject();
        out.writeStringProperty("id", id);
        out.writeStringProperty("item", item);
        out.writeName("value");
        PinnedValueWriter.write(out, value);
        out.writeStringProperty("reason", reason);
        out.writeStringProperty("author", author);
        out.writeStringProperty("pinnedAt", pinnedAt.toString());
        if (expiresAt != null) {
            out.writeStringProperty("expiresAt", expiresAt.toString());
        }
        out.writeEndObject();
    }

    static BundledPin read(BundleJson json) throws BundleException {
        BundledPin pin = new BundledPin(
                json.string("id", MAX_ID_CHARS),
                json.string("item", MAX_ITEM_CHARS),
                value(json.object("value")),
                json.string("reason", MAX_TEXT_CHARS),
                json.string("author", MAX_TEXT_CHARS),
                json.time("pinnedAt"),
                json.optionalTime("expiresAt").orElse(null));
        try {
            pin.pinned(pin.id);
        } catch (ItemSyntaxException | IllegalArgumentException e) {
            throw json.wrong("item", "the item of a pin, and a value that fits it: " + e.getMessage());
        }
        return pin;
    }

    private static PinnedValue value(BundleJson json) throws BundleException {
        if (json.has("offset")) {
            return member(json);
        }
        json.only(PinnedValueWriter.TYPE_PROPERTIES);
        Map<String, PinnedValue.OfMember> members = new LinkedHashMap<>();
        if (json.has("members")) {
            BundleJson given = json.object("members");
            for (String name : given.members().keySet()) {
                members.put(name, member(given.object(name)));
            }
        }
        return new PinnedValue.OfType(json.integer("size", Long.MAX_VALUE), members);
    }

    private static PinnedValue.OfMember member(BundleJson json) throws BundleException {
        json.only(PinnedValueWriter.MEMBER_PROPERTIES);
        return new PinnedValue.OfMember(
                json.integer("offset", Long.MAX_VALUE),
                json.integer("size", Long.MAX_VALUE),
                json.has("bitOffset") || json.has("bitSize")
                        ? new PinnedValue.Bits(json.integer("bitOffset", Long.MAX_VALUE), (int)
                                json.integer("bitSize", Integer.MAX_VALUE))
                        : null,
                json.optionalString("type", PinnedValue.MAX_TYPE_CHARS).orElse(null));
    }
}
