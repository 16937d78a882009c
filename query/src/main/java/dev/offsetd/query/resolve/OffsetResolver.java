package dev.offsetd.query.resolve;

import dev.offsetd.extractor.input.Deadline;
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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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

    /** A resolution with all subjects that agree on it. */
    private record Joined(Resolved first, List<Subject> subjects) {

        private Resolved all() {
            return new Resolved(first.status(), subjects, first.root());
        }
    }

    /** Returns the resolution that all subjects agree on, or the different ones. */
    private static OffsetAnswer merged(OffsetExpression expression, List<Subject> subjects) {
        Map<String, Joined> listed = new LinkedHashMap<>();
        Set<String> others = new HashSet<>();
        OffsetAnswer.Missed missed = null;
        for (Subject subject : subjects) {
            Deadline.checkCurrent();
            switch (resolve(expression, subject)) {
                case OffsetAnswer.Missed miss -> missed = missed == null ? miss : missed;
                case Resolved way -> {
                    String key = ResolutionKey.of(way);
                    if (listed.containsKey(key) || listed.size() < MAX_VARIANTS) {
                        listed.computeIfAbsent(key, _ -> new Joined(way, new ArrayList<>()))
                                .subjects()
                                .addAll(way.subjects());
                    } else {
                        others.add(key);
                    }
                }
                case OffsetAnswer.Ambiguous several -> throw new IllegalStateException(several.toString());
            }
        }
        List<Resolved> different = listed.values().stream().map(Joined::all).toList();
        if (different.isEmpty()) {
            return Objects.requireNonNull(missed);
        }
        return different.size() == 1
                ? different.getFirst()
                : new OffsetAnswer.Ambiguous(different, different.size() + others.size());
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
