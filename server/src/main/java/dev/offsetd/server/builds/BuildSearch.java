package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.BuildId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Finds the builds of a page.
 *
 * <p>Words are looked up in one of three ways, because no single plan is fast for rare and for frequent words: rare words through
 * their index, and the others in what they select; frequent words in the next builds of the list, which soon fill a page; and
 * words that are frequent alone but not together through the index, all at once. PostgreSQL's planner takes words for
 * independent and would read the whole list for two that never occur together.
 */
@Component
class BuildSearch {

    static final String IS_RUNNING = "(l.owner is not null and l.lease_until >= now())";

    /** Most builds that have a rare word. */
    private static final int RARE = 2_000;

    /** Builds whose words are compared one by one. */
    private static final int WINDOW = 16_000;

    private final JdbcClient jdbc;
    private final WordFrequencies frequencies;

    BuildSearch(JdbcClient jdbc, WordFrequencies frequencies) {
        this.jdbc = jdbc;
        this.frequencies = frequencies;
    }

    List<BuildId> page(BuildFilter filter, Optional<BuildId> after, int limit) {
        if (filter.words().isEmpty()) {
            return select("", filter, after, limit, Map.of());
        }
        Map<String, Object> all = Map.of("all", SearchWord.tsquery(filter.words()));
        List<SearchWord> rare = filter.words().stream()
                .filter(word -> frequencies.builds(word) <= RARE)
                .toList();
        if (!rare.isEmpty()) {
            List<BuildId> found = withWords(rare);
            if (found.size() <= RARE) {
                return select(
                        " join build_identities i on i.build_id = b.build_id and i.words @@ cast(:all as tsquery)"
                                + " and i.build_id = any(:found)",
                        filter,
                        after,
                        limit,
                        with(all, "found", BuildRow.bytes(found)));
            }
        }
        String window = " join (select build_id, words from build_identities where build_id >= :first"
                + (after.isPresent() ? " and build_id > :after" : "")
                + " order by build_id limit :window) i on i.build_id = b.build_id and i.words @@ cast(:all as tsquery)";
        List<BuildId> near = select(window, filter, after, limit, with(all, "window", WINDOW));
        return near.size() == limit
                ? near
                : select(
                        " join (select build_id from build_identities where words @@ cast(:all as tsquery) offset 0) i"
                                + " on i.build_id = b.build_id",
                        filter,
                        after,
                        limit,
                        all);
    }

    private List<BuildId> withWords(Collection<SearchWord> words) {
        return jdbc.sql("select build_id from build_identities where words @@ cast(:words as tsquery) limit :most")
                .param("words", SearchWord.tsquery(words))
                .param("most", RARE + 1)
                .query((row, number) -> BuildId.of(row.getBytes(1)))
                .list();
    }

    private static Map<String, Object> with(Map<String, Object> parameters, String name, Object value) {
        Map<String, Object> more = new HashMap<>(parameters);
        more.put(name, value);
        return more;
    }

    private List<BuildId> select(
            String found, BuildFilter filter, Optional<BuildId> after, int limit, Map<String, Object> own) {
        StringBuilder sql = new StringBuilder("select b.build_id from builds b")
                .append(found)
                .append(" left join extraction_lease l on l.build_id = b.build_id"
                        + " left join debug_files f on f.build_id = b.build_id and f.symbol_count is null"
                        + " where b.build_id >= :first");
        Map<String, Object> parameters = new HashMap<>(own);
        parameters.put("first", filter.first());
        after.ifPresent(id -> {
            sql.append(" and b.build_id > :after");
            parameters.put("after", id.toBytes());
        });
        if (filter.end() != null) {
            sql.append(" and b.build_id < :end");
            parameters.put("end", filter.end());
        }
        if (filter.state() != null) {
            sql.append(
                    filter.state().equals(BuildFilter.RUNNING)
                            ? " and " + IS_RUNNING
                            : " and state = :state and not " + IS_RUNNING);
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
        sql.append(" order by b.build_id limit :limit");
        parameters.put("limit", limit);
        return jdbc.sql(sql.toString())
                .params(parameters)
                .query((row, number) -> BuildId.of(row.getBytes(1)))
                .list();
    }
}
