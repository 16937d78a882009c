package dev.offsetd.query.answer;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.query.overlay.AppliedPin;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.overlay.Provenance;
import dev.offsetd.query.resolve.OffsetAnswer;
import dev.offsetd.query.resolve.OffsetAnswer.Resolved;
import dev.offsetd.query.resolve.OffsetAnswer.Subject;
import dev.offsetd.query.resolve.OffsetExpression;
import dev.offsetd.query.resolve.ResolutionStep;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Writes answers as JSON, or any other representation of the generator. Offsets and sizes are bytes; addresses are hex
 * strings. Unknown values are left out.
 */
public final class ResolutionWriter {

    private ResolutionWriter() {}

    /** Writes the properties of an answer into the object that is open. */
    public static void writeProperties(JsonGenerator out, OffsetExpression expression, OffsetAnswer answer) {
        writeProperties(out, expression, answer, PinnedTypes.NONE);
    }

    /**
     * Writes the properties of an answer into the object that is open.
     *
     * @param pins the types that the answer is from
     */
    public static void writeProperties(
            JsonGenerator out, OffsetExpression expression, OffsetAnswer answer, PinnedTypes pins) {
        out.writeStringProperty("expression", expression.text());
        out.writeNumberProperty("offset", expression.offset());
        out.writeStringProperty("status", answer.status().word());
        switch (answer) {
            case Resolved resolved -> writeResolved(out, resolved, expression.offset(), pins);
            case OffsetAnswer.Ambiguous ambiguous -> {
                out.writeNumberProperty("total", ambiguous.total());
                out.writeArrayPropertyStart("variants");
                for (Resolved variant : ambiguous.variants()) {
                    out.writeStartObject();
                    out.writeStringProperty("status", variant.status().word());
                    writeResolved(out, variant, expression.offset(), pins);
                    out.writeEndObject();
                }
                out.writeEndArray();
            }
            case OffsetAnswer.Missed missed -> out.writeStringProperty("detail", missed.detail());
        }
        AppliedPins.write(out, "pinned", pinsIn(answer, pins));
    }

    /**
     * Returns the pins that determine what an answer shows, in the order of their items.
     *
     * @param types the types that the answer is from
     */
    public static List<AppliedPin> pinsIn(OffsetAnswer answer, PinnedTypes types) {
        AppliedPins pins = new AppliedPins(types);
        switch (answer) {
            case Resolved resolved -> addPins(resolved, types, pins);
            case OffsetAnswer.Ambiguous ambiguous ->
                ambiguous.variants().forEach(variant -> addPins(variant, types, pins));
            case OffsetAnswer.Missed _ -> {}
        }
        return pins.marks();
    }

    private static void addPins(Resolved resolved, PinnedTypes types, AppliedPins pins) {
        pins.add(provenance(resolved.subjects().getFirst(), types));
        addPins(resolved.root(), types, pins);
    }

    private static void addPins(ResolutionStep step, PinnedTypes types, AppliedPins pins) {
        pins.add(provenance(step, types));
        step.contents().forEach(inner -> addPins(inner, types, pins));
    }

    static @Nullable Provenance provenance(Subject subject, PinnedTypes pins) {
        return switch (subject) {
            case Subject.OfVariable(Variable variable) -> pins.of(variable);
            case Subject.OfType(Definition definition) -> pins.of(definition);
        };
    }

    static @Nullable Provenance provenance(ResolutionStep step, PinnedTypes pins) {
        return step.placement() == null ? null : pins.of(step.placement());
    }

    private static void writeResolved(JsonGenerator out, Resolved resolved, long offset, PinnedTypes pins) {
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
        writeStep(out, resolved.root(), offset, provenance(resolved.subjects().getFirst(), pins), pins);
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
        PlacementWriter.writeSize(out, variable.type().byteSize());
        if (variable.address() != null) {
            SymbolWriter.writeHex(out, "address", variable.address());
        }
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
        PlacementWriter.writeSize(out, definition.shape().byteSize());
        out.writeStringProperty("unit", definition.unit());
        out.writeStringProperty("language", definition.language().name());
    }

    private static void writeStep(
            JsonGenerator out, ResolutionStep step, long wanted, @Nullable Provenance provenance, PinnedTypes pins) {
        out.writeStartObject();
        out.writeStringProperty("step", step.kind().word());
        out.writeStringProperty("name", step.name());
        out.writeNumberProperty("offset", step.offset());
        out.writeNumberProperty("offsetInParent", step.offsetInParent());
        PlacementWriter.writeSize(out, step.size());
        if (step.hasBits()) {
            out.writeNumberProperty("bitOffset", step.bitOffset());
            out.writeNumberProperty("bitSize", step.bitSize());
        }
        switch (step.kind()) {
            case PADDING -> {}
            case COMPUTED -> out.writeStringProperty("reason", step.type());
            default -> out.writeStringProperty("type", step.type());
        }
        if (step.placement() != null) {
            PlacementWriter.writeByteOrder(out, step.placement().type());
        }
        if (step.pastEnd()) {
            out.writeBooleanProperty("pastEnd", true);
        }
        AppliedPins.write(out, provenance);
        if (step.isLeaf()) {
            out.writeStringProperty("path", step.path());
            if (step.kind() != ResolutionStep.Kind.COMPUTED) {
                out.writeNumberProperty("byteInside", wanted - step.offset());
            }
        } else {
            out.writeArrayPropertyStart("contents");
            for (ResolutionStep inner : step.contents()) {
                writeStep(out, inner, wanted, provenance(inner, pins), pins);
            }
            out.writeEndArray();
        }
        out.writeEndObject();
    }
}
