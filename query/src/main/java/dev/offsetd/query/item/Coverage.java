package dev.offsetd.query.item;

import java.util.List;

/**
 * How much of a type set a build has. A group of the set counts as one thing.
 *
 * @param missing what was not found, in the order of the set
 */
public record Coverage(Share required, Share optional, List<Missing> missing) {

    public Coverage {
        missing = List.copyOf(missing);
    }

    /** Whether everything is there that is required. */
    public boolean isComplete() {
        return required.found() == required.of();
    }

    /** How many of a number of things were found. */
    public record Share(int found, int of) {}

    /** Something that a set needs and the build does not have. */
    public sealed interface Missing {

        Need need();

        /** An entry that is one item. */
        record One(MissingItem item, Need need) implements Missing {}

        /**
         * A group none of whose alternatives is there as a whole.
         *
         * @param items those of its items that were not found, of all alternatives, each once
         */
        record Group(String name, Need need, List<MissingItem> items) implements Missing {

            public Group {
                items = List.copyOf(items);
            }
        }
    }

    /**
     * An item that was not found.
     *
     * @param text the item
     * @param status never {@link ItemStatus#FOUND}
     */
    public record MissingItem(String text, ItemStatus status) {}
}
