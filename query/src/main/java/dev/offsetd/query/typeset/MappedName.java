package dev.offsetd.query.typeset;

import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import java.util.List;
import java.util.function.Function;

/**
 * A name of a {@link NameMap}.
 *
 * @param name C identifiers, joined by dots
 */
public record MappedName(String name, ValueSource source) {

    /** Source of the value of a name. */
    public sealed interface ValueSource {

        /** Returns the item that the value is of; none for a constant. */
        List<Item> items();

        /**
         * Returns the value in a build.
         *
         * @param answers the answer to each item
         */
        MapValue value(Function<Item, ItemAnswer> answers);
    }

    /** The same value in every build: something that the consumer's table contains and that no layout decides. */
    public record ConstantSource(long value) implements ValueSource {

        @Override
        public List<Item> items() {
            return List.of();
        }

        @Override
        public MapValue value(Function<Item, ItemAnswer> answers) {
            return new MapValue.Known(value);
        }
    }

    /** A measure of an item. */
    public record ItemSource(Measure measure, Item item) implements ValueSource {

        @Override
        public List<Item> items() {
            return List.of(item);
        }

        @Override
        public MapValue value(Function<Item, ItemAnswer> answers) {
            return measure.of(answers.apply(item));
        }
    }
}
