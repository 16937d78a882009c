package dev.offsetd.query.typeset;

import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemStatus;
import java.math.BigInteger;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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

        /** Returns whether the value is made of addresses, which differ between builds of one version. */
        boolean isOfBuild();
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

        @Override
        public boolean isOfBuild() {
            return false;
        }
    }

    /**
     * A measure of an item.
     *
     * @param ifAbsent the value in a build that certainly lacks the item, such as the consumer's 0 for "does not exist"; null if
     *     the name has no value then
     */
    public record ItemSource(
            Measure measure, Item item, @Nullable Long ifAbsent) implements ValueSource {

        @Override
        public List<Item> items() {
            return List.of(item);
        }

        @Override
        public MapValue value(Function<Item, ItemAnswer> answers) {
            ItemAnswer answer = answers.apply(item);
            MapValue value = measure.of(answer);
            return ifAbsent != null && (isAbsent(answer) || isLacked(answer, value))
                    ? new MapValue.Known(ifAbsent)
                    : value;
        }

        @Override
        public boolean isOfBuild() {
            return measure.isOfBuild();
        }

        /** Returns whether an item that was found certainly lacks the measure. */
        private static boolean isLacked(ItemAnswer answer, MapValue value) {
            return answer.status() == ItemStatus.FOUND
                    && value instanceof MapValue.Missing missing
                    && missing.status() == ItemStatus.FIELD_NOT_FOUND;
        }

        private static boolean isAbsent(ItemAnswer answer) {
            return !answer.incomplete()
                    && (answer.status() == ItemStatus.TYPE_NOT_FOUND || answer.status() == ItemStatus.FIELD_NOT_FOUND);
        }
    }

    /** The sum or the product of two other values. */
    public record CalculatedSource(Operation operation, ValueSource left, ValueSource right) implements ValueSource {

        @Override
        public List<Item> items() {
            return Stream.concat(left.items().stream(), right.items().stream()).toList();
        }

        @Override
        public MapValue value(Function<Item, ItemAnswer> answers) {
            MapValue first = left.value(answers);
            MapValue second = right.value(answers);
            if (!(first instanceof MapValue.Known a)) {
                return first;
            }
            if (!(second instanceof MapValue.Known b)) {
                return second;
            }
            BigInteger result = operation == Operation.SUM
                    ? a.number().add(b.number())
                    : a.number().multiply(b.number());
            return result.bitLength() < Long.SIZE
                    ? new MapValue.Known(result)
                    : new MapValue.Missing(items().getFirst(), ItemStatus.UNSUPPORTED, result + " exceeds 64 bits");
        }

        @Override
        public boolean isOfBuild() {
            return left.isOfBuild() || right.isOfBuild();
        }
    }

    /** How the value of a {@link CalculatedSource} follows from its two parts. */
    public enum Operation {
        SUM,
        PRODUCT;

        /** Returns the word in type sets. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
