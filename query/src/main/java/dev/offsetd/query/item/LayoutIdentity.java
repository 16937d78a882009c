package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.DifferingShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.FunctionShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tells equal layouts from different ones: gives each layout a number, equal ones the same.
 *
 * <p>Layouts are equal when kind, byte size and the ordered members are: name, place, bit size, size, counts, and
 * recursively the layouts of members held by value. Enumerations are equal by size and enumerators; as members and elements
 * they are scalars. What a pointer points to, how a typedef is called, and whether a scalar is a number or a pointer do not count. Of a pinned member nothing
 * counts but its place and size, because the pin says no more.
 *
 * <p>Every shape object is looked at once, however often it is shared. Not safe for several threads.
 */
final class LayoutIdentity {

    private final IdentityHashMap<TypeShape, Integer> known = new IdentityHashMap<>();
    private final Map<Layout, Integer> numbers = new HashMap<>();

    /** A layout with the layouts that it contains replaced by their numbers. */
    private sealed interface Layout {

        record Aggregate(TypeKind kind, long byteSize, List<Part> members) implements Layout {}

        record Enumeration(long byteSize, List<Enumerator> enumerators) implements Layout {}

        record Array(long byteSize, List<Long> counts, List<ArrayShape.Indexing> indexing, int element)
                implements Layout {}

        record Scalar(long byteSize) implements Layout {}

        record Incomplete() implements Layout {}
    }

    private record Part(
            Member.Role role,
            @Nullable String name,
            MemberLocation location,
            int bitSize,
            int type,
            @Nullable Variant variant) {}

    /** The number of this type's layout. */
    int of(TypeShape type) {
        TypeShape shape = type.peeled();
        Integer seen = known.get(shape);
        if (seen != null) {
            return seen;
        }
        int number = numberOf(layoutOf(shape));
        known.put(shape, number);
        return number;
    }

    /** The number of the layout of a member or element of this type. */
    int ofValue(TypeShape type) {
        return type.peeled() instanceof EnumShape enumeration
                ? numberOf(new Layout.Scalar(enumeration.byteSize()))
                : of(type);
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
                List<Part> parts = new ArrayList<>(aggregate.members().size());
                for (Member member : aggregate.members()) {
                    parts.add(new Part(
                            member.role(),
                            member.name(),
                            member.location(),
                            member.bitSize(),
                            member.pinned() == null
                                    ? ofValue(member.type())
                                    : numberOf(new Layout.Scalar(member.type().byteSize())),
                            member.variant()));
                }
                yield new Layout.Aggregate(aggregate.kind(), aggregate.byteSize(), parts);
            }
            case EnumShape enumeration -> new Layout.Enumeration(enumeration.byteSize(), enumeration.enumerators());
            case ArrayShape array -> {
                List<ArrayShape.Indexing> indexing = new ArrayList<>();
                TypeShape element = array;
                while (element.peeled() instanceof ArrayShape inner) {
                    if (inner.indexing() != null) {
                        indexing.add(inner.indexing());
                    }
                    element = inner.element();
                }
                yield new Layout.Array(array.byteSize(), Placement.counts(array), indexing, ofValue(element));
            }
            case IncompleteShape _ -> new Layout.Incomplete();
            case BaseShape _, PointerShape _, FunctionShape _, AliasShape _, DifferingShape _ ->
                new Layout.Scalar(shape.byteSize());
        };
    }
}
