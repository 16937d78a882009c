package dev.offsetd.query.diff;

import dev.offsetd.extractor.layout.PinMark;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.PinsInEffect;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Writes differences as JSON, or in whatever form the generator has. Offsets and sizes are bytes from the start of the type,
 * {@code bitOffset} and {@code bitSize} are bits in memory order. What is not known is left out.
 */
public final class DiffWriter {

    private DiffWriter() {}

    /** Whether nothing differs, and everything that was asked for was found. */
    public static boolean isSame(List<TypeDiff> diffs) {
        return diffs.stream().allMatch(diff -> diff.status() == TypeDiff.Status.SAME);
    }

    /** Writes an array of the types. */
    public static void writeTypes(JsonGenerator out, List<TypeDiff> diffs) {
        out.writeStartArray();
        for (TypeDiff diff : diffs) {
            out.writeStartObject();
            out.writeStringProperty("type", diff.name());
            out.writeStringProperty("status", diff.status().word());
            if (diff.detail() != null) {
                out.writeStringProperty("detail", diff.detail());
            }
            writeSide(out, "from", diff.from());
            writeSide(out, "to", diff.to());
            if (!diff.members().isEmpty()) {
                out.writeArrayPropertyStart("members");
                diff.members().forEach(member -> writeMember(out, member));
                out.writeEndArray();
            }
            if (!diff.enumerators().isEmpty()) {
                out.writeArrayPropertyStart("enumerators");
                diff.enumerators().forEach(enumerator -> writeEnumerator(out, enumerator));
                out.writeEndArray();
            }
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private static void writeSide(JsonGenerator out, String name, TypeDiff.@Nullable Side side) {
        if (side == null) {
            return;
        }
        out.writeObjectPropertyStart(name);
        out.writeStringProperty("kind", side.kind());
        if (side.place() == null) {
            writeSize(out, side.size());
            if (side.pinned() != null) {
                writePin(out, side.pinned().pin(), side.pinned().extent());
            }
        } else {
            writePlaceProperties(out, side.place());
        }
        out.writeEndObject();
    }

    private static void writeMember(JsonGenerator out, MemberChange member) {
        out.writeStartObject();
        out.writeStringProperty("member", member.name());
        out.writeArrayPropertyStart("changes");
        member.kinds().forEach(kind -> out.writeString(kind.word()));
        out.writeEndArray();
        writePlace(out, "from", member.from());
        writePlace(out, "to", member.to());
        out.writeEndObject();
    }

    private static void writePlace(JsonGenerator out, String name, @Nullable Place place) {
        if (place == null) {
            return;
        }
        out.writeObjectPropertyStart(name);
        writePlaceProperties(out, place);
        out.writeEndObject();
    }

    private static void writePlaceProperties(JsonGenerator out, Place place) {
        if (place.bitOffset() != null) {
            out.writeNumberProperty("offset", Math.floorDiv(place.bitOffset(), Byte.SIZE));
        }
        writeSize(out, place.size());
        if (place.isBitField()) {
            if (place.bitOffset() != null) {
                out.writeNumberProperty("bitOffset", place.bitOffset());
            }
            out.writeNumberProperty("bitSize", place.bitSize());
        }
        out.writeStringProperty("type", place.type());
        if (place.pinned() != null) {
            writePin(out, place.pinned().pin(), place.pinned().extent());
        }
    }

    private static void writePin(JsonGenerator out, PinMark pin, PinMark.@Nullable Extent extracted) {
        out.writeStringProperty("source", pin.source());
        out.writeName("extracted");
        PinsInEffect.write(out, extracted);
    }

    /** The marks of all pins that had a say in what is told of the older build, in the order of their items. */
    public static List<PinMark> pinsFrom(List<TypeDiff> diffs) {
        return pins(diffs, TypeDiff::from, MemberChange::from);
    }

    /** The marks of all pins that had a say in what is told of the newer build, in the order of their items. */
    public static List<PinMark> pinsTo(List<TypeDiff> diffs) {
        return pins(diffs, TypeDiff::to, MemberChange::to);
    }

    private static List<PinMark> pins(
            List<TypeDiff> diffs,
            Function<TypeDiff, TypeDiff.@Nullable Side> sideOf,
            Function<MemberChange, @Nullable Place> placeOf) {
        Map<String, PinMark> pins = new TreeMap<>();
        for (TypeDiff diff : diffs) {
            TypeDiff.Side side = sideOf.apply(diff);
            if (side != null && side.pinned() != null) {
                add(List.of(side.pinned().pin()), pins);
            }
            if (side != null && side.place() != null && side.place().pinned() != null) {
                add(side.place().pinned().pins(), pins);
            }
            for (MemberChange member : diff.members()) {
                Place place = placeOf.apply(member);
                if (place != null && place.pinned() != null) {
                    add(place.pinned().pins(), pins);
                }
            }
        }
        return List.copyOf(pins.values());
    }

    private static void add(List<PinMark> marks, Map<String, PinMark> pins) {
        marks.forEach(pin -> pins.putIfAbsent(pin.item(), pin));
    }

    private static void writeEnumerator(JsonGenerator out, EnumeratorChange change) {
        out.writeStartObject();
        out.writeStringProperty("name", change.name());
        out.writeStringProperty("from", change.from());
        out.writeStringProperty("to", change.to());
        out.writeEndObject();
    }

    private static void writeSize(JsonGenerator out, long bytes) {
        if (bytes != TypeShape.UNKNOWN_SIZE) {
            out.writeNumberProperty("size", bytes);
        }
    }
}
