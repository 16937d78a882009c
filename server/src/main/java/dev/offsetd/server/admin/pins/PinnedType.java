package dev.offsetd.server.admin.pins;

import dev.offsetd.query.item.Alternative;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import java.util.Optional;

/**
 * The type that the item of a pin names.
 *
 * @param name without its kind and quotes
 * @param isMember whether the item names a member of the type
 */
record PinnedType(String name, boolean isMember) {

    /** Returns the type; empty if the item is neither a type nor a member path. */
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
