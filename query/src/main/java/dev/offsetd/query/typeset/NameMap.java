package dev.offsetd.query.typeset;

import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A mapping from the names of a consumer's constants to values of items.
 *
 * @param name the name of the map in its set
 * @param title the consumer, in a few words
 * @param names the names that every build has
 * @param oneOf alternatives for different versions of a runtime, each with all names that differ; may be empty
 */
public record NameMap(String name, String title, List<MappedName> names, List<List<MappedName>> oneOf) {

    public NameMap {
        names = List.copyOf(names);
        oneOf = oneOf.stream().map(List::copyOf).toList();
    }

    /**
     * A name with its value in a build.
     *
     * @param ofBuild whether the value is an address, which differs between builds of one version
     */
    public record NamedValue(String name, MapValue value, boolean ofBuild) {

        private @Nullable NamedValue common(@Nullable NamedValue other) {
            if (other == null || !value.isSame(other.value)) {
                return null;
            }
            return !equals(other) && value instanceof MapValue.Known known
                    ? new NamedValue(name, new MapValue.Known(known.number(), null), ofBuild)
                    : this;
        }
    }

    /**
     * A name whose value differs between two builds.
     *
     * @param before null if the alternative that answers for the first build lacks the name
     * @param after null if that of the second does
     */
    public record Change(
            String name,
            @Nullable MapValue before,
            @Nullable MapValue after) {}

    /**
     * Values of a map in a build.
     *
     * @param set the name of the set
     * @param version the version of the set
     * @param values in the order of the map
     */
    public record Values(String set, int version, NameMap map, List<NamedValue> values) {

        public Values {
            values = List.copyOf(values);
        }

        /** Returns whether every name has a value. */
        public boolean isComplete() {
            return values.stream().noneMatch(value -> value.value() instanceof MapValue.Missing);
        }

        /** Returns the values that may hold for other builds of the same version: all but addresses. */
        public Values ofVersion() {
            return with(values.stream().filter(value -> !value.ofBuild()).toList());
        }

        /** Returns the values that are the same in another build, each with its limit if that is the same, too. */
        public Values common(Values other) {
            Map<String, NamedValue> others = other.byName();
            return with(values.stream()
                    .flatMap(value -> Stream.ofNullable(value.common(others.get(value.name()))))
                    .toList());
        }

        /** Returns the names whose values another build changes, in the order of the map; addresses are not compared. */
        public List<Change> changes(Values after) {
            Map<String, NamedValue> others = after.ofVersion().byName();
            List<Change> changes = new ArrayList<>();
            for (NamedValue before : ofVersion().values) {
                NamedValue other = others.remove(before.name());
                MapValue now = other == null ? null : other.value();
                if (!before.value().isSame(now)) {
                    changes.add(new Change(before.name(), before.value(), now));
                }
            }
            others.forEach((name, added) -> changes.add(new Change(name, null, added.value())));
            return List.copyOf(changes);
        }

        private Map<String, NamedValue> byName() {
            Map<String, NamedValue> byName = new LinkedHashMap<>();
            values.forEach(value -> byName.put(value.name(), value));
            return byName;
        }

        private Values with(List<NamedValue> others) {
            return new Values(set, version, map, others);
        }
    }

    /** Returns every item of the map, including those of all alternatives, each once. */
    List<Item> items() {
        Map<String, Item> items = new LinkedHashMap<>();
        Stream.concat(names.stream(), oneOf.stream().flatMap(List::stream))
                .flatMap(name -> name.source().items().stream())
                .forEach(item -> items.putIfAbsent(item.text(), item));
        return List.copyOf(items.values());
    }

    /**
     * Returns the values of the map in a build: those of {@code names}, and those of the first alternative whose items are
     * all found. If there is none, the first of the alternatives with the fewest missing values stands for them.
     *
     * @param answers the answer to each item of the map
     */
    List<NamedValue> values(Function<Item, ItemAnswer> answers) {
        List<NamedValue> values = new ArrayList<>(values(names, answers));
        List<NamedValue> closest = List.of();
        long fewest = Long.MAX_VALUE;
        for (List<MappedName> alternative : oneOf) {
            List<NamedValue> candidate = values(alternative, answers);
            long missing = candidate.stream()
                    .filter(value -> value.value() instanceof MapValue.Missing)
                    .count();
            if (missing < fewest) {
                closest = candidate;
                fewest = missing;
            }
        }
        values.addAll(closest);
        return values;
    }

    private static List<NamedValue> values(List<MappedName> names, Function<Item, ItemAnswer> answers) {
        return names.stream()
                .map(name -> new NamedValue(
                        name.name(), name.source().value(answers), name.source().isOfBuild()))
                .toList();
    }
}
