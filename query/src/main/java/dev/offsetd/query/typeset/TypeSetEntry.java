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

    /** Returns the items of all alternatives. */
    List<Item> items();

    /** A single item. */
    record SingleEntry(Item item, Need need, @Nullable String note) implements TypeSetEntry {

        @Override
        public List<Item> items() {
            return List.of(item);
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

        @Override
        public List<Item> items() {
            return oneOf.stream().flatMap(List::stream).toList();
        }
    }
}
