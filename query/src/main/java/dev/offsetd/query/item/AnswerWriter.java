package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.DifferingShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.PinMark;
import dev.offsetd.extractor.layout.PinnedSize;
import dev.offsetd.extractor.layout.Symbol;
import dev.offsetd.extractor.layout.TlsSegment;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.layout.Variant;
import dev.offsetd.query.symbol.SymbolWriter;
import java.math.BigInteger;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Writes answers as JSON, or in whatever form the generator has. Offsets and sizes are bytes from the start of the
 * item's outermost type, {@code bitOffset} and {@code bitSize} are bits in memory order. What is not known is left out,
 * in the flat view null. Immutable; safe for any number of threads.
 */
public final class AnswerWriter {

    private final View view;

    public AnswerWriter(View view) {
        this.view = view;
    }

    /**
     * Writes an object with every answer under its item's text. The flat view adds {@code item.field} for the fields of
     * a type, unless an item of that text is among the answers.
     *
     * @param source key of the provenance of what was found
     */
    public void writeAnswers(JsonGenerator out, List<ItemAnswer> answers, String source) {
        Set<String> keys = new HashSet<>();
        for (ItemAnswer answer : answers) {
            keys.add(answer.item().text());
        }
        out.writeStartObject();
        for (ItemAnswer answer : answers) {
            String key = answer.item().text();
            out.writeName(key);
            writeAnswer(out, answer, source);
            if (view == View.FLAT && answer.outcome() instanceof Outcome.TypeFound type) {
                writeFlatFields(out, key, type, keys);
            }
        }
        out.writeEndObject();
    }

    /**
     * Writes one answer: an object; in the flat view, of a type or member that was found, its array.
     *
     * @param source key of the provenance of what was found
     */
    public void writeAnswer(JsonGenerator out, ItemAnswer answer, String source) {
        if (view == View.FLAT) {
            switch (answer.outcome()) {
                case Outcome.TypeFound type -> {
                    writeFlat(out, type.definition().shape().byteSize());
                    return;
                }
                case Outcome.PathFound path -> {
                    writeFlat(out, path.place());
                    return;
                }
                default -> {}
            }
        }
        out.writeStartObject();
        out.writeStringProperty("status", answer.status().word());
        if (answer.matched() != null) {
            out.writeStringProperty("matched", answer.matched().text());
        }
        String wholeName = answer.wholeName();
        if (wholeName != null) {
            out.writeStringProperty("name", wholeName);
        }
        writeOutcome(out, answer.outcome(), source);
        out.writeEndObject();
    }

    private void writeOutcome(JsonGenerator out, Outcome outcome, String source) {
        writeFacts(out, outcome);
        if (outcome instanceof Outcome.TypeFound type && type.kind().isTag()) {
            out.writeStringProperty("language", type.definition().language().name());
        }
        switch (outcome) {
            case Outcome.TypeFound type
            when type.definition().pinned() != null ->
                writePin(out, type.definition().pinned());
            case Outcome.PathFound path
            when path.place().pinned() != null -> writePin(out, path.place().pinned());
            case Outcome.Missed _ -> {}
            default -> out.writeStringProperty("source", source);
        }
        switch (outcome) {
            case Outcome.TypeFound type -> {
                writeAlsoMatches(out, type.alsoMatches());
                // What has no source of its own has that of the answer.
                writeContents(out, type, type.definition().pinned() == null ? null : source);
            }
            case Outcome.PathFound path -> writeAlsoMatches(out, path.alsoMatches());
            case Outcome.Ambiguous ambiguous -> writeVariants(out, ambiguous);
            default -> {}
        }
    }

    /** What an answer of its own and one of several that differ say alike. */
    private static void writeFacts(JsonGenerator out, Outcome outcome) {
        switch (outcome) {
            case Outcome.TypeFound type -> writeType(out, type);
            case Outcome.PathFound path -> {
                writeScope(out, path.definition());
                writePlace(out, path.place());
            }
            case Outcome.EnumeratorFound enumerator -> writeEnumerator(out, enumerator);
            case Outcome.CrossesPointer crosses -> {
                if (crosses.pointee() != null) {
                    out.writeStringProperty("pointee", crosses.pointee());
                }
                out.writeObjectPropertyStart("at");
                out.writeStringProperty("path", crosses.at());
                writePlace(out, crosses.place());
                writePin(out, crosses.place().pinned());
                out.writeEndObject();
            }
            case Outcome.Computed computed -> {
                out.writeObjectPropertyStart("at");
                out.writeStringProperty("path", computed.at());
                out.writeEndObject();
                out.writeStringProperty("reason", computed.reason());
            }
            case Outcome.Missed missed -> {
                if (missed.detail() != null) {
                    out.writeStringProperty("detail", missed.detail());
                }
            }
            case Outcome.StaticFound found -> {
                Variable variable = found.variable();
                out.writeStringProperty("kind", "symbol");
                if (variable.linkageName() != null) {
                    out.writeStringProperty("symbol", variable.linkageName());
                }
                variable.address()
                        .ifPresent(address -> out.writeStringProperty("address", "0x" + Long.toHexString(address)));
                writeSize(out, variable.type().byteSize());
                out.writeStringProperty("type", variable.type().spelling());
                out.writeStringProperty("language", variable.language().name());
            }
            case Outcome.SymbolsFound symbols -> writeSymbols(out, symbols);
            case Outcome.TlsFound(TlsSegment tls) -> {
                out.writeStringProperty("kind", "tls");
                out.writeName("tls");
                SymbolWriter.write(out, tls);
            }
            case Outcome.SetFound set -> {
                out.writeStringProperty("kind", "set");
                out.writeStringProperty("set", set.name());
                out.writeNumberProperty("version", set.version());
                writeCoverage(out, set.coverage());
            }
            case Outcome.Ambiguous _ -> {}
        }
    }

    private static void writeSymbols(JsonGenerator out, Outcome.SymbolsFound found) {
        out.writeStringProperty("kind", "symbol");
        out.writeArrayPropertyStart("symbols");
        for (Symbol symbol : found.symbols()) {
            SymbolWriter.write(out, symbol);
        }
        out.writeEndArray();
        if (found.total() > found.symbols().size()) {
            out.writeBooleanProperty("truncated", true);
            out.writeNumberProperty("total", found.total());
        }
    }

    private static void writeCoverage(JsonGenerator out, Coverage coverage) {
        out.writeObjectPropertyStart("coverage");
        writeShare(out, Need.REQUIRED, coverage.required());
        writeShare(out, Need.OPTIONAL, coverage.optional());
        out.writeArrayPropertyStart("missing");
        for (Coverage.Missing missing : coverage.missing()) {
            out.writeStartObject();
            switch (missing) {
                case Coverage.Missing.One one -> {
                    out.writeStringProperty("item", one.item().text());
                    out.writeStringProperty("need", one.need().word());
                    out.writeStringProperty("status", one.item().status().word());
                }
                case Coverage.Missing.Group group -> {
                    out.writeStringProperty("group", group.name());
                    out.writeStringProperty("need", group.need().word());
                    out.writeArrayPropertyStart("items");
                    for (Coverage.MissingItem item : group.items()) {
                        out.writeStartObject();
                        out.writeStringProperty("item", item.text());
                        out.writeStringProperty("status", item.status().word());
                        out.writeEndObject();
                    }
                    out.writeEndArray();
                }
            }
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    private static void writeShare(JsonGenerator out, Need need, Coverage.Share share) {
        out.writeObjectPropertyStart(need.word());
        out.writeNumberProperty("found", share.found());
        out.writeNumberProperty("of", share.of());
        out.writeEndObject();
    }

    private static void writeType(JsonGenerator out, Outcome.TypeFound type) {
        Definition definition = type.definition();
        TypeShape shape = definition.shape();
        TypeShape peeled = shape.peeled();
        out.writeStringProperty("kind", type.kind().word());
        if (type.viaTypedef()) {
            out.writeStringProperty("via", "typedef");
        }
        writeScope(out, definition);
        writeSize(out, shape.byteSize());
        writeResolvedFrom(out, shape);
        if (peeled instanceof AggregateShape aggregate && aggregate.alignment() > 0) {
            out.writeNumberProperty("align", aggregate.alignment());
        }
        if (!type.kind().isTag() && shape instanceof AliasShape alias) {
            writeSpelling(out, alias.target(), false);
            writeCounts(out, shape);
        }
    }

    /** @param source of what is not pinned itself; null if that is the answer's */
    private void writeContents(JsonGenerator out, Outcome.TypeFound type, @Nullable String source) {
        switch (type.definition().shape().peeled()) {
            case AggregateShape aggregate
            when view == View.MEMBERS -> writeMembers(out, MemberTree.of(aggregate), source);
            case AggregateShape _ -> writeFields(out, type.fields(), source);
            case EnumShape enumeration -> writeEnumerators(out, enumeration);
            default -> {}
        }
    }

    private static void writeFields(JsonGenerator out, Map<String, List<Placement>> fields, @Nullable String source) {
        boolean ambiguous = false;
        out.writeObjectPropertyStart("fields");
        for (Map.Entry<String, List<Placement>> field : fields.entrySet()) {
            if (isClear(field.getValue())) {
                out.writeName(field.getKey());
                writePlacement(out, field.getValue().getFirst(), source);
            } else {
                ambiguous = true;
            }
        }
        out.writeEndObject();
        if (ambiguous) {
            out.writeObjectPropertyStart("ambiguousFields");
            for (Map.Entry<String, List<Placement>> field : fields.entrySet()) {
                if (!isClear(field.getValue())) {
                    out.writeName(field.getKey());
                    writePlacements(out, field.getValue(), source);
                }
            }
            out.writeEndObject();
        }
    }

    /** Whether a name has one place, or nothing but places that only the running program knows. */
    private static boolean isClear(List<Placement> placements) {
        return placements.size() == 1 || PathWalker.representative(placements) instanceof Placement.Computed;
    }

    private static void writePlacements(JsonGenerator out, List<Placement> placements, @Nullable String source) {
        out.writeStartArray();
        for (Placement placement : placements) {
            writePlacement(out, placement, source);
        }
        out.writeEndArray();
    }

    private static void writePlacement(JsonGenerator out, Placement placement, @Nullable String source) {
        out.writeStartObject();
        writePlacementProperties(out, placement, source);
        out.writeEndObject();
    }

    private static void writePlacementProperties(JsonGenerator out, Placement placement, @Nullable String source) {
        switch (placement) {
            case Placement.Fixed fixed -> {
                writePlace(out, fixed);
                writePin(out, fixed.pinned());
            }
            case Placement.Computed computed -> {
                out.writeStringProperty("status", ItemStatus.COMPUTED.word());
                out.writeStringProperty("reason", computed.reason());
                writeSpelling(out, computed.type(), false);
            }
        }
        if (source != null && !(placement instanceof Placement.Fixed fixed && fixed.pinned() != null)) {
            out.writeStringProperty("source", source);
        }
    }

    private static void writePin(JsonGenerator out, Placement.@Nullable Pinned pinned) {
        if (pinned != null) {
            writePin(out, pinned.pin(), pinned.extent());
        }
    }

    private static void writePin(JsonGenerator out, @Nullable PinnedSize pinned) {
        if (pinned != null) {
            writePin(out, pinned.pin(), pinned.extent());
        }
    }

    private static void writePin(JsonGenerator out, PinMark pin, PinMark.@Nullable Extent extracted) {
        out.writeStringProperty("source", pin.source());
        out.writeName("extracted");
        PinsInEffect.write(out, extracted);
    }

    private static void writePlace(JsonGenerator out, Placement.Fixed place) {
        out.writeNumberProperty("offset", place.offset());
        writeSize(out, place.size());
        if (place.isBitField()) {
            out.writeNumberProperty("bitOffset", place.bitOffset());
            out.writeNumberProperty("bitSize", place.bitSize());
            out.writeNumberProperty("storageSize", place.storageBytes());
            place.signed().ifPresent(signed -> out.writeBooleanProperty("signed", signed));
        }
        writeSpelling(out, place.type(), place.isBitField());
        if (place.type().peeled() instanceof AggregateShape aggregate) {
            out.writeStringProperty("kind", aggregate.kind().word());
        }
        writeResolvedFrom(out, place.type());
        writeCounts(out, place.type());
        if (place.pastEnd()) {
            out.writeBooleanProperty("pastEnd", true);
        }
    }

    /** Writes how a type is spelled; where definitions differ in it, what each has. */
    private static void writeSpelling(JsonGenerator out, TypeShape type, boolean bitField) {
        List<DifferingShape.UnitType> readings = type.differing();
        if (readings.isEmpty()) {
            out.writeStringProperty("type", type.spelling());
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

    private static void writeMembers(JsonGenerator out, List<MemberTree.Entry> entries, @Nullable String source) {
        out.writeArrayPropertyStart("members");
        for (MemberTree.Entry entry : entries) {
            out.writeStartObject();
            switch (entry) {
                case MemberTree.Entry.Padding padding -> writePadding(out, padding);
                case MemberTree.Entry.Part part -> writePart(out, part, source);
            }
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private static void writePart(JsonGenerator out, MemberTree.Entry.Part part, @Nullable String source) {
        Member member = part.member();
        if (member.role() == Member.Role.BASE_CLASS) {
            out.writeBooleanProperty("base", true);
        } else {
            out.writeName("name");
            writeNullable(out, member.name());
        }
        if (member.role() == Member.Role.DISCRIMINANT) {
            out.writeBooleanProperty("discriminant", true);
        }
        if (member.variant() != null) {
            writeDiscriminants(out, member.variant());
        }
        writePlacementProperties(out, part.placement(), source);
        boolean unfolded = member.role() == Member.Role.BASE_CLASS || member.isUnnamedAggregate();
        if (unfolded) {
            writeMembers(out, part.nested(), source);
        }
    }

    /** Writes the values of the discriminant as pairs of the first and the last; none for the variant of all others. */
    private static void writeDiscriminants(JsonGenerator out, Variant variant) {
        out.writeArrayPropertyStart("discriminants");
        for (Variant.Range range : variant.values()) {
            out.writeStartArray();
            for (long value : new long[] {range.first(), range.last()}) {
                if (variant.discriminantBytes() == Long.BYTES) {
                    out.writeString("0x" + Long.toHexString(value));
                } else {
                    out.writeNumber(value);
                }
            }
            out.writeEndArray();
        }
        out.writeEndArray();
    }

    private static void writePadding(JsonGenerator out, MemberTree.Entry.Padding padding) {
        out.writeBooleanProperty("padding", true);
        out.writeNumberProperty("offset", Math.floorDiv(padding.bitOffset(), Byte.SIZE));
        out.writeNumberProperty("size", Placement.bytesTouched(padding.bitOffset(), padding.bitSize()));
        if (!padding.isWholeBytes()) {
            out.writeNumberProperty("bitOffset", padding.bitOffset());
            out.writeNumberProperty("bitSize", padding.bitSize());
        }
    }

    private static void writeEnumerators(JsonGenerator out, EnumShape enumeration) {
        out.writeArrayPropertyStart("enumerators");
        for (Enumerator enumerator : enumeration.enumerators()) {
            out.writeStartObject();
            out.writeStringProperty("name", enumerator.name());
            writeValue(out, enumerator, enumeration);
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private static void writeEnumerator(JsonGenerator out, Outcome.EnumeratorFound enumerator) {
        Definition enumeration = enumerator.found().enumeration();
        writeScope(out, enumeration);
        out.writeStringProperty("kind", "enumerator");
        writeValue(out, enumerator.found().enumerator(), enumeration.shape().peeled());
        writeSize(out, enumeration.shape().byteSize());
        out.writeStringProperty("type", enumeration.shape().spelling());
        if (!enumeration.name().isEmpty()) {
            out.writeStringProperty("enumeration", enumeration.qualifiedName());
        }
    }

    /** Values of 8-byte enumerations are hex, because not every reader of JSON has numbers of 64 bits. */
    private static void writeValue(JsonGenerator out, Enumerator enumerator, TypeShape enumeration) {
        long value = enumerator.value();
        boolean signed = !(enumeration instanceof EnumShape shape) || shape.signed();
        long bytes = enumeration.byteSize();
        out.writeName("value");
        if (!enumerator.known()) {
            out.writeNull();
        } else if (bytes == Long.BYTES) {
            out.writeString("0x" + Long.toHexString(value));
        } else if (signed) {
            out.writeNumber(value);
        } else if (bytes > 0 && bytes < Long.BYTES) {
            out.writeNumber(value & ((1L << (bytes * Byte.SIZE)) - 1));
        } else {
            out.writeNumber(new BigInteger(Long.toUnsignedString(value)));
        }
    }

    private static void writeVariants(JsonGenerator out, Outcome.Ambiguous ambiguous) {
        out.writeArrayPropertyStart("definitions");
        for (Outcome.Variant variant : ambiguous.variants()) {
            out.writeStartObject();
            writeOrigin(out, variant.definition());
            out.writeStringProperty("status", variant.outcome().status().word());
            writeFacts(out, variant.outcome());
            switch (variant.outcome()) {
                case Outcome.TypeFound type -> writePin(out, type.definition().pinned());
                case Outcome.PathFound path -> writePin(out, path.place().pinned());
                default -> {}
            }
            if (variant.outcome() instanceof Outcome.Ambiguous inner) {
                writeVariants(out, inner);
            }
            out.writeEndObject();
        }
        out.writeEndArray();
        if (ambiguous.total() > ambiguous.variants().size()) {
            out.writeNumberProperty("total", ambiguous.total());
        }
    }

    private static void writeAlsoMatches(JsonGenerator out, List<Definition> definitions) {
        if (definitions.isEmpty()) {
            return;
        }
        out.writeArrayPropertyStart("alsoMatches");
        for (Definition definition : definitions) {
            out.writeStartObject();
            out.writeStringProperty("kind", definition.kind().word());
            writeOrigin(out, definition);
            writeSize(out, definition.shape().byteSize());
            if (definition.shape() instanceof AliasShape alias) {
                out.writeStringProperty("type", alias.target().spelling());
            }
            writePin(out, definition.pinned());
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private static void writeOrigin(JsonGenerator out, Definition definition) {
        out.writeStringProperty("unit", definition.unit());
        out.writeStringProperty("language", definition.language().name());
        if (!definition.name().isEmpty()) {
            out.writeStringProperty("name", definition.qualifiedName());
        }
    }

    private static void writeScope(JsonGenerator out, Definition definition) {
        if (definition.function() != null) {
            out.writeStringProperty("scope", definition.function());
        }
    }

    private static void writeResolvedFrom(JsonGenerator out, TypeShape type) {
        String unit = type.definingUnit();
        if (unit != null) {
            out.writeStringProperty("resolvedFrom", unit);
        }
    }

    private static void writeSize(JsonGenerator out, long bytes) {
        if (bytes != TypeShape.UNKNOWN_SIZE) {
            out.writeNumberProperty("size", bytes);
        }
    }

    private static void writeCounts(JsonGenerator out, TypeShape type) {
        List<Long> counts = Placement.counts(type);
        if (counts.isEmpty()) {
            return;
        }
        out.writeArrayPropertyStart("counts");
        for (long count : counts) {
            writeNullable(out, count, count < 0);
        }
        out.writeEndArray();
        if (Placement.arrays(type).stream().anyMatch(array -> array.indexing() != null)) {
            writeIndexing(out, Placement.arrays(type));
        }
    }

    /** Writes what leads from the indexes to the elements of arrays that are not those of C. */
    private static void writeIndexing(JsonGenerator out, List<ArrayShape> arrays) {
        writeDimensions(out, "lowerBounds", arrays, ArrayShape::lowerBound, bound -> false);
        writeDimensions(
                out, "bitStrides", arrays, ArrayShape::bitStride, stride -> stride == ArrayShape.UNKNOWN_STRIDE);
    }

    private interface DimensionNumber {
        long of(ArrayShape array, int dimension);
    }

    private static void writeDimensions(
            JsonGenerator out,
            String property,
            List<ArrayShape> arrays,
            DimensionNumber numbers,
            LongPredicate unknown) {
        out.writeArrayPropertyStart(property);
        for (ArrayShape array : arrays) {
            boolean computed = array.indexing() != null && array.indexing().computed() != null;
            for (int i = 0; i < array.counts().size(); i++) {
                long number = numbers.of(array, i);
                writeNullable(out, number, computed || unknown.test(number));
            }
        }
        out.writeEndArray();
    }

    private static void writeNullable(JsonGenerator out, long number, boolean unknown) {
        if (unknown) {
            out.writeNull();
        } else {
            out.writeNumber(number);
        }
    }

    private static void writeFlatFields(JsonGenerator out, String item, Outcome.TypeFound type, Set<String> items) {
        for (Map.Entry<String, List<Placement>> field : type.fields().entrySet()) {
            String key = item + "." + field.getKey();
            if (items.contains(key)) {
                continue;
            }
            out.writeName(key);
            if (!isClear(field.getValue())) {
                out.writeStartObject();
                out.writeStringProperty("status", ItemStatus.AMBIGUOUS.word());
                out.writeName("placements");
                writePlacements(out, field.getValue(), null);
                out.writeEndObject();
            } else if (field.getValue().getFirst() instanceof Placement.Fixed place) {
                writeFlat(out, place);
            } else {
                writePlacement(out, field.getValue().getFirst(), null);
            }
        }
    }

    private static void writeFlat(JsonGenerator out, Placement.Fixed place) {
        out.writeStartArray();
        out.writeNumber(place.offset());
        writeSizeOrNull(out, place.size());
        if (place.isBitField()) {
            out.writeNumber(place.bitOffset());
            out.writeNumber(place.bitSize());
        }
        out.writeEndArray();
    }

    private static void writeFlat(JsonGenerator out, long bytes) {
        out.writeStartArray();
        out.writeNumber(0);
        writeSizeOrNull(out, bytes);
        out.writeEndArray();
    }

    private static void writeSizeOrNull(JsonGenerator out, long bytes) {
        if (bytes == TypeShape.UNKNOWN_SIZE) {
            out.writeNull();
        } else {
            out.writeNumber(bytes);
        }
    }

    private static void writeNullable(JsonGenerator out, @Nullable String text) {
        if (text == null) {
            out.writeNull();
        } else {
            out.writeString(text);
        }
    }
}
