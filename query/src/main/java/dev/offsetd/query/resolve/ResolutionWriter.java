package dev.offsetd.query.resolve;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.PinMark;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.query.item.PinsInEffect;
import dev.offsetd.query.resolve.OffsetAnswer.Resolved;
import dev.offsetd.query.resolve.OffsetAnswer.Subject;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JsonGenerator;

/**
 * Writes answers as JSON, or in whatever form the generator has. Offsets and sizes are bytes; addresses are hex strings.
 * What is not known is left out.
 */
public final class ResolutionWriter {

    private ResolutionWriter() {}

    /** Writes the properties of an answer into the object that is open. */
    public static void writeProperties(JsonGenerator out, OffsetExpression expression, OffsetAnswer answer) {
        out.writeStringProperty("expression", expression.text());
        out.writeNumberProperty("offset", expression.offset());
        out.writeStringProperty("status", answer.status().word());
        switch (answer) {
            case Resolved resolved -> writeResolved(out, resolved, expression.offset());
            case OffsetAnswer.Ambiguous ambiguous -> {
                out.writeNumberProperty("total", ambiguous.total());
                out.writeArrayPropertyStart("variants");
                for (Resolved variant : ambiguous.variants()) {
                    out.writeStartObject();
                    out.writeStringProperty("status", variant.status().word());
                    writeResolved(out, variant, expression.offset());
                    out.writeEndObject();
                }
                out.writeEndArray();
            }
            case OffsetAnswer.Missed missed -> out.writeStringProperty("detail", missed.detail());
        }
        PinsInEffect.write(out, "pinned", pinsIn(answer));
    }

    /** The marks of all pins that had a say in an answer, in the order of their items. */
    public static List<PinMark> pinsIn(OffsetAnswer answer) {
        Map<String, PinMark> pins = new TreeMap<>();
        switch (answer) {
            case Resolved resolved -> addPins(resolved.root(), pins);
            case OffsetAnswer.Ambiguous ambiguous ->
                ambiguous.variants().forEach(variant -> addPins(variant.root(), pins));
            case OffsetAnswer.Missed _ -> {}
        }
        return List.copyOf(pins.values());
    }

    private static void addPins(Step step, Map<String, PinMark> pins) {
        if (step.pinned() != null) {
            step.pinned().pins().forEach(pin -> pins.putIfAbsent(pin.item(), pin));
        }
        step.contents().forEach(inner -> addPins(inner, pins));
    }

    private static void writeResolved(JsonGenerator out, Resolved resolved, long offset) {
        out.writeArrayPropertyStart("subjects");
        for (Subject subject : resolved.subjects()) {
            out.writeStartObject();
            switch (subject) {
                case Subject.OfVariable(Variable variable) -> writeVariable(out, variable);
                case Subject.OfType(Definition definition) -> writeDefinition(out, definition);
            }
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeName("root");
        writeStep(out, resolved.root(), offset);
    }

    private static void writeVariable(JsonGenerator out, Variable variable) {
        out.writeStringProperty("kind", "variable");
        out.writeStringProperty("name", variable.qualifiedName());
        if (variable.linkageName() != null) {
            out.writeStringProperty("linkageName", variable.linkageName());
        }
        if (variable.function() != null) {
            out.writeStringProperty("function", variable.function());
        }
        out.writeStringProperty("type", variable.type().spelling());
        writeSize(out, variable.type().byteSize());
        variable.address().ifPresent(address -> out.writeStringProperty("address", "0x" + Long.toHexString(address)));
        if (variable.declaration()) {
            out.writeBooleanProperty("declaration", true);
        }
        out.writeStringProperty("unit", variable.unit());
        out.writeStringProperty("language", variable.language().name());
    }

    private static void writeDefinition(JsonGenerator out, Definition definition) {
        out.writeStringProperty("kind", definition.kind().word());
        out.writeStringProperty("name", definition.qualifiedName());
        if (definition.function() != null) {
            out.writeStringProperty("function", definition.function());
        }
        writeSize(out, definition.shape().byteSize());
        out.writeStringProperty("unit", definition.unit());
        out.writeStringProperty("language", definition.language().name());
    }

    private static void writeStep(JsonGenerator out, Step step, long wanted) {
        out.writeStartObject();
        out.writeStringProperty("step", step.kind().word());
        out.writeStringProperty("name", step.name());
        out.writeNumberProperty("offset", step.offset());
        out.writeNumberProperty("offsetInParent", step.offsetInParent());
        writeSize(out, step.size());
        if (step.hasBits()) {
            out.writeNumberProperty("bitOffset", step.bitOffset());
            out.writeNumberProperty("bitSize", step.bitSize());
        }
        switch (step.kind()) {
            case PADDING -> {}
            case COMPUTED -> out.writeStringProperty("reason", step.type());
            default -> out.writeStringProperty("type", step.type());
        }
        if (step.pastEnd()) {
            out.writeBooleanProperty("pastEnd", true);
        }
        if (step.pinned() != null) {
            out.writeStringProperty("source", step.pinned().pin().source());
            out.writeName("extracted");
            PinsInEffect.write(out, step.pinned().extracted());
        }
        if (step.isLeaf()) {
            out.writeStringProperty("path", step.path());
            if (step.kind() != Step.Kind.COMPUTED) {
                out.writeNumberProperty("byteInside", wanted - step.offset());
            }
        } else {
            out.writeArrayPropertyStart("contents");
            for (Step inner : step.contents()) {
                writeStep(out, inner, wanted);
            }
            out.writeEndArray();
        }
        out.writeEndObject();
    }

    private static void writeSize(JsonGenerator out, long bytes) {
        if (bytes != TypeShape.UNKNOWN_SIZE) {
            out.writeNumberProperty("size", bytes);
        }
    }
}
