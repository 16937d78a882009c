package dev.offsetd.server.admin.pins;

import dev.offsetd.query.item.Alternative;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import java.util.Optional;

/**
 * The type that a pin's item is about.
 *
 * @param name without its kind and quotes
 * @param isMember whether the item is a member of it
 */
record PinnedType(String name, boolean isMember) {

    /** Empty if the item is neither a type nor a member path. */
    static Optional<PinnedType> of(String item) {
        try {
            // The name of a type in C and C++ has no dots, so it is the shortest that the item can start with.
            return ItemParser.parse(item).alternatives().getFirst() instanceof Alternative.TypePath path
                    ? Optional.of(new PinnedType(
                            path.parts().getFirst(),
                            path.parts().size() > 1 || !path.steps().isEmpty()))
                    : Optional.empty();
        } catch (ItemSyntaxException e) {
            return Optional.empty();
        }
    }
}
