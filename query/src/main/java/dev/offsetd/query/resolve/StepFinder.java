package dev.offsetd.query.resolve;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.Placement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Finds the members at one byte of a type. Used for one query; not thread-safe. */
final class StepFinder {

    /** Most steps of an answer; nested unions can double them at each level. */
    static final int MAX_STEPS = 2_000;

    /** Most members visited for an answer. */
    private static final int MAX_MEMBERS = 10_000_000;

    private final long wantedByte;
    private final IdentityHashMap<TypeShape, Boolean> openEnded = new IdentityHashMap<>();
    private int steps;
    private long members;

    /** @param wantedByte bytes from the start of the outermost type */
    StepFinder(long wantedByte) {
        this.wantedByte = wantedByte;
    }

    /** Returns whether the byte is inside a value of this type, or in elements that may follow it. */
    boolean reaches(TypeShape type) throws TooManyStepsException {
        return type.byteSize() == TypeShape.UNKNOWN_SIZE || wantedByte < type.byteSize() || isOpenEnded(type);
    }

    /**
     * Returns the parts of a type that the byte belongs to; none if it has no parts.
     *
     * @param start bytes from the start of the outermost type to {@code at}, which may be too far to count in bits
     */
    List<ResolutionStep> contents(TypeShape type, long start, Placement.Fixed at, String path)
            throws TooManyStepsException {
        return switch (type.peeled()) {
            case AggregateShape aggregate -> members(aggregate, start, at, path);
            case ArrayShape array ->
                array.indexing() == null
                        ? element(array, start, at, path)
                        : elements(array, array.indexing(), start, at, path);
            default -> List.of();
        };
    }

    private List<ResolutionStep> members(AggregateShape aggregate, long start, Placement.Fixed parent, String path)
            throws TooManyStepsException {
        look(aggregate);
        long at = wantedByte - start;
        List<ResolutionStep> found = new ArrayList<>();
        List<ResolutionStep> computed = new ArrayList<>();
        for (Member member : aggregate.members()) {
            if (member.isBitField() && member.name() == null) {
                continue;
            }
            String reason = member.location().whyUnknown();
            if (reason != null) {
                computed.add(step(
                        ResolutionStep.Kind.COMPUTED,
                        member,
                        path,
                        start,
                        0,
                        member.type().spelling() + ", " + reason,
                        false,
                        null,
                        List.of()));
            } else if (MemberExtent.touches(member, at)) {
                found.add(member(member, start, parent, path));
            }
        }
        if (!found.stream().allMatch(StepFinder::isPaddingOfBase)) {
            // A derived class may use the tail padding of its base, and an empty base takes no space.
            found.removeIf(StepFinder::isPaddingOfBase);
        }
        boolean inside = aggregate.byteSize() == TypeShape.UNKNOWN_SIZE || at < aggregate.byteSize();
        if (found.isEmpty()) {
            for (Member tail : MemberExtent.lastBefore(aggregate, Long.MAX_VALUE)) {
                boolean mayGoOn = inside ? isOpen(tail.type()) : isOpenEnded(tail.type());
                if (mayGoOn && at >= MemberExtent.startByte(tail)) {
                    found.add(member(tail, start, parent, path));
                }
            }
        }
        if (found.isEmpty() && inside) {
            // Bytes after the start of a member of unknown size may belong to it; only a known end leaves padding.
            for (Member last : MemberExtent.lastBefore(aggregate, at)) {
                if (last.type().byteSize() == TypeShape.UNKNOWN_SIZE) {
                    found.add(member(last, start, parent, path));
                }
            }
        }
        boolean wholeByte = found.stream().anyMatch(step -> !step.hasBits());
        if (!wholeByte && inside) {
            if (computed.isEmpty()) {
                addPadding(aggregate, start, path, found);
            } else {
                found.addAll(computed);
            }
        }
        return found;
    }

    private static boolean isPaddingOfBase(ResolutionStep step) {
        return step.kind() == ResolutionStep.Kind.BASE_CLASS && isPadding(step);
    }

    private static boolean isPadding(ResolutionStep step) {
        return step.kind() == ResolutionStep.Kind.PADDING
                || (!step.isLeaf() && step.contents().stream().allMatch(StepFinder::isPadding));
    }

    private ResolutionStep member(Member member, long start, Placement.Fixed parent, String path)
            throws TooManyStepsException {
        ResolutionStep.Kind kind = switch (member.role()) {
            case FIELD, EMBEDDED -> ResolutionStep.Kind.MEMBER;
            case BASE_CLASS -> ResolutionStep.Kind.BASE_CLASS;
            case DISCRIMINANT -> ResolutionStep.Kind.DISCRIMINANT;
        };
        String inner = member.name() == null ? path : path + "." + Item.memberText(member.name());
        Placement.Fixed own = new Placement.Fixed(
                member.type(),
                parent.bitOffset() + member.bitOffset(),
                member.bitSize(),
                member.storageBytes(),
                parent.pastEnd(),
                new Placement.Via.OfMember(parent, member));
        List<ResolutionStep> contents = member.isBitField()
                ? List.of()
                : contents(member.type(), start + MemberExtent.startByte(member), own, inner);
        return step(
                kind,
                member,
                inner,
                start,
                member.bitOffset(),
                member.type().spelling(),
                parent.pastEnd(),
                own,
                contents);
    }

    private ResolutionStep step(
            ResolutionStep.Kind kind,
            Member member,
            String path,
            long start,
            long bitOffset,
            String type,
            boolean pastEnd,
            Placement.@Nullable Fixed placement,
            List<ResolutionStep> contents)
            throws TooManyStepsException {
        count();
        long inParent = Math.floorDiv(bitOffset, Byte.SIZE);
        long size = member.isBitField()
                ? Math.floorDiv(bitOffset + member.bitSize() - 1, Byte.SIZE) - inParent + 1
                : member.type().byteSize();
        return new ResolutionStep(
                kind,
                member.name(),
                path,
                start + inParent,
                inParent,
                size,
                start * Byte.SIZE + bitOffset,
                member.bitSize(),
                type,
                pastEnd,
                placement,
                contents);
    }

    private List<ResolutionStep> element(ArrayShape array, long start, Placement.Fixed parent, String path)
            throws TooManyStepsException {
        long elementBytes = array.element().byteSize();
        long row = elementBytes;
        for (long count : array.counts().subList(1, array.counts().size())) {
            if (row <= 0 || count <= 0 || Math.multiplyHigh(row, count) != 0 || row * count < 0) {
                return List.of();
            }
            row *= count;
        }
        if (row <= 0) {
            return List.of();
        }
        long at = wantedByte - start;
        long first = at / row;
        long inParent = first * row;
        List<Long> indexes = new ArrayList<>(List.of(first));
        long inRow = at % row;
        for (long count : array.counts().subList(1, array.counts().size())) {
            row /= count;
            indexes.add(inRow / row);
            inParent += inRow / row * row;
            inRow %= row;
        }
        boolean behind = parent.pastEnd()
                || (array.counts().getFirst() >= 0 && first >= array.counts().getFirst());
        String name = name(indexes);
        Placement.Fixed own = element(parent, array.element(), indexes, inParent * Byte.SIZE, behind);
        count();
        return List.of(new ResolutionStep(
                ResolutionStep.Kind.ELEMENT,
                name,
                path + name,
                start + inParent,
                inParent,
                elementBytes,
                (start + inParent) * Byte.SIZE,
                Member.NOT_A_BIT_FIELD,
                array.element().spelling(),
                behind,
                own,
                contents(array.element(), start + inParent, own, path + name)));
    }

    private static String name(List<Long> indexes) {
        return indexes.stream().map(index -> "[" + index + "]").collect(Collectors.joining());
    }

    /** Returns the placement of an element, which is reached by one index after the other. */
    private static Placement.Fixed element(
            Placement.Fixed array, TypeShape type, List<Long> indexes, long bitsInArray, boolean pastEnd) {
        Placement.Fixed element = array;
        for (long index : indexes) {
            element = new Placement.Fixed(
                    type,
                    array.bitOffset() + bitsInArray,
                    Member.NOT_A_BIT_FIELD,
                    0,
                    pastEnd,
                    new Placement.Via.OfElement(element, index));
        }
        return element;
    }

    /** Returns the elements at the byte, of an array that is not indexed as in C; several if they are packed. */
    private List<ResolutionStep> elements(
            ArrayShape array, ArrayShape.Indexing indexing, long start, Placement.Fixed parent, String path)
            throws TooManyStepsException {
        long elementBits = indexing.elementBits();
        if (indexing.computed() != null
                || elementBits <= 0
                || indexing.bitStrides().stream().anyMatch(stride -> stride <= 0)) {
            return List.of();
        }
        List<Integer> slowestFirst = IntStream.range(0, array.counts().size())
                .boxed()
                .sorted(Comparator.comparingLong(
                        dimension -> -indexing.bitStrides().get(dimension)))
                .toList();
        boolean packed = elementBits < MemberExtent.saturated(array.element().byteSize());
        long firstBit = (wantedByte - start) * Byte.SIZE;
        List<ResolutionStep> found = new ArrayList<>();
        for (long bit = firstBit; bit < firstBit + Byte.SIZE; ) {
            List<Long> indexes = new ArrayList<>(Collections.nCopies(slowestFirst.size(), 0L));
            long inElement = bit;
            boolean inside = true;
            for (int dimension : slowestFirst) {
                long stride = indexing.bitStrides().get(dimension);
                long count = array.counts().get(dimension);
                indexes.set(dimension, indexing.lowerBounds().get(dimension) + inElement / stride);
                inside &= count < 0 || inElement / stride < count;
                inElement %= stride;
            }
            if (!inside || inElement >= elementBits) {
                // Past the last element, or in a gap between two.
                return found;
            }
            String name = name(indexes);
            long bitInParent = bit - inElement;
            long inParent = bitInParent / Byte.SIZE;
            Placement.Fixed own = element(parent, array.element(), indexes, bitInParent, parent.pastEnd());
            count();
            found.add(new ResolutionStep(
                    ResolutionStep.Kind.ELEMENT,
                    name,
                    path + name,
                    start + inParent,
                    inParent,
                    packed
                            ? (bitInParent + elementBits - 1) / Byte.SIZE - inParent + 1
                            : array.element().byteSize(),
                    start * Byte.SIZE + bitInParent,
                    packed ? elementBits : Member.NOT_A_BIT_FIELD,
                    array.element().spelling(),
                    parent.pastEnd(),
                    own,
                    packed ? List.of() : contents(array.element(), start + inParent, own, path + name)));
            bit = bitInParent + elementBits;
        }
        return found;
    }

    /**
     * Adds the gaps at the byte. A gap is not covered by any member, and ends at the next member or the end of the type.
     */
    private void addPadding(AggregateShape aggregate, long start, String path, List<ResolutionStep> found)
            throws TooManyStepsException {
        long firstBit = (wantedByte - start) * Byte.SIZE;
        for (long bit = firstBit; bit < firstBit + Byte.SIZE; ) {
            long low = 0;
            long high = aggregate.byteSize() == TypeShape.UNKNOWN_SIZE
                    ? firstBit + Byte.SIZE
                    : MemberExtent.saturated(aggregate.byteSize());
            boolean covered = false;
            for (Member member : aggregate.members()) {
                if (!(member.location() instanceof MemberLocation.Fixed(long from))
                        || (member.isBitField() && member.name() == null)) {
                    continue;
                }
                long end = MemberExtent.end(member);
                if (from <= bit && end > bit) {
                    covered = true;
                    bit = end;
                    break;
                }
                if (end <= bit) {
                    low = Math.max(low, end);
                } else {
                    high = Math.min(high, from);
                }
            }
            look(aggregate);
            if (!covered) {
                found.add(padding(start, low, high, path));
                bit = high;
            }
        }
    }

    private ResolutionStep padding(long start, long low, long high, String path) throws TooManyStepsException {
        count();
        boolean wholeBytes = low % Byte.SIZE == 0 && high % Byte.SIZE == 0;
        long inParent = low / Byte.SIZE;
        return new ResolutionStep(
                ResolutionStep.Kind.PADDING,
                null,
                path,
                start + inParent,
                inParent,
                Math.ceilDiv(high, Byte.SIZE) - inParent,
                start * Byte.SIZE + low,
                wholeBytes ? Member.NOT_A_BIT_FIELD : high - low,
                "",
                false,
                null,
                List.of());
    }

    /**
     * Returns whether more elements may follow a value: it ends in a flexible array, or in one of 0 or 1 elements, the
     * idiom from before C99.
     */
    private boolean isOpenEnded(TypeShape type) throws TooManyStepsException {
        TypeShape shape = type.peeled();
        if (shape instanceof ArrayShape array) {
            return array.counts().getFirst() < 0
                    || (array.indexing() == null && array.counts().getFirst() <= 1);
        }
        if (!(shape instanceof AggregateShape aggregate)) {
            return false;
        }
        Boolean known = openEnded.get(shape);
        if (known == null) {
            look(aggregate);
            known = false;
            for (Member tail : MemberExtent.lastBefore(aggregate, Long.MAX_VALUE)) {
                known |= isOpenEnded(tail.type());
            }
            openEnded.put(shape, known);
        }
        return known;
    }

    /** Returns whether the type is an array whose elements its size does not include. */
    private static boolean isOpen(TypeShape type) {
        return type.peeled() instanceof ArrayShape array && array.counts().getFirst() <= 0;
    }

    private void look(AggregateShape aggregate) throws TooManyStepsException {
        members += aggregate.members().size() + 1L;
        if (members > MAX_MEMBERS) {
            throw new TooManyStepsException("more than " + MAX_MEMBERS + " members to examine");
        }
    }

    private void count() throws TooManyStepsException {
        if (++steps > MAX_STEPS) {
            throw new TooManyStepsException("more than " + MAX_STEPS + " steps lead to this byte");
        }
    }
}
