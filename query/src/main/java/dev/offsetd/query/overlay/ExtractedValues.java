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
        return of(ItemResolver.resolve(item, types, null).outcome());
    }

    /** Returns the value of an item with this outcome, as {@link #of(Item, TypeIndex)} does. */
    public static Optional<PinnedValue> of(ItemOutcome outcome) {
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
        boolean bySize = one instanceof PinnedValue.OfType type
                && other instanceof PinnedValue.OfType there
                && (type.members().isEmpty() || there.members().isEmpty());
        return comparable(one, bySize).equals(comparable(other, bySize));
    }

    private static PinnedValue comparable(PinnedValue value, boolean bySize) {
        return switch (value) {
            case PinnedValue.OfMember place ->
                new PinnedValue.OfMember(place.offset(), place.size(), place.bits(), null);
            case PinnedValue.OfType type -> {
                Map<String, PinnedValue.OfMember> members = new LinkedHashMap<>(bySize ? Map.of() : type.members());
                members.replaceAll((_, place) -> (PinnedValue.OfMember) comparable(place, false));
                yield new PinnedValue.OfType(type.size(), members);
            }
        };
    }
}
