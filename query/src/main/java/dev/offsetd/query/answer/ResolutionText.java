package dev.offsetd.query.answer;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.overlay.Provenance;
import dev.offsetd.query.resolve.OffsetAnswer;
import dev.offsetd.query.resolve.OffsetAnswer.Resolved;
import dev.offsetd.query.resolve.OffsetAnswer.Subject;
import dev.offsetd.query.resolve.OffsetExpression;
import dev.offsetd.query.resolve.ResolutionStep;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes answers as text: a line for each step, and a line for each member found. Names are not escaped. */
public final class ResolutionText {

    private static final String ROW = "  %8s %8s %8s %10s  %s";

    private final OffsetExpression expression;
    private final PinnedTypes pins;
    private final List<String> lines = new ArrayList<>();

    private ResolutionText(OffsetExpression expression, PinnedTypes pins) {
        this.expression = expression;
        this.pins = pins;
    }

    /** Returns the lines of the text, without line ends. */
    public static List<String> lines(OffsetExpression expression, OffsetAnswer answer) {
        return lines(expression, answer, PinnedTypes.NONE);
    }

    /**
     * Returns the lines of the text, without line ends.
     *
     * @param pins the types that the answer is from
     */
    public static List<String> lines(OffsetExpression expression, OffsetAnswer answer, PinnedTypes pins) {
        ResolutionText text = new ResolutionText(expression, pins);
        text.write(answer);
        return List.copyOf(text.lines);
    }

    private void write(OffsetAnswer answer) {
        switch (answer) {
            case Resolved resolved -> {
                lines.add("%s: %s".formatted(expression.text(), words(resolved.status())));
                write(resolved);
            }
            case OffsetAnswer.Ambiguous ambiguous -> {
                lines.add("%s: ambiguous, %d different answers".formatted(expression.text(), ambiguous.total()));
                for (Resolved variant : ambiguous.variants()) {
                    lines.add("");
                    write(variant);
                }
            }
            case OffsetAnswer.Missed missed ->
                lines.add("%s: %s, %s".formatted(expression.text(), words(missed.status()), missed.detail()));
        }
    }

    private void write(Resolved resolved) {
        resolved.subjects().forEach(subject -> lines.add(describe(subject)));
        if (resolved.status() == OffsetAnswer.Status.PAST_END) {
            lines.add("  byte %d is %d behind the last"
                    .formatted(
                            expression.offset(),
                            expression.offset() - resolved.root().size() + 1));
            return;
        }
        lines.add(ROW.formatted("offset", "inside", "size", "bits", ""));
        writeStep(
                resolved.root(),
                0,
                ResolutionWriter.provenance(resolved.subjects().getFirst(), pins));
        writeLeaves(resolved.root());
    }

    private static String words(OffsetAnswer.Status status) {
        return status.word().replace('_', ' ');
    }

    private static String describe(Subject subject) {
        return switch (subject) {
            case Subject.OfVariable(Variable variable) ->
                "%s: %s%s, %s%s%s, %s, %s"
                        .formatted(
                                variable.qualifiedName(),
                                variable.function() == null
                                        ? "variable"
                                        : "static variable in " + variable.function() + "()",
                                variable.declaration() ? ", only declared" : "",
                                variable.type().spelling(),
                                ", " + size(variable.type().byteSize()),
                                variable.address() == null ? "" : ", at 0x" + Long.toHexString(variable.address()),
                                variable.unit(),
                                variable.language().name());
            case Subject.OfType(Definition definition) ->
                "%s: %s, %s, %s, %s"
                        .formatted(
                                definition.qualifiedName(),
                                definition.kind().word(),
                                size(definition.shape().byteSize()),
                                definition.unit(),
                                definition.language().name());
        };
    }

    private void writeStep(ResolutionStep step, int depth, @Nullable Provenance provenance) {
        String name = switch (step.kind()) {
            case BASE_CLASS -> "(base)";
            case DISCRIMINANT -> "(discriminant)";
            case PADDING -> "(padding)";
            case COMPUTED -> "(may be here) " + (step.name() == null ? "" : step.name());
            default -> step.name() == null ? "(unnamed)" : step.name();
        };
        lines.add(ROW.formatted(
                step.offset(),
                step.offsetInParent(),
                step.size() == TypeShape.UNKNOWN_SIZE ? "?" : step.size(),
                step.hasBits() ? step.bitOffset() + ":" + step.bitSize() : "",
                "  ".repeat(depth)
                        + name
                        + (step.type().isEmpty() ? "" : "  " + step.type())
                        + (step.pastEnd() ? "  (behind the last element)" : "")
                        + (provenance == null ? "" : "  (" + provenance.remark() + ")")));
        step.contents().forEach(inner -> writeStep(inner, depth + 1, ResolutionWriter.provenance(inner, pins)));
    }

    private void writeLeaves(ResolutionStep step) {
        if (!step.isLeaf()) {
            step.contents().forEach(this::writeLeaves);
            return;
        }
        switch (step.kind()) {
            case COMPUTED -> {}
            case PADDING ->
                lines.add("  = padding in %s, %s"
                        .formatted(
                                step.path(),
                                step.hasBits()
                                        ? "bits %d to %d"
                                                .formatted(step.bitOffset(), step.bitOffset() + step.bitSize() - 1)
                                        : "bytes %d to %d".formatted(step.offset(), step.offset() + step.size() - 1)));
            default ->
                lines.add("  = %s%s%s"
                        .formatted(
                                step.kind() == ResolutionStep.Kind.DISCRIMINANT ? "discriminant of " : "",
                                step.path(),
                                step.size() > 1 && !step.hasBits()
                                        ? ", byte %d of %d".formatted(expression.offset() - step.offset(), step.size())
                                        : ""));
        }
    }

    private static String size(long bytes) {
        return bytes == TypeShape.UNKNOWN_SIZE ? "size unknown" : bytes + (bytes == 1 ? " byte" : " bytes");
    }
}
