package dev.offsetd.query.typeset;

import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.Need;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An entry of a type set. */
public sealed interface TypeSetEntry {

    Need need();

    /** Returns a note for readers, or null. */
    @Nullable
    String note();

    /** Returns the name of a group; null for a single item. */
    @Nullable
    String name();

    /** Returns the alternatives, each with its items; a single item is the only one. */
    List<List<Item>> oneOf();

    /** Returns the items of all alternatives. */
    default List<Item> items() {
        return oneOf().stream().flatMap(List::stream).toList();
    }

    /** A single item. */
    record SingleEntry(Item item, Need need, @Nullable String note) implements TypeSetEntry {

        @Override
        public @Nullable String name() {
            return null;
        }

        @Override
        public List<List<Item>> oneOf() {
            return List.of(List.of(item));
        }
    }

    /**
     * Alternatives for different versions of a runtime. The group is found if every item of one alternative is.
     *
     * @param oneOf the alternatives, each with its items; at least one, and none without items
     */
    record GroupEntry(
            String name,
            Need need,
            List<List<Item>> oneOf,
            @Nullable String note) implements TypeSetEntry {

        public GroupEntry {
            oneOf = oneOf.stream().map(List::copyOf).toList();
        }
    }
}
