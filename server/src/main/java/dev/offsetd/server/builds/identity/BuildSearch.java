package dev.offsetd.server.builds.identity;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.operations.Rows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Finds the builds of a page.
 *
 * <p>Each word is one of the build's own or of its {@linkplain IdentityFacets facets}. No single plan is fast for rare and for
 * frequent words, and PostgreSQL's planner takes words for independent: it would read the whole list for two that never occur
 * together. So the search chooses the plan. It looks rare words up in their index and compares the builds found. Otherwise, it
 * compares the next builds of the list, which soon fill a page if the words are frequent together, and goes on while they
 * promise to. Else few builds have all words, and the indexes find them.
 */
@Component
class BuildSearch {

    /** Most builds that have a rare word. */
    private static final int RARE = 2_000;

    /** Most builds that have the second word to look up. */
    private static final int FREQUENT = 100_000;

    /** Builds whose words are compared first. */
    private static final int WINDOW = 2_000;

    /** Factor by which the window grows if the first one promises that a larger one fills the page. */
    private static final int LARGER = 8;

    /** Memory for the bitmap of a frequent prefix in ten million builds. With less, PostgreSQL compares every row of its pages. */
    private static final String BITMAP_MEMORY = "64MB";

    /** Most builds that a search for words sorts. */
    static final int SORTED = 2_000;

    private static final String ROWS = "(select build_id, words, facets from build_identities where ";

    private final JdbcClient jdbc;
    private final WordFrequencies frequencies;
    private final IdentityFacets facets;
    private final int rare;
    private final int window;

    @Autowired
    BuildSearch(JdbcClient jdbc, WordFrequencies frequencies, IdentityFacets facets) {
        this(jdbc, frequencies, facets, RARE, WINDOW);
    }

    BuildSearch(JdbcClient jdbc, WordFrequencies frequencies, IdentityFacets facets, int rare, int window) {
        this.jdbc = jdbc;
        this.frequencies = frequencies;
        this.facets = facets;
        this.rare = rare;
        this.window = window;
    }

    /** Returns a page. Part of the caller's transaction, which it may permit more memory. */
    List<BuildId> page(BuildFilter filter, @Nullable BuildId after, int limit) {
        Slice slice = new Slice(BuildOrder.BUILD_ID, after, limit);
        List<SearchWord> words = words(filter);
        if (words.isEmpty()) {
            return select(new Clause("builds b"), new Clause(""), filter, slice);
        }
        Map<List<SearchWord>, List<Long>> byMissing = facets.byMissing(words);
        Clause haveAll = haveAll(words, byMissing);
        Set<List<SearchWord>> keys = keys(words, byMissing.keySet());
        boolean seemRare = keys.stream().noneMatch(key -> key.isEmpty() || frequencies.builds(key.getFirst()) > rare);
        if (seemRare) {
            List<BuildId> found = lookUp(keys);
            if (found.size() <= rare) {
                Clause those = new Clause(ROWS + "build_id = any(:found)) b", Map.of("found", Rows.ids(found)));
                return select(those, haveAll, filter, slice);
            }
        }
        for (int builds : new int[] {window, window * LARGER}) {
            Optional<byte[]> end = windowEnd(filter, after, builds);
            Clause next = end.map(until ->
                            new Clause(ROWS + from(after) + " and build_id < :until) b", Map.of("until", until)))
                    .orElse(new Clause(ROWS + from(after) + ") b"));
            List<BuildId> near = select(next, haveAll, filter, slice);
            if (near.size() == limit || end.isEmpty()) {
                return near;
            }
            if (near.size() * LARGER < limit) {
                break;
            }
        }
        Clause mayHaveAll = fromIndexes(words, byMissing, seemRare);
        jdbc.sql("set local work_mem = '" + BITMAP_MEMORY + "'").update();
        return select(mayHaveAll, haveAll, filter, slice);
    }

    /** Returns a page in another order. Part of the caller's transaction, which it may permit more memory. */
    List<BuildId> sorted(BuildFilter filter, BuildOrder order, @Nullable BuildId after, int limit) {
        Clause among = filter.words().isEmpty()
                ? new Clause("")
                : new Clause(" and b.build_id = any(:among)", Map.of("among", Rows.ids(page(filter, null, SORTED))));
        return select(new Clause("builds b"), among, filter, new Slice(order, after, limit));
    }

    /** Part of a sorted list. */
    private record Slice(BuildOrder order, @Nullable BuildId after, int limit) {}

    /** A part of a statement, with its parameters. */
    private record Clause(String sql, Map<String, Object> parameters) {

        Clause(String sql) {
            this(sql, Map.of());
        }
    }

    /** Returns the condition that a build has all words, those of its facets included. */
    private static Clause haveAll(List<SearchWord> words, Map<List<SearchWord>, List<Long>> byMissing) {
        StringBuilder sql = new StringBuilder(" and case when b.facets is null then b.words @@ cast(:all as tsquery)");
        Map<String, Object> parameters = new HashMap<>(Map.of("all", SearchWord.allOf(words)));
        int group = 0;
        for (Map.Entry<List<SearchWord>, List<Long>> facets : byMissing.entrySet()) {
            sql.append(" when b.facets = any(:facets").append(group).append(") then ");
            parameters.put("facets" + group, facets.getValue().toArray(Long[]::new));
            if (facets.getKey().isEmpty()) {
                sql.append("true");
            } else {
                sql.append("b.words @@ cast(:missing").append(group).append(" as tsquery)");
                parameters.put("missing" + group, SearchWord.allOf(facets.getKey()));
            }
            group++;
        }
        return new Clause(
                sql.append(" else b.words @@ cast(:all as tsquery) end").toString(), parameters);
    }

    /** Returns the builds that may have all words, each once. */
    private Clause fromIndexes(List<SearchWord> words, Map<List<SearchWord>, List<Long>> byMissing, boolean notRare) {
        List<SearchWord> others = key(words, notRare);
        Map<List<SearchWord>, List<Long>> facetsByKey = new LinkedHashMap<>();
        byMissing.forEach((missing, ids) -> facetsByKey
                .computeIfAbsent(key(missing, notRare), _ -> new ArrayList<>())
                .addAll(ids));
        facetsByKey.remove(others);
        StringBuilder sql = new StringBuilder("(")
                .append(ROWS)
                .append("words @@ cast(:key as tsquery) and (facets is null or facets <> all(:exceptions)) offset 0)");
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("key", SearchWord.allOf(others));
        parameters.put(
                "exceptions",
                facetsByKey.values().stream().flatMap(List::stream).toArray(Long[]::new));
        for (Map.Entry<List<SearchWord>, List<Long>> facets : facetsByKey.entrySet()) {
            int branch = parameters.size();
            sql.append(" union all ")
                    .append(ROWS)
                    .append("facets = any(:of")
                    .append(branch)
                    .append(')');
            parameters.put("of" + branch, facets.getValue().toArray(Long[]::new));
            if (!facets.getKey().isEmpty()) {
                sql.append(" and words @@ cast(:key").append(branch).append(" as tsquery)");
                parameters.put("key" + branch, SearchWord.allOf(facets.getKey()));
            }
            sql.append(" offset 0)");
        }
        return new Clause(sql.append(") b").toString(), parameters);
    }

    /**
     * Returns the words to look up: the rarest one, and the next one, unless that is frequent: the index reads all of its builds. A
     * word that is not in the statistics is rare enough alone.
     *
     * @param notRare whether even such words are known to be frequent: they begin many rare ones
     */
    private List<SearchWord> key(List<SearchWord> words, boolean notRare) {
        List<SearchWord> rarest = words.stream()
                .sorted(Comparator.comparingDouble(frequencies::builds))
                .limit(2)
                .toList();
        boolean alone = rarest.size() < 2
                || frequencies.builds(rarest.getLast()) > FREQUENT
                || (frequencies.builds(rarest.getFirst()) == 0 && !notRare);
        return alone ? rarest.stream().limit(1).toList() : rarest;
    }

    /** Returns the words of the search. The architecture is one of them if there are others: it excludes most facets. */
    private static List<SearchWord> words(BuildFilter filter) {
        return filter.words().isEmpty() || filter.machine() == null
                ? filter.words()
                : Stream.concat(
                                filter.words().stream(),
                                Stream.of(new SearchWord(filter.machine(), SearchWord.In.OTHER, true)))
                        .toList();
    }

    /** Returns keys of which each build that has all words has one: the keys of all words, and of those that facets lack. */
    private Set<List<SearchWord>> keys(List<SearchWord> words, Set<List<SearchWord>> missing) {
        Set<List<SearchWord>> keys = new LinkedHashSet<>();
        Stream.concat(missing.stream(), Stream.of(words))
                .sorted(Comparator.comparingInt(List::size))
                .filter(own -> own.isEmpty() || keys.stream().noneMatch(key -> !key.isEmpty() && own.containsAll(key)))
                .forEach(own -> keys.add(key(own, false)));
        return keys;
    }

    /** Returns the builds that have the words of a key, or at least one more than are rare. */
    private List<BuildId> lookUp(Set<List<SearchWord>> keys) {
        List<BuildId> found = new ArrayList<>();
        for (List<SearchWord> key : keys) {
            found.addAll(
                    jdbc.sql("select build_id from build_identities where words @@ cast(:key as tsquery) limit :most")
                            .param("key", SearchWord.allOf(key))
                            .param("most", rare + 1)
                            .query(Rows::id)
                            .list());
        }
        return found;
    }

    /** Returns the build after the next ones of the list; empty if it has no more than these. */
    private Optional<byte[]> windowEnd(BuildFilter filter, @Nullable BuildId after, int builds) {
        Map<String, Object> parameters = new HashMap<>(Map.of("first", filter.first(), "builds", builds));
        if (after != null) {
            parameters.put("after", after.toBytes());
        }
        if (filter.end() != null) {
            parameters.put("end", filter.end());
        }
        return jdbc.sql("select build_id from build_identities where " + from(after)
                        + (filter.end() == null ? "" : " and build_id < :end")
                        + " order by build_id offset :builds limit 1")
                .params(parameters)
                .query((row, number) -> row.getBytes(1))
                .optional();
    }

    private static String from(@Nullable BuildId after) {
        return "build_id >= :first" + (after == null ? "" : " and build_id > :after");
    }

    private List<BuildId> select(Clause from, Clause condition, BuildFilter filter, Slice slice) {
        StringBuilder sql = new StringBuilder("select b.build_id from ")
                .append(from.sql())
                // The planner removes the joins that no condition needs.
                .append(" left join builds s on s.build_id = b.build_id"
                        + " left join extraction_lease l on l.build_id = b.build_id"
                        + " left join build_identities i on i.build_id = b.build_id"
                        + " left join debug_files f on f.build_id = b.build_id and f.symbol_count is null"
                        + " where b.build_id >= :first")
                .append(slice.order().listed())
                .append(condition.sql());
        Map<String, Object> parameters = new HashMap<>(from.parameters());
        parameters.putAll(condition.parameters());
        parameters.put("first", filter.first());
        if (slice.after() != null) {
            sql.append(" and ").append(slice.order().after());
            parameters.put("after", slice.after().toBytes());
        }
        if (filter.end() != null) {
            sql.append(" and b.build_id < :end");
            parameters.put("end", filter.end());
        }
        if (filter.state() != null) {
            sql.append(
                    filter.state().equals(BuildFilter.RUNNING)
                            ? " and " + Builds.IS_RUNNING
                            : " and s.state = :state and not " + Builds.IS_RUNNING);
            parameters.put("state", filter.state());
        }
        if (filter.origin() != null) {
            sql.append(" and f.origin = :origin");
            parameters.put("origin", filter.origin().word());
        }
        if (filter.machine() != null) {
            sql.append(" and f.machine = :machine");
            parameters.put("machine", filter.machine());
        }
        sql.append(" order by ").append(slice.order().order()).append(" limit :limit");
        parameters.put("limit", slice.limit());
        return jdbc.sql(sql.toString()).params(parameters).query(Rows::id).list();
    }
}
