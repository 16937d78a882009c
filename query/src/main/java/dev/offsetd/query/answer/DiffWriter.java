package dev.offsetd.query.answer;

import dev.offsetd.query.diff.EnumeratorChange;
import dev.offsetd.query.diff.MemberChange;
import dev.offsetd.query.diff.MemberLayout;
import dev.offsetd.query.diff.TypeDiff;
import dev.offsetd.query.overlay.AppliedPin;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.overlay.Provenance;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Writes differences as JSON, or any other representation of the generator. Offsets and sizes are bytes from the start of
 * the type, {@code bitOffset} and {@code bitSize} are bits in memory order. Unknown values are left out.
 */
public final class DiffWriter {

    private DiffWriter() {}

    /** Returns whether everything was found and nothing differs. */
    public static boolean isSame(List<TypeDiff> diffs) {
        return diffs.stream().allMatch(diff -> diff.status() == TypeDiff.Status.SAME);
    }

    /** Returns the differences without the items that neither side has, and need not have. */
    public static List<TypeDiff> withoutMissing(List<TypeDiff> diffs, Predicate<String> optional) {
        return diffs.stream()
                .filter(diff -> diff.status() != TypeDiff.Status.NOT_FOUND || !optional.test(diff.name()))
                .toList();
    }

    /** Writes an array of the types. */
    public static void writeTypes(JsonGenerator out, List<TypeDiff> diffs) {
        writeTypes(out, diffs, PinnedTypes.NONE, PinnedTypes.NONE);
    }

    /**
     * Writes an array of the types.
     *
     * @param from the types of the older build
     * @param to the types of the newer build
     */
    public static void writeTypes(JsonGenerator out, List<TypeDiff> diffs, PinnedTypes from, PinnedTypes to) {
        out.writeStartArray();
        for (TypeDiff diff : diffs) {
            out.writeStartObject();
            out.writeStringProperty("type", diff.name());
            out.writeStringProperty("status", diff.status().word());
            if (diff.detail() != null) {
                out.writeStringProperty("detail", diff.detail());
            }
            writeSide(out, "from", diff, diff.from(), from);
            writeSide(out, "to", diff, diff.to(), to);
            if (!diff.members().isEmpty()) {
                out.writeArrayPropertyStart("members");
                diff.members().forEach(member -> writeMember(out, member, from, to));
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

    private static void writeSide(
            JsonGenerator out, String name, TypeDiff diff, TypeDiff.@Nullable TypeSide side, PinnedTypes pins) {
        if (side == null) {
            return;
        }
        out.writeObjectPropertyStart(name);
        out.writeStringProperty("kind", side.kind());
        if (side.place() == null) {
            PlacementWriter.writeSize(out, side.size());
            AppliedPins.write(out, provenance(diff, side, pins));
        } else {
            writePlaceProperties(out, side.place(), pins);
        }
        out.writeEndObject();
    }

    private static void writeMember(JsonGenerator out, MemberChange member, PinnedTypes from, PinnedTypes to) {
        out.writeStartObject();
        out.writeStringProperty("member", member.name());
        out.writeArrayPropertyStart("changes");
        member.kinds().forEach(kind -> out.writeString(kind.word()));
        out.writeEndArray();
        writePlace(out, "from", member.from(), from);
        writePlace(out, "to", member.to(), to);
        out.writeEndObject();
    }

    private static void writePlace(JsonGenerator out, String name, @Nullable MemberLayout place, PinnedTypes pins) {
        if (place == null) {
            return;
        }
        out.writeObjectPropertyStart(name);
        writePlaceProperties(out, place, pins);
        out.writeEndObject();
    }

    private static void writePlaceProperties(JsonGenerator out, MemberLayout place, PinnedTypes pins) {
        if (place.bitOffset() != null) {
            out.writeNumberProperty("offset", Math.floorDiv(place.bitOffset(), Byte.SIZE));
        }
        PlacementWriter.writeSize(out, place.size());
        if (place.isBitField()) {
            if (place.bitOffset() != null) {
                out.writeNumberProperty("bitOffset", place.bitOffset());
            }
            out.writeNumberProperty("bitSize", place.bitSize());
        }
        out.writeStringProperty("type", place.type());
        AppliedPins.write(out, provenance(place, pins));
    }

    /** Returns the pins that determine what the differences show of the older build, in the order of their items. */
    public static List<AppliedPin> pinsFrom(List<TypeDiff> diffs, PinnedTypes types) {
        return pins(diffs, types, TypeDiff::from, MemberChange::from);
    }

    /** Returns the pins that determine what the differences show of the newer build, in the order of their items. */
    public static List<AppliedPin> pinsTo(List<TypeDiff> diffs, PinnedTypes types) {
        return pins(diffs, types, TypeDiff::to, MemberChange::to);
    }

    private static List<AppliedPin> pins(
            List<TypeDiff> diffs,
            PinnedTypes types,
            Function<TypeDiff, TypeDiff.@Nullable TypeSide> sideOf,
            Function<MemberChange, @Nullable MemberLayout> placeOf) {
        AppliedPins pins = new AppliedPins(types);
        for (TypeDiff diff : diffs) {
            TypeDiff.TypeSide side = sideOf.apply(diff);
            if (side != null) {
                pins.add(provenance(diff, side, types));
            }
            for (MemberChange member : diff.members()) {
                MemberLayout place = placeOf.apply(member);
                if (place != null) {
                    pins.add(provenance(place, types));
                }
            }
        }
        return pins.marks();
    }

    private static @Nullable Provenance provenance(TypeDiff diff, TypeDiff.TypeSide side, PinnedTypes pins) {
        if (side.place() != null) {
            return provenance(side.place(), pins);
        }
        // A type that is only held by value has no definition in the comparison.
        return side.definition() == null ? pins.ofTypeNamed(diff.name()) : pins.of(side.definition());
    }

    static @Nullable Provenance provenance(MemberLayout place, PinnedTypes pins) {
        return place.placement() == null ? null : pins.of(place.placement());
    }

    private static void writeEnumerator(JsonGenerator out, EnumeratorChange change) {
        out.writeStartObject();
        out.writeStringProperty("name", change.name());
        out.writeStringProperty("from", change.from());
        out.writeStringProperty("to", change.to());
        out.writeEndObject();
    }
}
