package dev.offsetd.query.typeset;

import dev.offsetd.extractor.identity.Probes;
import dev.offsetd.extractor.identity.VariantToken;
import dev.offsetd.extractor.identity.VersionProbe;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.Need;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A named list of items.
 *
 * @param version incremented with every change, from 1
 * @param title the purpose, in a few words
 * @param probes where programs of the runtime state their version; the first that is found counts
 * @param variants what tells apart the variants of the runtime in stripped programs
 * @param maps names of consumers for values of the runtime, each map under another name
 * @param versions that the set was checked with, each the first numbers of a version; empty if it states none
 */
public record TypeSet(
        String name,
        int version,
        String title,
        List<TypeSetEntry> entries,
        List<VersionProbe> probes,
        List<VariantToken> variants,
        List<NameMap> maps,
        List<String> versions) {

    public TypeSet {
        entries = List.copyOf(entries);
        probes = List.copyOf(probes);
        variants = List.copyOf(variants);
        maps = List.copyOf(maps);
        versions = List.copyOf(versions);
    }

    public TypeSet withVersion(int other) {
        return new TypeSet(name, other, title, entries, probes, variants, maps, versions);
    }

    /** Returns what names programs of the runtimes of these sets. */
    public static Probes probes(List<TypeSet> sets) {
        return new Probes(
                sets.stream().flatMap(set -> set.probes().stream()).toList(),
                sets.stream().flatMap(set -> set.variants().stream()).toList());
    }

    /** Returns every item of the set, including those of all alternatives, each once. */
    public List<Item> items() {
        Map<String, Item> items = new LinkedHashMap<>();
        for (TypeSetEntry entry : entries) {
            entry.items().forEach(item -> items.putIfAbsent(item.text(), item));
        }
        return List.copyOf(items.values());
    }

    /**
     * Returns a map of the set.
     *
     * @param wanted its name; null for the only map
     * @throws UnknownNameMapException if there is none, or several and no name
     */
    NameMap map(@Nullable String wanted) {
        List<NameMap> found = maps.stream()
                .filter(map -> wanted == null || map.name().equals(wanted))
                .toList();
        if (found.size() != 1) {
            String problem = found.isEmpty() ? " has no name map" : " has several name maps";
            throw new UnknownNameMapException(
                    "@" + name + (wanted == null ? problem : ": no name map " + HostileText.quote(wanted)),
                    maps.stream().map(NameMap::name).toList());
        }
        return found.getFirst();
    }

    /** Returns whether the set states the versions that it was checked with, and this one is not of them. */
    public boolean isUncheckedWith(String version) {
        return !versions.isEmpty() && versions.stream().noneMatch(checked -> begins(version, checked));
    }

    /** 3.1 begins 3.1 and 3.1.2, but not 3.11. */
    private static boolean begins(String version, String numbers) {
        return version.startsWith(numbers)
                && (version.length() == numbers.length() || !Character.isDigit(version.charAt(numbers.length())));
    }

    /** Returns the number of entries with this need. */
    public int count(Need need) {
        return (int) entries.stream().filter(entry -> entry.need() == need).count();
    }

    /**
     * Returns the coverage of the set by a build.
     *
     * @param status the status of each item of the set
     */
    public Coverage coverage(Function<Item, ItemStatus> status) {
        List<Coverage.MissingEntry> missing = new ArrayList<>();
        for (TypeSetEntry entry : entries) {
            switch (entry) {
                case TypeSetEntry.SingleEntry one -> {
                    if (status.apply(one.item()) != ItemStatus.FOUND) {
                        missing.add(new Coverage.MissingEntry.MissingSingle(missed(one.item(), status), one.need()));
                    }
                }
                case TypeSetEntry.GroupEntry group -> {
                    if (group.oneOf().stream().noneMatch(way -> allFound(way, status))) {
                        missing.add(new Coverage.MissingEntry.MissingGroup(
                                group.name(),
                                group.need(),
                                group.items().stream()
                                        .filter(item -> status.apply(item) != ItemStatus.FOUND)
                                        .map(item -> missed(item, status))
                                        .distinct()
                                        .toList()));
                    }
                }
            }
        }
        return new Coverage(share(Need.REQUIRED, missing), share(Need.OPTIONAL, missing), missing);
    }

    private static boolean allFound(List<Item> items, Function<Item, ItemStatus> status) {
        return items.stream().allMatch(item -> status.apply(item) == ItemStatus.FOUND);
    }

    private static Coverage.MissingItem missed(Item item, Function<Item, ItemStatus> status) {
        return new Coverage.MissingItem(item.text(), status.apply(item));
    }

    private Coverage.Share share(Need need, List<Coverage.MissingEntry> missing) {
        int of = count(need);
        int lacking = (int) missing.stream().filter(each -> each.need() == need).count();
        return new Coverage.Share(of - lacking, of);
    }
}
