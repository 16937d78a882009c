package dev.offsetd.extractor.layout;

import java.util.ArrayList;
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
 * element. A scalar counts with its size alone, whether it is a number or a pointer. Spellings, typedef names, alignment
 * and what a pointer points to do not count.
 *
 * <p>Each layout gets the number of its equivalence class, so that each shape object is visited once, however often it is
 * shared. The DWARF reader finds equal definitions by a hash of the same facts before it builds shapes; a test checks that
 * both agree. Not thread-safe.
 */
public final class LayoutEquality {

    private final Predicate<Member> sizeOnly;
    private final IdentityHashMap<TypeShape, Integer> known = new IdentityHashMap<>();
    private final Map<Layout, Integer> numbers = new HashMap<>();

    /** A layout whose parts are replaced by the numbers of their classes. */
    private sealed interface Layout {

        record Aggregate(TypeKind kind, long byteSize, List<MemberKey> members) implements Layout {}

        record Enumeration(long byteSize, List<Enumerator> enumerators) implements Layout {}

        record Array(long byteSize, List<Long> counts, List<ArrayShape.Indexing> indexing, int element)
                implements Layout {}

        record Scalar(long byteSize) implements Layout {}

        record Incomplete() implements Layout {}
    }

    private record MemberKey(
            Member.Role role,
            @Nullable String name,
            MemberLocation location,
            int bitSize,
            int type,
            @Nullable Variant variant) {}

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
        int number = numberOf(layoutOf(shape));
        known.put(shape, number);
        return number;
    }

    /** Returns the number of the equivalence class of a member or element of this type. */
    public int classOfValue(TypeShape type) {
        return type.peeled() instanceof EnumShape enumeration
                ? numberOf(new Layout.Scalar(enumeration.byteSize()))
                : classOf(type);
    }

    private int numberOf(Layout layout) {
        Integer number = numbers.get(layout);
        if (number == null) {
            number = numbers.size();
            numbers.put(layout, number);
        }
        return number;
    }

    private Layout layoutOf(TypeShape shape) {
        return switch (shape) {
            case AggregateShape aggregate -> {
                List<MemberKey> parts = new ArrayList<>(aggregate.members().size());
                for (Member member : aggregate.members()) {
                    parts.add(new MemberKey(
                            member.role(),
                            member.name(),
                            member.location(),
                            member.bitSize(),
                            sizeOnly.test(member)
                                    ? numberOf(new Layout.Scalar(member.type().byteSize()))
                                    : classOfValue(member.type()),
                            member.variant()));
                }
                yield new Layout.Aggregate(aggregate.kind(), aggregate.byteSize(), parts);
            }
            case EnumShape enumeration -> new Layout.Enumeration(enumeration.byteSize(), enumeration.enumerators());
            case ArrayShape array -> {
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
                yield new Layout.Array(array.byteSize(), counts, indexing, classOfValue(element));
            }
            case IncompleteShape _ -> new Layout.Incomplete();
            case BaseShape _, PointerShape _, FunctionShape _, AliasShape _, DifferingShape _, NamedShape _ ->
                new Layout.Scalar(shape.byteSize());
        };
    }
}
