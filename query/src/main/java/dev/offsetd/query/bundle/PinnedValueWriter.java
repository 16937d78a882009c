package dev.offsetd.query.bundle;

import dev.offsetd.query.overlay.PinnedValue;
import java.util.Map;
import java.util.Set;
import tools.jackson.core.JsonGenerator;

/** Writes pinned values, which are the same in the API, in the database and in bundles. */
public final class PinnedValueWriter {

    public static final Set<String> MEMBER_PROPERTIES = Set.of("offset", "size", "bitOffset", "bitSize", "type");
    public static final Set<String> TYPE_PROPERTIES = Set.of("size", "members");

    private PinnedValueWriter() {}

    /** Writes a value as an object. */
    public static void write(JsonGenerator out, PinnedValue value) {
        out.writeStartObject();
        writeProperties(out, value);
        out.writeEndObject();
    }

    /** Writes a value into the object that is open. */
    public static void writeProperties(JsonGenerator out, PinnedValue value) {
        switch (value) {
            case PinnedValue.OfMember(long offset, long size, PinnedValue.Bits bits, String type) -> {
                out.writeNumberProperty("offset", offset);
                out.writeNumberProperty("size", size);
                if (bits != null) {
                    out.writeNumberProperty("bitOffset", bits.bitOffset());
                    out.writeNumberProperty("bitSize", bits.bitSize());
                }
                if (type != null) {
                    out.writeStringProperty("type", type);
                }
            }
            case PinnedValue.OfType(long size, Map<String, PinnedValue.OfMember> members) -> {
                out.writeNumberProperty("size", size);
                if (!members.isEmpty()) {
                    out.writeObjectPropertyStart("members");
                    members.forEach((name, member) -> {
                        out.writeName(name);
                        write(out, member);
                    });
                    out.writeEndObject();
                }
            }
        }
    }
}
