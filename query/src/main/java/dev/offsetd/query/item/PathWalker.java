package dev.offsetd.query.item;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.PointerKind;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Follows a path through one definition: through members, typedefs, qualifiers and array elements, up to the first pointer.
 * Caches the fields of types. Not thread-safe.
 */
final class PathWalker {

    private final IdentityHashMap<AggregateShape, Map<String, List<Placement>>> scopes = new IdentityHashMap<>();

    /** Returns the outcome of a path from {@code definition}; the type itself for a path without steps. */
    ItemOutcome walk(
            Definition definition,
            List<Definition> alsoMatches,
            Alternative.TypePath path,
            Alternative.TypeAndSteps split) {
        try {
            if (definition.shape().peeled() instanceof IncompleteShape incomplete
                    && incomplete.reason() instanceof IncompleteShape.Reason.Unsupported) {
                return incomplete(path.prefix(split, 0), incomplete);
            }
            if (split.steps().isEmpty()) {
                Map<String, List<Placement>> fields = definition.shape().peeled() instanceof AggregateShape aggregate
                        ? fieldsOf(aggregate)
                        : Map.of();
                return new ItemOutcome.TypeFound(definition, alsoMatches, fields);
            }
            ItemOutcome found = upToPointer(definition, Placement.Fixed.start(definition.shape()), path, split, 0);
            return found instanceof ItemOutcome.PathFound(var _, var _, Placement.Fixed placement)
                    ? new ItemOutcome.PathFound(definition, alsoMatches, placement)
                    : found;
        } catch (UnanswerableException e) {
            return new ItemOutcome.Missed(ItemStatus.UNSUPPORTED, e.getMessage());
        }
    }

    /**
     * Returns the outcome of the rest of a path behind a pointer.
     *
     * @param target definition of what the pointer points to
     * @param crosses the pointer, and the step that follows it
     */
    ItemOutcome walkBehind(
            Definition target,
            Alternative.TypePath path,
            Alternative.TypeAndSteps split,
            ItemOutcome.CrossesPointer crosses) {
        int step = crosses.step();
        try {
            String at = path.prefix(split, step);
            if (target.shape().peeled() instanceof IncompleteShape incomplete) {
                return incomplete(at, incomplete);
            }
            Placement.Fixed start = Placement.Fixed.start(target.shape());
            if (split.steps().get(step) instanceof Alternative.PathStep.IndexStep(long index) && index != 0) {
                start = indexed(start, index, at);
            }
            // A reference stands for the pointer that it refers to, which one -> follows too, as in C++.
            boolean follows = split.steps().get(step) instanceof Alternative.PathStep.PointerStep
                    && isReference(crosses.placement().type())
                    && target.shape().peeled() instanceof PointerShape;
            return upToPointer(target, start, path, split, follows ? step : step + 1);
        } catch (UnanswerableException e) {
            return new ItemOutcome.Missed(ItemStatus.UNSUPPORTED, e.getMessage());
        }
    }

    private static boolean isReference(TypeShape type) {
        return type.peeled() instanceof PointerShape pointer
                && (pointer.kind() == PointerKind.REFERENCE || pointer.kind() == PointerKind.RVALUE_REFERENCE);
    }

    /** Returns the value that a pointer to an array without bounds has at an index. */
    private static Placement.Fixed indexed(Placement.Fixed first, long index, String at) throws UnanswerableException {
        long bytes = first.type().byteSize();
        if (bytes == TypeShape.UNKNOWN_SIZE) {
            throw new UnanswerableException("the size of what " + HostileText.quote(at)
                    + " points to is not known, so only index 0 has an offset");
        }
        try {
            long bits = Math.multiplyExact(Math.multiplyExact(bytes, (long) Byte.SIZE), index);
            return new Placement.Fixed(first.type(), bits, Member.NOT_A_BIT_FIELD, 0, false, null);
        } catch (ArithmeticException e) {
            throw tooFar();
        }
    }

    private ItemOutcome upToPointer(
            Definition definition,
            Placement.Fixed start,
            Alternative.TypePath path,
            Alternative.TypeAndSteps split,
            int first)
            throws UnanswerableException {
        List<Alternative.PathStep> steps = split.steps();
        Placement.Fixed placement = start;
        for (int i = first; i < steps.size(); i++) {
            String at = path.prefix(split, i);
            TypeShape type = placement.type().peeled();
            if (type instanceof PointerShape pointer) {
                boolean dot = steps.get(i) instanceof Alternative.PathStep.MemberStep;
                return new ItemOutcome.CrossesPointer(
                        definition,
                        at,
                        i,
                        placement,
                        pointer.pointee(),
                        dot && TargetDefinitions.isFollowed(pointer)
                                ? path.following(
                                        split,
                                        i,
                                        Placement.counts(pointer.target()).size())
                                : null);
            }
            if (type instanceof IncompleteShape incomplete) {
                return incomplete(at, incomplete);
            }
            switch (steps.get(i)) {
                case Alternative.PathStep.MemberStep(String name) -> {
                    if (!(type instanceof AggregateShape aggregate)) {
                        return noField(
                                at,
                                type instanceof ArrayShape
                                        ? "is an array: select an element first, as in [0]"
                                        : "is not a struct, union or class");
                    }
                    List<Placement> named = named(aggregate, name);
                    int last = named.isEmpty() ? endOfDottedName(steps, i, fieldsOf(aggregate)) : i;
                    if (last < 0) {
                        return noMember(at, name, aggregate, fieldsOf(aggregate).keySet());
                    }
                    List<Placement> found = last == i ? named : named(aggregate, joined(steps, i, last));
                    i = last;
                    String next = path.prefix(split, i + 1);
                    switch (representative(found)) {
                        case Placement.Computed computed -> {
                            return outcome(definition, next, computed);
                        }
                        case Placement.Fixed fixed when found.size() == 1 -> placement = within(placement, fixed);
                        case Placement.Fixed _ -> {
                            return ambiguous(definition, next, placement, found);
                        }
                    }
                }
                case Alternative.PathStep.IndexStep(long index) -> {
                    if (!(type instanceof ArrayShape array)) {
                        return noField(at, "is not an array");
                    }
                    Optional<ItemOutcome> failure = withoutElement(definition, array, index, at);
                    if (failure.isPresent()) {
                        return failure.get();
                    }
                    placement = element(placement, array, index, at);
                }
                case Alternative.PathStep.PointerStep _ -> {
                    return noField(at, notAPointer(definition, type, at, steps.subList(i + 1, steps.size())));
                }
            }
        }
        return new ItemOutcome.PathFound(definition, List.of(), placement);
    }

    /** Describes a struct before {@code ->}, and how to select the member behind it. */
    private String notAPointer(Definition definition, TypeShape type, String at, List<Alternative.PathStep> behind)
            throws UnanswerableException {
        if (!(type instanceof AggregateShape aggregate)) {
            return "is not a pointer";
        }
        if (!behind.isEmpty()
                && behind.getFirst() instanceof Alternative.PathStep.MemberStep(String name)
                && !named(aggregate, name).isEmpty()) {
            return "is not a pointer: select the member by a dot, as in "
                    + HostileText.quote(at + "." + Item.memberText(name));
        }
        return switch (definition.language().family()) {
            case GO, RUST -> "is not a pointer: select a member by a dot, and of a fat pointer its address";
            default -> "is not a pointer: select a member by a dot";
        };
    }

    private static ItemOutcome incomplete(String at, IncompleteShape type) {
        ItemStatus status = switch (type.reason()) {
            case IncompleteShape.Reason.NotInBinary _ -> ItemStatus.NOT_IN_BINARY;
            case IncompleteShape.Reason.Unsupported _ -> ItemStatus.UNSUPPORTED;
            case IncompleteShape.Reason.Declared _, IncompleteShape.Reason.Unread _ -> ItemStatus.DECLARATION_ONLY;
        };
        return new ItemOutcome.Missed(
                status,
                HostileText.quote(at) + " is incomplete: " + type.reason().text());
    }

    private static ItemOutcome outcome(Definition definition, String at, Placement.Computed computed) {
        return computed.status() == ItemStatus.COMPUTED
                ? new ItemOutcome.Computed(definition, at, computed.reason())
                : new ItemOutcome.Missed(computed.status(), HostileText.quote(at) + ": " + computed.reason());
    }

    /** Returns why an element has no placement; empty if it has one. */
    private static Optional<ItemOutcome> withoutElement(
            Definition definition, ArrayShape array, long index, String at) {
        if (array.indexing() == null && index < 0) {
            return Optional.of(noField(at, "has no index " + index + ": the lowest is 0"));
        }
        if (index > 0
                && array.element().peeled() instanceof IncompleteShape incomplete
                && incomplete.byteSize() == TypeShape.UNKNOWN_SIZE) {
            return Optional.of(new ItemOutcome.Missed(
                    ItemStatus.DECLARATION_ONLY,
                    "elements of " + HostileText.quote(at) + " are incomplete: "
                            + incomplete.reason().text()));
        }
        if (array.indexing() == null) {
            return Optional.empty();
        }
        String reason = array.indexing().computed();
        if (reason != null) {
            return Optional.of(new ItemOutcome.Computed(definition, at, reason));
        }
        return outside(array, index).map(detail -> noField(at, detail));
    }

    private List<Placement> named(AggregateShape aggregate, String name) throws UnanswerableException {
        List<Placement> own = fieldsOf(aggregate).get(name);
        return own == null ? FieldScope.promoted(aggregate, name) : own;
    }

    /**
     * Returns the last of the steps from {@code first} that together are one name with dots, as GCC's {@code _vptr.Base};
     * -1 if there is none.
     */
    private static int endOfDottedName(
            List<Alternative.PathStep> steps, int first, Map<String, List<Placement>> fields) {
        int last = first + 1;
        while (last < steps.size() && steps.get(last) instanceof Alternative.PathStep.MemberStep) {
            if (fields.containsKey(joined(steps, first, last))) {
                return last;
            }
            last++;
        }
        return -1;
    }

    private static String joined(List<Alternative.PathStep> steps, int first, int last) {
        return steps.subList(first, last + 1).stream()
                .map(step -> step instanceof Alternative.PathStep.MemberStep(String name) ? name : "")
                .collect(Collectors.joining("."));
    }

    private Map<String, List<Placement>> fieldsOf(AggregateShape aggregate) throws UnanswerableException {
        Map<String, List<Placement>> fields = scopes.get(aggregate);
        if (fields == null) {
            fields = FieldScope.of(aggregate);
            scopes.put(aggregate, fields);
        }
        return fields;
    }

    /** Returns the placement that represents all of a name: a fixed one unless all are computed. */
    static Placement representative(List<Placement> placements) {
        for (Placement placement : placements) {
            if (placement instanceof Placement.Fixed) {
                return placement;
            }
        }
        return placements.getFirst();
    }

    private static ItemOutcome ambiguous(Definition definition, String at, Placement.Fixed outer, List<Placement> found)
            throws UnanswerableException {
        List<ItemOutcome.DifferingAnswer> variants = new ArrayList<>();
        for (Placement placement : found.subList(0, Math.min(found.size(), ItemResolver.MAX_VARIANTS))) {
            ItemOutcome outcome = switch (placement) {
                case Placement.Computed computed -> outcome(definition, at, computed);
                case Placement.Fixed fixed -> new ItemOutcome.PathFound(definition, List.of(), within(outer, fixed));
            };
            variants.add(new ItemOutcome.DifferingAnswer(definition, outcome));
        }
        return new ItemOutcome.Ambiguous(variants, found.size());
    }

    private static ItemOutcome noMember(String at, String name, AggregateShape type, Set<String> others) {
        String member = HostileText.quote(at) + " has no member " + HostileText.quote(name);
        return new ItemOutcome.Missed(
                type.isPartial() ? ItemStatus.NOT_IN_BINARY : ItemStatus.FIELD_NOT_FOUND,
                type.isPartial()
                        ? member + " that the program describes"
                        : member + (name.indexOf(' ') < 0 ? "" : ": separate items by commas"),
                new ItemOutcome.MissingMember(at, name, others));
    }

    private static ItemOutcome noField(String at, String problem) {
        return new ItemOutcome.Missed(ItemStatus.FIELD_NOT_FOUND, HostileText.quote(at) + " " + problem);
    }

    /** Returns {@code inner} counted from the origin of {@code outer}. */
    private static Placement.Fixed within(Placement.Fixed outer, Placement.Fixed inner) throws UnanswerableException {
        try {
            return inner.inside(outer);
        } catch (ArithmeticException e) {
            throw tooFar();
        }
    }

    static Placement.Fixed element(Placement.Fixed placement, ArrayShape array, long index, String at)
            throws UnanswerableException {
        try {
            TypeShape element = array.withoutFirstDimension();
            long count = array.counts().getFirst();
            long steps = Math.subtractExact(index, array.lowerBound(0));
            boolean pastEnd = placement.pastEnd() || (count >= 0 && steps >= count);
            long bitOffset = placement.bitOffset();
            if (steps != 0) {
                long stride = array.bitStride(0);
                if (stride == ArrayShape.UNKNOWN_STRIDE) {
                    throw new UnanswerableException("the size of one element of " + HostileText.quote(at)
                            + " is not known, so only index " + array.lowerBound(0) + " has an offset");
                }
                bitOffset = Math.addExact(bitOffset, Math.multiplyExact(steps, stride));
            }
            Placement.Via via = new Placement.Via.OfElement(placement, index);
            long bits = array.elementBits();
            boolean packed = array.counts().size() == 1
                    && bits != TypeShape.UNKNOWN_SIZE
                    && bits < Math.multiplyExact(element.byteSize(), (long) Byte.SIZE);
            return packed
                    ? new Placement.Fixed(element, bitOffset, Math.toIntExact(bits), element.byteSize(), pastEnd, via)
                    : new Placement.Fixed(element, bitOffset, Member.NOT_A_BIT_FIELD, 0, pastEnd, via).inBytes();
        } catch (ArithmeticException e) {
            throw tooFar();
        }
    }

    /** Returns why an index is outside the bounds that the source declares; empty if it is inside. */
    private static Optional<String> outside(ArrayShape array, long index) {
        long lower = array.lowerBound(0);
        long count = array.counts().getFirst();
        if (index < lower) {
            return Optional.of("has no index " + index + ": the lowest is " + lower);
        }
        return count >= 0 && index - lower >= count
                ? Optional.of("has no index " + index
                        + (count == 0 ? ": it is empty" : ": the range is " + lower + " to " + (lower + count - 1)))
                : Optional.empty();
    }

    private static UnanswerableException tooFar() {
        return new UnanswerableException("the offset is past bit " + Long.MAX_VALUE);
    }
}
