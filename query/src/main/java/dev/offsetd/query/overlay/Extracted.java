package dev.offsetd.query.overlay;

import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.Outcome;
import dev.offsetd.query.item.Placement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the debug information of a build says of a pin's item, in the words of a pin. */
public final class Extracted {

    private Extracted() {}

    /**
     * What it says of the item: of a member where it lies, of a type its size and, if it has them, its members with those of
     * unnamed members and of base classes.
     *
     * @return empty if it says nothing, nothing clear, or no size
     */
    public static Optional<PinnedValue> of(Item item, TypeIndex types) {
        return of(ItemResolver.resolve(item, types, Optional.empty()).outcome());
    }

    static Optional<PinnedValue> of(Outcome outcome) {
        return switch (outcome) {
            case Outcome.PathFound path -> Optional.ofNullable(place(path.place()));
            case Outcome.TypeFound type -> type(type);
            default -> Optional.empty();
        };
    }

    private static Optional<PinnedValue> type(Outcome.TypeFound found) {
        long size = found.definition().shape().byteSize();
        if (size == TypeShape.UNKNOWN_SIZE) {
            return Optional.empty();
        }
        Map<String, PinnedValue.Place> members = new LinkedHashMap<>();
        for (Map.Entry<String, List<Placement>> field : found.fields().entrySet()) {
            if (field.getValue().size() == 1 && field.getValue().getFirst() instanceof Placement.Fixed fixed) {
                PinnedValue.Place place = place(fixed);
                if (place != null) {
                    members.put(field.getKey(), place);
                }
            }
        }
        return Optional.of(new PinnedValue.Type(size, members));
    }

    private static PinnedValue.@Nullable Place place(Placement.Fixed place) {
        return place.size() == TypeShape.UNKNOWN_SIZE
                ? null
                : new PinnedValue.Place(
                        place.offset(),
                        place.size(),
                        place.isBitField() ? new PinnedValue.Bits(place.bitOffset(), place.bitSize()) : null,
                        place.type().spelling());
    }

    /**
     * Whether both say the same: offset, size and bits of a member, size and the places of all members of a type. What types
     * are called does not count, and one without members says nothing but a size.
     */
    public static boolean same(PinnedValue one, PinnedValue other) {
        return switch (one) {
            case PinnedValue.Place place -> other instanceof PinnedValue.Place there && same(place, there);
            case PinnedValue.Type type ->
                other instanceof PinnedValue.Type there && type.size() == there.size() && sameMembers(type, there);
        };
    }

    private static boolean sameMembers(PinnedValue.Type one, PinnedValue.Type other) {
        if (one.members().isEmpty() || other.members().isEmpty()) {
            return true;
        }
        if (!one.members().keySet().equals(other.members().keySet())) {
            return false;
        }
        for (Map.Entry<String, PinnedValue.Place> member : one.members().entrySet()) {
            PinnedValue.Place there = other.members().get(member.getKey());
            if (there == null || !same(member.getValue(), there)) {
                return false;
            }
        }
        return true;
    }

    private static boolean same(PinnedValue.Place one, PinnedValue.Place other) {
        return one.offset() == other.offset()
                && one.size() == other.size()
                && (one.bits() == null ? other.bits() == null : one.bits().equals(other.bits()));
    }
}
