package dev.offsetd.cli.file;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variant;
import java.math.BigInteger;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/**
 * JSON of one definition for {@code --definitions}: the contents of one DIE, without lifting or merging, for comparison with
 * other readers.
 */
final class DefinitionJson {

    private DefinitionJson() {}

    static void writeTo(JsonGenerator json, Definition definition) {
        TypeShape shape = definition.shape();
        json.writeStartObject();
        if (!definition.section().equals(".debug_info")) {
            json.writeStringProperty("section", definition.section());
        }
        json.writeNumberProperty("dieOffset", definition.dieOffset());
        json.writeStringProperty("unit", definition.unit());
        json.writeStringProperty("language", definition.language().name());
        json.writeStringProperty("kind", definition.kind().word());
        json.writeStringProperty("name", definition.name());
        json.writeStringProperty("qualifiedName", definition.qualifiedName());
        writeSize(json, shape.byteSize());
        writeIncomplete(json, shape);
        json.writeArrayPropertyStart("members");
        List<Member> members = shape instanceof AggregateShape aggregate ? aggregate.members() : List.of();
        members.forEach(member -> writeTo(json, member));
        json.writeEndArray();
        if (shape instanceof EnumShape enumeration) {
            json.writeArrayPropertyStart("enumerators");
            for (Enumerator enumerator : enumeration.enumerators()) {
                json.writeStartObject();
                json.writeStringProperty("name", enumerator.name());
                json.writeName("value");
                if (!enumerator.known()) {
                    json.writeNull();
                } else if (enumeration.signed() || enumerator.value() >= 0) {
                    json.writeNumber(enumerator.value());
                } else {
                    json.writeNumber(new BigInteger(Long.toUnsignedString(enumerator.value())));
                }
                json.writeEndObject();
            }
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    /** Writes why a type has no members: it is only declared, or has a fault. */
    static void writeIncomplete(JsonGenerator json, TypeShape shape) {
        if (shape instanceof IncompleteShape incomplete) {
            if (incomplete.reason() instanceof IncompleteShape.Reason.Declared) {
                json.writeBooleanProperty("declaration", true);
            } else {
                json.writeStringProperty("incomplete", incomplete.reason().text());
            }
        }
    }

    /** Writes {@code size} in bytes, or null if the debug information has none. */
    static void writeSize(JsonGenerator json, long byteSize) {
        if (byteSize == TypeShape.UNKNOWN_SIZE) {
            json.writeNullProperty("size");
        } else {
            json.writeNumberProperty("size", byteSize);
        }
    }

    private static void writeTo(JsonGenerator json, Member member) {
        json.writeStartObject();
        json.writeStringProperty("name", member.name());
        if (member.role() == Member.Role.BASE_CLASS) {
            json.writeBooleanProperty("base", true);
        }
        switch (member.location()) {
            case MemberLocation.Fixed(long bitOffset) -> json.writeNumberProperty("bitOffset", bitOffset);
            case MemberLocation.Computed _, MemberLocation.Unsupported _ -> json.writeNullProperty("bitOffset");
        }
        if (member.isBitField()) {
            json.writeNumberProperty("bitSize", member.bitSize());
        }
        writeSize(json, member.type().byteSize());
        json.writeStringProperty("type", member.type().spelling());
        if (member.role() == Member.Role.DISCRIMINANT) {
            json.writeBooleanProperty("discriminant", true);
        }
        Variant variant = member.variant();
        if (variant != null) {
            json.writeArrayPropertyStart("discriminants");
            for (Variant.ValueRange range : variant.values()) {
                json.writeStartArray();
                for (BigInteger value : List.of(range.first(), range.last())) {
                    if (value.bitLength() < Long.SIZE) {
                        json.writeNumber(value.longValue());
                    } else {
                        json.writeString(variant.hex(value));
                    }
                }
                json.writeEndArray();
            }
            json.writeEndArray();
        }
        if (member.type() instanceof AggregateShape part && part.isVariantPart()) {
            json.writeArrayPropertyStart("members");
            part.members().forEach(inner -> writeTo(json, inner));
            json.writeEndArray();
        }
        json.writeEndObject();
    }
}
