package dev.offsetd.query.typeset;

import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.Need;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One thing that a type set needs. */
public sealed interface Entry {

    Need need();

    /** What people should know about it; null if there is nothing to say. */
    @Nullable
    String note();

    /** The items to look for, of all alternatives. */
    List<Item> items();

    /** An item; there if it is found. */
    record One(Item item, Need need, @Nullable String note) implements Entry {

        @Override
        public List<Item> items() {
            return List.of(item);
        }
    }

    /**
     * Something that versions of a runtime have in different ways; there if every item of one of them is found.
     *
     * @param oneOf the alternatives, each with its items; at least one, and none without items
     */
    record Group(
            String name,
            Need need,
            List<List<Item>> oneOf,
            @Nullable String note) implements Entry {

        public Group {
            oneOf = oneOf.stream().map(List::copyOf).toList();
        }

        @Override
        public List<Item> items() {
            return oneOf.stream().flatMap(List::stream).toList();
        }
    }
}
