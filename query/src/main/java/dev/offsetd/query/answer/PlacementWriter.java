package dev.offsetd.query.answer;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.DifferingShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variant;
import dev.offsetd.query.item.MemberTree;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.item.ReadPlan;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.overlay.Provenance;
import dev.offsetd.query.typeset.MapValue;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Writes placements and member trees: everything that has an offset. Unknown values are omitted. */
final class PlacementWriter {

    private final JsonGenerator out;
    private final PinnedTypes pins;

    PlacementWriter(JsonGenerator out, PinnedTypes pins) {
        this.out = out;
        this.pins = pins;
    }

    void writePlacements(List<Placement> placements, @Nullable String source) {
        out.writeStartArray();
        for (Placement placement : placements) {
            writePlacement(placement, source);
        }
        out.writeEndArray();
    }

    void writePlacement(Placement placement, @Nullable String source) {
        out.writeStartObject();
        writePlacementProperties(placement, source);
        out.writeEndObject();
    }

    void writePlacementProperties(Placement placement, @Nullable String source) {
        switch (placement) {
            case Placement.Fixed fixed -> writePlace(fixed);
            case Placement.Computed computed -> {
                out.writeStringProperty("status", computed.status().word());
                out.writeStringProperty("reason", computed.reason());
                writeSpelling(computed.type(), false);
            }
        }
        Provenance provenance = placement instanceof Placement.Fixed fixed ? pins.of(fixed) : null;
        if (provenance != null) {
            AppliedPins.write(out, provenance);
        } else if (source != null) {
            out.writeStringProperty("source", source);
        }
    }

    void writePlace(Placement.Fixed place) {
        out.writeNumberProperty("offset", place.offset());
        writeValue(place, place.bitOffset(), place.isBitField());
    }

    /** Writes the steps of a plan and the value that they lead to, whose bits count from there. */
    void writePlan(ReadPlan plan) {
        NameMapWriter.writeSteps(out, MapValue.Plan.of(null, plan));
        writeValue(plan.target(), plan.bitOffset(), true);
    }

    private void writeValue(Placement.Fixed place, long bitOffset, boolean withSign) {
        writeSize(out, place.size());
        if (place.isBitField()) {
            out.writeNumberProperty("bitOffset", bitOffset);
            out.writeNumberProperty("bitSize", place.bitSize());
            out.writeNumberProperty("storageSize", place.storageBytes());
        }
        if (withSign) {
            place.signed().ifPresent(signed -> out.writeBooleanProperty("signed", signed));
        }
        writeSpelling(place.type(), place.isBitField());
        writeByteOrder(out, place.type());
        if (place.type().peeled() instanceof AggregateShape aggregate) {
            out.writeStringProperty("kind", aggregate.kind().word());
        }
        writeResolvedFrom(place.type());
        writeCounts(place.type());
        if (place.pastEnd()) {
            out.writeBooleanProperty("pastEnd", true);
        }
    }

    /** Writes the byte order of a scalar that has not that of the build. */
    static void writeByteOrder(JsonGenerator out, TypeShape type) {
        ByteOrder order = type.byteOrder();
        if (order != null) {
            out.writeStringProperty("byteOrder", order == ByteOrder.BIG_ENDIAN ? "big" : "little");
        }
    }

    /** Writes the spelling of a type; if definitions differ in it, all spellings. */
    void writeSpelling(TypeShape type, boolean bitField) {
        List<DifferingShape.UnitType> readings = type.differing();
        if (readings.isEmpty()) {
            out.writeStringProperty("type", type.spelling());
            if (type.peeled() instanceof IncompleteShape unknown
                    && unknown.reason() instanceof IncompleteShape.Reason.Unread(String reason)) {
                out.writeStringProperty("typeReason", reason);
            }
            return;
        }
        out.writeArrayPropertyStart("differingTypes");
        for (DifferingShape.UnitType reading : readings) {
            out.writeStartObject();
            out.writeStringProperty("type", reading.type().spelling());
            if (bitField) {
                Placement.signed(reading.type()).ifPresent(signed -> out.writeBooleanProperty("signed", signed));
            }
            out.writeStringProperty("unit", reading.unit());
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    void writeMembers(List<MemberTree.Entry> entries, @Nullable String source) {
        out.writeArrayPropertyStart("members");
        for (MemberTree.Entry entry : entries) {
            out.writeStartObject();
            switch (entry) {
                case MemberTree.Entry.Padding padding -> writePadding(padding);
                case MemberTree.Entry.MemberEntry part -> writePart(part, source);
            }
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private void writePart(MemberTree.Entry.MemberEntry part, @Nullable String source) {
        Member member = part.member();
        if (member.role() == Member.Role.BASE_CLASS) {
            out.writeBooleanProperty("base", true);
        } else {
            out.writeName("name");
            writeNullable(member.name());
        }
        if (member.role() == Member.Role.DISCRIMINANT) {
            out.writeBooleanProperty("discriminant", true);
        }
        if (member.variant() != null) {
            writeDiscriminants(member.variant());
        }
        writePlacementProperties(part.placement(), source);
        boolean unfolded = member.role() == Member.Role.BASE_CLASS || member.isUnnamedAggregate();
        if (unfolded || !part.nested().isEmpty()) {
            writeMembers(part.nested(), source);
        }
    }

    /** Writes the ranges of discriminant values as pairs; none for the default variant. */
    private void writeDiscriminants(Variant variant) {
        out.writeArrayPropertyStart("discriminants");
        for (Variant.ValueRange range : variant.values()) {
            out.writeStartArray();
            for (BigInteger value : List.of(range.first(), range.last())) {
                if (value.bitLength() < Long.SIZE && variant.discriminantBytes() != Long.BYTES) {
                    out.writeNumber(value.longValue());
                } else {
                    out.writeString(variant.hex(value));
                }
            }
            out.writeEndArray();
        }
        out.writeEndArray();
    }

    private void writePadding(MemberTree.Entry.Padding padding) {
        out.writeBooleanProperty("padding", true);
        out.writeNumberProperty("offset", Math.floorDiv(padding.bitOffset(), Byte.SIZE));
        out.writeNumberProperty("size", Placement.bytesTouched(padding.bitOffset(), padding.bitSize()));
        if (!padding.isWholeBytes()) {
            out.writeNumberProperty("bitOffset", padding.bitOffset());
            out.writeNumberProperty("bitSize", padding.bitSize());
        }
    }

    void writeResolvedFrom(TypeShape type) {
        String unit = type.definingUnit();
        if (unit != null) {
            out.writeStringProperty("resolvedFrom", unit);
        }
    }

    /** Writes the property {@code size}, unless it is unknown. */
    static void writeSize(JsonGenerator out, long bytes) {
        if (bytes != TypeShape.UNKNOWN_SIZE) {
            out.writeNumberProperty("size", bytes);
        }
    }

    void writeCounts(TypeShape type) {
        List<Long> counts = Placement.counts(type);
        if (counts.isEmpty()) {
            return;
        }
        out.writeArrayPropertyStart("counts");
        for (long count : counts) {
            writeNullable(count, count < 0);
        }
        out.writeEndArray();
        if (Placement.arrays(type).stream().anyMatch(array -> array.indexing() != null)) {
            writeIndexing(Placement.arrays(type));
        }
    }

    /** Writes bounds and strides of arrays that are not indexed as in C. */
    private void writeIndexing(List<ArrayShape> arrays) {
        writeDimensions("lowerBounds", arrays, ArrayShape::lowerBound, bound -> false);
        writeDimensions("bitStrides", arrays, ArrayShape::bitStride, stride -> stride == ArrayShape.UNKNOWN_STRIDE);
    }

    private interface DimensionNumber {
        long of(ArrayShape array, int dimension);
    }

    private void writeDimensions(
            String property, List<ArrayShape> arrays, DimensionNumber numbers, LongPredicate unknown) {
        out.writeArrayPropertyStart(property);
        for (ArrayShape array : arrays) {
            boolean computed = array.indexing() != null && array.indexing().computed() != null;
            for (int i = 0; i < array.counts().size(); i++) {
                long number = numbers.of(array, i);
                writeNullable(number, computed || unknown.test(number));
            }
        }
        out.writeEndArray();
    }

    void writeNullable(long number, boolean unknown) {
        if (unknown) {
            out.writeNull();
        } else {
            out.writeNumber(number);
        }
    }

    void writeFlat(Placement.Fixed place) {
        out.writeStartArray();
        out.writeNumber(place.offset());
        writeSizeOrNull(place.size());
        if (place.isBitField()) {
            out.writeNumber(place.bitOffset());
            out.writeNumber(place.bitSize());
        }
        out.writeEndArray();
    }

    void writeFlat(long bytes) {
        out.writeStartArray();
        out.writeNumber(0);
        writeSizeOrNull(bytes);
        out.writeEndArray();
    }

    private void writeSizeOrNull(long bytes) {
        if (bytes == TypeShape.UNKNOWN_SIZE) {
            out.writeNull();
        } else {
            out.writeNumber(bytes);
        }
    }

    void writeNullable(@Nullable String text) {
        if (text == null) {
            out.writeNull();
        } else {
            out.writeString(text);
        }
    }
}
