package dev.offsetd.query.overlay;

import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.Placement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Values of items by the debug information, in the form of pinned values, so that pins can be compared with them. */
public final class ExtractedValues {

    private ExtractedValues() {}

    /**
     * Returns the value of an item: the offset and size of a member; the size of a type and its members, including those of
     * unnamed members and base classes.
     *
     * @return empty if the item is not found, ambiguous, or of unknown size
     */
    public static Optional<PinnedValue> of(Item item, TypeIndex types) {
        return of(ItemResolver.resolve(item, types, Optional.empty()).outcome());
    }

    static Optional<PinnedValue> of(ItemOutcome outcome) {
        return switch (outcome) {
            case ItemOutcome.PathFound path -> Optional.ofNullable(place(path.placement()));
            case ItemOutcome.TypeFound type -> type(type);
            default -> Optional.empty();
        };
    }

    private static Optional<PinnedValue> type(ItemOutcome.TypeFound found) {
        long size = found.definition().shape().byteSize();
        if (size == TypeShape.UNKNOWN_SIZE) {
            return Optional.empty();
        }
        Map<String, PinnedValue.OfMember> members = new LinkedHashMap<>();
        for (Map.Entry<String, List<Placement>> field : found.fields().entrySet()) {
            if (field.getValue().size() == 1 && field.getValue().getFirst() instanceof Placement.Fixed fixed) {
                PinnedValue.OfMember place = place(fixed);
                if (place != null) {
                    members.put(field.getKey(), place);
                }
            }
        }
        return Optional.of(new PinnedValue.OfType(size, members));
    }

    private static PinnedValue.@Nullable OfMember place(Placement.Fixed place) {
        return place.size() == TypeShape.UNKNOWN_SIZE
                ? null
                : new PinnedValue.OfMember(
                        place.offset(),
                        place.size(),
                        place.isBitField() ? new PinnedValue.Bits(place.bitOffset(), place.bitSize()) : null,
                        place.type().spelling());
    }

    /**
     * Returns whether two values agree: offset, size and bits of members, and sizes of types. Names of types do not count.
     * A type without members is compared by size only.
     */
    public static boolean same(PinnedValue one, PinnedValue other) {
        return switch (one) {
            case PinnedValue.OfMember place -> other instanceof PinnedValue.OfMember there && same(place, there);
            case PinnedValue.OfType type ->
                other instanceof PinnedValue.OfType there && type.size() == there.size() && sameMembers(type, there);
        };
    }

    private static boolean sameMembers(PinnedValue.OfType one, PinnedValue.OfType other) {
        if (one.members().isEmpty() || other.members().isEmpty()) {
            return true;
        }
        if (!one.members().keySet().equals(other.members().keySet())) {
            return false;
        }
        for (Map.Entry<String, PinnedValue.OfMember> member : one.members().entrySet()) {
            PinnedValue.OfMember there = other.members().get(member.getKey());
            if (there == null || !same(member.getValue(), there)) {
                return false;
            }
        }
        return true;
    }

    private static boolean same(PinnedValue.OfMember one, PinnedValue.OfMember other) {
        return one.offset() == other.offset()
                && one.size() == other.size()
                && (one.bits() == null ? other.bits() == null : one.bits().equals(other.bits()));
    }
}
