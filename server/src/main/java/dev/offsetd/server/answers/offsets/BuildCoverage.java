package dev.offsetd.server.answers.offsets;

import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.query.typeset.NameMap;
import dev.offsetd.server.answers.ItemResolution;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.answers.consensus.Consensus;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.identity.SetCoverage;
import dev.offsetd.server.typesets.TypeSets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/** Coverage of items by stored builds, pins included, and whether other builds answer instead. It fetches nothing. */
@Component
public class BuildCoverage {

    /** Most custom sets that are counted again. */
    private static final int OWN_SETS = 20;

    private final ItemResolution items;
    private final Consensus consensus;
    private final TypeSets sets;

    BuildCoverage(ItemResolution items, Consensus consensus, TypeSets sets) {
        this.items = items;
        this.consensus = consensus;
        this.sets = sets;
    }

    /**
     * Coverage of a list of items by a build.
     *
     * @param complete whether every item is found, and every required item of each set
     * @param sets coverage by the text of the item that names the set
     * @param missing texts of other items that were not found, in the order of the list
     */
    public record ItemCoverage(boolean complete, Map<String, Coverage> sets, List<String> missing) {

        public ItemCoverage {
            sets = Collections.unmodifiableMap(new LinkedHashMap<>(sets));
            missing = List.copyOf(missing);
        }
    }

    /**
     * Validates a list of items, and returns the number of characters of them and of those of the sets.
     *
     * @param list one item per text, at least one
     * @throws dev.offsetd.server.web.ProblemException if an item is malformed or names an unknown set: 400; if the
     *     items and those of the sets are too many: 413
     */
    public long validate(List<String> list) {
        return expand(list).items().stream()
                .mapToLong(item -> item.text().length())
                .sum();
    }

    private Expansion expand(List<String> list) {
        return sets.expand(QueryParameters.parse(list));
    }

    /**
     * Returns the coverage of a list of items.
     *
     * @param build whose types are stored
     * @param list as in {@link #validate}
     * @throws dev.offsetd.server.web.ProblemException as {@link #validate}
     * @throws CorruptBlobException if the stored types cannot be read
     */
    public ItemCoverage of(Build build, List<String> list) {
        Expansion expansion = expand(list);
        Expansion.Answers answers = items.resolve(build, expansion).answers();
        Set<String> requested = expansion.sent().stream().map(Item::text).collect(Collectors.toSet());
        Map<String, Coverage> covered = new LinkedHashMap<>();
        List<String> missing = new ArrayList<>();
        for (ItemAnswer answer : answers.items()) {
            String text = answer.item().text();
            if (answer.outcome() instanceof ItemOutcome.SetFound set) {
                covered.put(text, set.coverage());
            } else if (requested.contains(text) && answer.status() != ItemStatus.FOUND) {
                missing.add(text);
            }
        }
        return new ItemCoverage(answers.complete(), covered, missing);
    }

    /**
     * Returns whether a query with {@code fallback=consensus} has an answer from similar builds. Some of the items may be
     * ambiguous.
     *
     * @param build whose types are not stored
     * @param list as in {@link #validate}
     * @throws dev.offsetd.server.web.ProblemException as {@link #validate}
     */
    public boolean isByConsensus(Build build, List<String> list) {
        return consensus.answers(build, expand(list));
    }

    /**
     * Returns the coverage of a type set.
     *
     * @param build as in {@link #of}
     * @return empty if another version stored the types and this one cannot read them
     * @throws dev.offsetd.server.web.ProblemException if the set is unknown: 400
     */
    public Optional<Coverage> ofSet(Build build, String set) {
        String item = "@" + set;
        try {
            return Optional.ofNullable(of(build, List.of(item)).sets().get(item));
        } catch (CorruptBlobException e) {
            return Optional.empty();
        }
    }

    /** Returns the coverage of these sets, without those of which the build has no required item. */
    public List<SetCoverage> required(Build build, Collection<String> names) {
        return names.stream()
                .flatMap(name -> ofSet(build, name)
                        .filter(found -> found.required().found() > 0)
                        .map(found -> new SetCoverage(name, found.required(), found.optional()))
                        .stream())
                .toList();
    }

    /**
     * Returns the stored coverage of a build, with the first custom sets counted again: they may be newer than the build.
     *
     * @param build whose types are stored
     */
    public List<SetCoverage> current(Build build, List<SetCoverage> stored) {
        List<String> own = sets.firstOwn(OWN_SETS);
        return Stream.concat(stored.stream().filter(each -> !own.contains(each.set())), required(build, own).stream())
                .toList();
    }

    /**
     * Returns the values of a name map of a type set.
     *
     * @param build as in {@link #of}
     * @return empty if another version stored the types and this one cannot read them
     */
    public Optional<NameMap.Values> ofMap(Build build, String set, String map) {
        Expansion expansion = sets.expandMap(QueryParameters.parse(List.of("@" + set)), map);
        try {
            return items.resolve(build, expansion).answers().map();
        } catch (CorruptBlobException e) {
            return Optional.empty();
        }
    }

    /** Returns the names of the types that sets need. */
    public Set<String> typesOf(List<SetCoverage> coverage) {
        return coverage.stream()
                .flatMap(each -> sets.find(each.set()).stream())
                .flatMap(set -> set.document().set().items().stream())
                .flatMap(item -> item.typeNames().stream())
                .collect(Collectors.toSet());
    }
}
