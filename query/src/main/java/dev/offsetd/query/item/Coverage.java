package dev.offsetd.query.item;

import java.util.List;

/**
 * Coverage of a type set by a build. A group of the set counts as one entry.
 *
 * @param missing the entries that were not found, in the order of the set
 */
public record Coverage(Share required, Share optional, List<MissingEntry> missing) {

    public Coverage {
        missing = List.copyOf(missing);
    }

    /** Returns whether all required entries were found. */
    public boolean isComplete() {
        return required.found() == required.of();
    }

    public record Share(int found, int of) {}

    /** An entry of the set that was not found. */
    public sealed interface MissingEntry {

        /** Returns the text of the item, or the name of the group. */
        String name();

        Need need();

        /** A single item. */
        record MissingSingle(MissingItem item, Need need) implements MissingEntry {

            @Override
            public String name() {
                return item.text();
            }
        }

        /**
         * A group of which no alternative is complete.
         *
         * @param items the items of all alternatives that were not found, each once
         */
        record MissingGroup(String name, Need need, List<MissingItem> items) implements MissingEntry {

            public MissingGroup {
                items = List.copyOf(items);
            }
        }
    }

    /**
     * An item that was not found.
     *
     * @param status never {@link ItemStatus#FOUND}
     */
    public record MissingItem(String text, ItemStatus status) {}
}
