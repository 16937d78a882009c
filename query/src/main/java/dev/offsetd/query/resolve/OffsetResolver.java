package dev.offsetd.query.resolve;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.item.VariableChoice;
import dev.offsetd.query.resolve.OffsetAnswer.Resolved;
import dev.offsetd.query.resolve.OffsetAnswer.Status;
import dev.offsetd.query.resolve.OffsetAnswer.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds the members at a byte of a variable or type. A name without a kind means a variable before a type, because such
 * names come from symbol tables and memory dumps. Stateless.
 */
public final class OffsetResolver {

    /** Most variants that an ambiguous answer lists. */
    static final int MAX_VARIANTS = 100;

    private OffsetResolver() {}

    /**
     * Resolves an expression.
     *
     * @param language the language of the variable or type; null for any, C and C++ first
     */
    public static OffsetAnswer resolve(
            OffsetExpression expression, TypeIndex index, Language.@Nullable Family language) {
        if (expression.kind() == null) {
            List<Variable> variables = VariableChoice.named(expression.name(), index, language);
            if (variables.isEmpty()) {
                variables = VariableChoice.partly(expression.name(), index, language);
            }
            if (!variables.isEmpty()) {
                return merged(
                        expression,
                        variables.stream().<Subject>map(Subject.OfVariable::new).toList());
            }
        }
        return ofType(expression, index, language);
    }

    private static OffsetAnswer ofType(
            OffsetExpression expression, TypeIndex index, Language.@Nullable Family language) {
        String kind = expression.kind() == null ? "" : expression.kind().word() + " ";
        Item item = ItemParser.parse(kind + '"' + expression.name() + '"');
        return switch (ItemResolver.resolve(item, index, language).outcome()) {
            case ItemOutcome.TypeFound type -> merged(expression, List.of(new Subject.OfType(type.definition())));
            case ItemOutcome.Ambiguous ambiguous ->
                merged(
                        expression,
                        ambiguous.variants().stream()
                                .<Subject>map(variant -> new Subject.OfType(variant.definition()))
                                .toList());
            case ItemOutcome.Missed missed ->
                switch (missed.status()) {
                    case DECLARATION_ONLY ->
                        new OffsetAnswer.Missed(
                                Status.DECLARATION_ONLY,
                                Objects.requireNonNullElse(missed.detail(), "the build only declares it"));
                    case TYPE_NOT_FOUND, NOT_IN_BINARY, NO_DEBUGINFO -> notFound(expression, missed.detail());
                    default ->
                        new OffsetAnswer.Missed(
                                Status.UNSUPPORTED,
                                Objects.requireNonNullElse(
                                        missed.detail(), missed.status().word()));
                };
            // A pin of a member also answers to the quoted path of the member, which names no type.
            default -> notFound(expression, null);
        };
    }

    private static OffsetAnswer notFound(OffsetExpression expression, @Nullable String detail) {
        return new OffsetAnswer.Missed(
                Status.NOT_FOUND,
                (expression.kind() == null ? "no variable or type" : "no type")
                        + " of the build has this name"
                        + (detail == null ? "" : "; " + detail));
    }

    /** Returns the resolution that all subjects agree on, or the different ones. */
    private static OffsetAnswer merged(OffsetExpression expression, List<Subject> subjects) {
        List<Resolved> different = new ArrayList<>();
        List<OffsetAnswer.Missed> missed = new ArrayList<>();
        for (Subject subject : subjects) {
            switch (resolve(expression, subject)) {
                case OffsetAnswer.Missed miss -> missed.add(miss);
                case Resolved way -> addOrJoin(different, way);
                case OffsetAnswer.Ambiguous several -> throw new IllegalStateException(several.toString());
            }
        }
        if (different.isEmpty()) {
            return missed.getFirst();
        }
        return different.size() == 1
                ? different.getFirst()
                : new OffsetAnswer.Ambiguous(
                        different.subList(0, Math.min(different.size(), MAX_VARIANTS)), different.size());
    }

    private static void addOrJoin(List<Resolved> different, Resolved way) {
        for (int i = 0; i < different.size(); i++) {
            Resolved known = different.get(i);
            if (known.status() == way.status() && isSame(known.root(), way.root(), way.status())) {
                List<Subject> subjects = new ArrayList<>(known.subjects());
                subjects.addAll(way.subjects());
                different.set(i, new Resolved(known.status(), subjects, known.root()));
                return;
            }
        }
        different.add(way);
    }

    /** Returns whether two chains agree below the root. The size of the root counts only if the byte is past its end. */
    private static boolean isSame(ResolutionStep one, ResolutionStep other, Status status) {
        if (status == Status.PAST_END || one.isLeaf() || other.isLeaf()) {
            return one.size() == other.size() && one.isLeaf() == other.isLeaf();
        }
        if (one.contents().size() != other.contents().size()) {
            return false;
        }
        for (int i = 0; i < one.contents().size(); i++) {
            if (!one.contents().get(i).leadsWhere(other.contents().get(i))) {
                return false;
            }
        }
        return true;
    }

    private static OffsetAnswer resolve(OffsetExpression expression, Subject subject) {
        TypeShape type = switch (subject) {
            case Subject.OfVariable(Variable variable) -> variable.type();
            case Subject.OfType(Definition definition) -> definition.shape();
        };
        String name = expression.name();
        if (type.peeled() instanceof IncompleteShape incomplete) {
            return new OffsetAnswer.Missed(
                    Status.DECLARATION_ONLY,
                    HostileText.quote(name) + " is of type " + HostileText.quote(incomplete.spelling())
                            + ", which is incomplete: " + incomplete.reason().text());
        }
        StepFinder finder = new StepFinder(expression.offset());
        try {
            boolean reached = finder.reaches(type);
            List<ResolutionStep> contents =
                    reached ? finder.contents(type, 0, Placement.Fixed.start(type), name) : List.of();
            if (type.byteSize() == TypeShape.UNKNOWN_SIZE && contents.isEmpty()) {
                return new OffsetAnswer.Missed(
                        Status.UNSUPPORTED,
                        HostileText.quote(name) + " is of type " + HostileText.quote(type.spelling())
                                + ", whose size is not known");
            }
            return new Resolved(
                    reached ? Status.FOUND : Status.PAST_END, List.of(subject), root(subject, name, type, contents));
        } catch (TooManyStepsException e) {
            return new OffsetAnswer.Missed(Status.UNSUPPORTED, HostileText.quote(name) + ": " + e.getMessage());
        }
    }

    private static ResolutionStep root(
            Subject subject, @Nullable String name, TypeShape type, List<ResolutionStep> contents) {
        boolean variable = subject instanceof Subject.OfVariable;
        return new ResolutionStep(
                variable ? ResolutionStep.Kind.VARIABLE : ResolutionStep.Kind.TYPE,
                name,
                Objects.requireNonNullElse(name, ""),
                0,
                0,
                type.byteSize(),
                0,
                Member.NOT_A_BIT_FIELD,
                type.spelling(),
                false,
                null,
                contents);
    }
}
