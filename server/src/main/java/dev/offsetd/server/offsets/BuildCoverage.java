package dev.offsetd.server.offsets;

import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.Outcome;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.web.Representation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/** How much of lists of items stored builds have, pins included. Nothing is fetched for it. */
@Component
public class BuildCoverage {

    private final StoredItems items;

    BuildCoverage(StoredItems items) {
        this.items = items;
    }

    /**
     * How much of a list a build has.
     *
     * @param complete whether every item is found, and of every set all that is required
     * @param sets by the texts of the items that name them
     * @param missing texts of the other items that were not found, in the order of the list
     */
    public record Found(boolean complete, Map<String, Coverage> sets, List<String> missing) {

        public Found {
            sets = Collections.unmodifiableMap(new LinkedHashMap<>(sets));
            missing = List.copyOf(missing);
        }
    }

    /**
     * Refuses a list that no build can be asked for.
     *
     * @param list one item in each text, at least one
     * @throws dev.offsetd.server.web.ProblemException if an item cannot be read or names a set that there is not: 400; if they
     *     are too many with those of the sets: 413
     */
    public void requireSound(List<String> list) {
        items.requireSets(query(list));
    }

    /**
     * How much of a list a build has.
     *
     * @param build whose types are stored
     * @param list as in {@link #requireSound}
     * @throws dev.offsetd.server.web.ProblemException as {@link #requireSound}
     * @throws CorruptBlobException if what is stored cannot be read here
     */
    public Found of(Build build, List<String> list) {
        OffsetsQuery query = query(list);
        return items.answer(build, query, found -> of(query, found));
    }

    private static Found of(OffsetsQuery query, StoredItems.Found found) {
        Set<String> asked = query.items().stream().map(Item::text).collect(Collectors.toSet());
        Map<String, Coverage> sets = new LinkedHashMap<>();
        List<String> missing = new ArrayList<>();
        for (ItemAnswer answer : found.answers().items()) {
            String text = answer.item().text();
            if (answer.outcome() instanceof Outcome.SetFound set) {
                sets.put(text, set.coverage());
            } else if (asked.contains(text) && answer.status() != ItemStatus.FOUND) {
                missing.add(text);
            }
        }
        return new Found(found.answers().complete(), sets, missing);
    }

    /**
     * How much of a set a build has.
     *
     * @param build as in {@link #of}
     * @param set name of the set
     * @return empty if what is stored cannot be read here, because another version has stored it
     * @throws dev.offsetd.server.web.ProblemException if there is no such set: 400
     */
    public Optional<Coverage> ofSet(Build build, String set) {
        String item = "@" + set;
        try {
            return Optional.ofNullable(of(build, List.of(item)).sets().get(item));
        } catch (CorruptBlobException e) {
            return Optional.empty();
        }
    }

    private static OffsetsQuery query(List<String> list) {
        return OffsetsQuery.ofItems(list, Optional.empty(), Optional.empty(), Representation.JSON);
    }
}
