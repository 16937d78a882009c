package dev.offsetd.extractor.layout;

import dev.offsetd.extractor.input.Deadline;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Equality of layouts, the one definition of it: two types are laid out equally when their kinds, byte sizes and ordered
 * members are equal. A member counts with its role, name, location, bit size, variant and, recursively, the layout of its
 * type if it is held by value; an array with its counts, bounds and strides, whether a typedef names a part of it or not.
 *
 * <p>An enumeration counts with its size and enumerators where it is a definition, and as a scalar where it is a member or
 * element. A scalar counts with its size and byte order alone, whether it is a number or a pointer. Spellings, typedef names, alignment
 * and what a pointer points to do not count.
 *
 * <p>Each layout gets the number of its equivalence class, so that each shape object is visited once, however often it is
 * shared. Before it builds shapes, the DWARF reader merges definitions by a hash of more facts than these; a test checks that
 * both agree otherwise. Not thread-safe.
 */
public final class LayoutEquality {

    private final Predicate<Member> sizeOnly;
    private final IdentityHashMap<TypeShape, Integer> known = new IdentityHashMap<>();
    private final Map<Layout, Integer> numbers = new HashMap<>();

    /** Names of members and enumerators, and reasons, by their first use. */
    private final Map<String, Integer> texts = new HashMap<>();

    /** The numbers of a layout that is being taken apart. */
    private static final class Facts {

        private long[] numbers = new long[16];
        private int count;

        Facts add(long number) {
            if (count == numbers.length) {
                numbers = Arrays.copyOf(numbers, 2 * count);
            }
            numbers[count++] = number;
            return this;
        }

        /** Adds a list of numbers, so that its end can be told. */
        Facts addAll(List<Long> list) {
            add(list.size());
            list.forEach(this::add);
            return this;
        }

        Layout toLayout() {
            return new Layout(Arrays.copyOf(numbers, count));
        }
    }

    /**
     * A layout as numbers: its parts are replaced by the numbers of their classes, and texts by theirs. Comparable, because
     * a file can have many layouts of one hash.
     */
    private static final class Layout implements Comparable<Layout> {

        private final long[] facts;
        private final int hash;

        Layout(long[] facts) {
            this.facts = facts;
            this.hash = Arrays.hashCode(facts);
        }

        @Override
        public int compareTo(Layout other) {
            return Arrays.compare(facts, other.facts);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Layout layout && layout.hash == hash && Arrays.equals(layout.facts, facts);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    /** Kinds of layouts, the first number of each key. */
    private static final int AGGREGATE = 1;

    private static final int ENUMERATION = 2;
    private static final int ARRAY = 3;
    private static final int SCALAR = 4;
    private static final int INCOMPLETE = 5;

    /** The number of a text that is missing. */
    private static final int NONE = -1;

    /** Creates an empty set of classes; numbers of different sets are unrelated. */
    public LayoutEquality() {
        this(_ -> false);
    }

    /**
     * Creates an empty set of classes.
     *
     * @param sizeOnly members whose type counts with its size alone, whatever it is made of
     */
    public LayoutEquality(Predicate<Member> sizeOnly) {
        this.sizeOnly = sizeOnly;
    }

    public boolean areEqual(TypeShape one, TypeShape other) {
        return classOf(one) == classOf(other);
    }

    /** Returns the number of the equivalence class of a type's layout. */
    public int classOf(TypeShape type) {
        TypeShape shape = type.peeled();
        Integer seen = known.get(shape);
        if (seen != null) {
            return seen;
        }
        Deadline.checkCurrent();
        int number = numberOf(layoutOf(shape));
        known.put(shape, number);
        return number;
    }

    /** Returns the number of the equivalence class of a member or element of this type. */
    public int classOfValue(TypeShape type) {
        return type.peeled() instanceof EnumShape enumeration ? numberOf(scalar(enumeration)) : classOf(type);
    }

    private int numberOf(Layout layout) {
        Integer number = numbers.get(layout);
        if (number == null) {
            number = numbers.size();
            numbers.put(layout, number);
        }
        return number;
    }

    private int text(@Nullable String text) {
        return text == null ? NONE : texts.computeIfAbsent(text, _ -> texts.size());
    }

    private static Layout scalar(TypeShape type) {
        ByteOrder order = type.byteOrder();
        return new Facts()
                .add(SCALAR)
                .add(type.byteSize())
                .add(order == null ? 0 : order == ByteOrder.BIG_ENDIAN ? 1 : 2)
                .toLayout();
    }

    private Layout layoutOf(TypeShape shape) {
        return switch (shape) {
            case AggregateShape aggregate -> {
                Facts facts = new Facts()
                        .add(AGGREGATE)
                        .add(text(aggregate.kind().name()))
                        .add(aggregate.byteSize());
                for (Member member : aggregate.members()) {
                    addMember(facts, member);
                }
                yield facts.toLayout();
            }
            case EnumShape enumeration -> {
                Facts facts = new Facts().add(ENUMERATION).add(enumeration.byteSize());
                for (Enumerator each : enumeration.enumerators()) {
                    facts.add(text(each.name())).add(each.value()).add(each.known() ? 1 : 0);
                }
                yield facts.toLayout();
            }
            case ArrayShape array -> layoutOfArray(array);
            case IncompleteShape _ ->
                new Facts().add(INCOMPLETE).add(shape.byteSize()).toLayout();
            case BaseShape _, PointerShape _, FunctionShape _, AliasShape _, DifferingShape _, NamedShape _ ->
                scalar(shape);
        };
    }

    private void addMember(Facts facts, Member member) {
        facts.add(text(member.role().name())).add(text(member.name()));
        switch (member.location()) {
            case MemberLocation.Fixed fixed -> facts.add(0).add(fixed.bitOffset());
            case MemberLocation.Computed(String reason) -> facts.add(1).add(text(reason));
            case MemberLocation.Unsupported(String reason) -> facts.add(2).add(text(reason));
        }
        facts.add(member.bitSize())
                .add(sizeOnly.test(member) ? numberOf(scalar(member.type())) : classOfValue(member.type()));
        Variant variant = member.variant();
        if (variant == null) {
            facts.add(NONE);
            return;
        }
        facts.add(variant.values().size());
        for (Variant.ValueRange range : variant.values()) {
            facts.add(text(range.first().toString())).add(text(range.last().toString()));
        }
        facts.add(variant.discriminantBytes());
    }

    private Layout layoutOfArray(ArrayShape array) {
        List<Long> counts = new ArrayList<>();
        List<ArrayShape.Indexing> indexing = new ArrayList<>();
        TypeShape element = array;
        while (element.peeled() instanceof ArrayShape inner) {
            counts.addAll(inner.counts());
            if (inner.indexing() != null) {
                indexing.add(inner.indexing());
            }
            element = inner.element();
        }
        Facts facts = new Facts()
                .add(ARRAY)
                .add(array.byteSize())
                .add(classOfValue(element))
                .addAll(counts);
        for (ArrayShape.Indexing each : indexing) {
            facts.addAll(each.lowerBounds())
                    .addAll(each.bitStrides())
                    .add(each.elementBits())
                    .add(text(each.computed()));
        }
        return facts.toLayout();
    }
}
