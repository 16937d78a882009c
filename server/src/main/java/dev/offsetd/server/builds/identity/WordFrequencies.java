package dev.offsetd.server.builds.identity;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Estimates how many builds have a word, from PostgreSQL's planner statistics: the frequencies of the most common words. Words
 * that are not among them count as rare.
 */
@Component
class WordFrequencies {

    private static final long MAX_AGE_NANOS = Duration.ofMinutes(5).toNanos();

    private record Snapshot(long rows, TreeMap<String, Double> shares, long readAt) {}

    private final JdbcClient jdbc;
    private volatile Snapshot snapshot = new Snapshot(0, new TreeMap<>(), System.nanoTime() - MAX_AGE_NANOS);

    WordFrequencies(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Returns about how many builds have the word, or a word that begins with it. */
    double builds(SearchWord word) {
        Snapshot current = current();
        Map<String, Double> matching = word.whole()
                ? current.shares().subMap(word.text(), true, word.text(), true)
                : current.shares().subMap(word.text(), word.text() + Character.MAX_VALUE);
        return current.rows()
                * matching.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    private Snapshot current() {
        Snapshot known = snapshot;
        if (System.nanoTime() - known.readAt() >= MAX_AGE_NANOS) {
            known = read();
            snapshot = known;
        }
        return known;
    }

    private Snapshot read() {
        TreeMap<String, Double> shares = new TreeMap<>();
        jdbc.sql("""
                        select unnest(most_common_elems::text::text[]) as word, unnest(most_common_elem_freqs) as share
                        from pg_stats where schemaname = current_schema() and tablename = 'build_identities'
                            and attname = 'words'
                        """).query(row -> {
            // The frequencies end with the lowest and the highest one, which belong to no word.
            String word = row.getString("word");
            if (word != null) {
                shares.put(word, row.getDouble("share"));
            }
        });
        long rows = jdbc.sql("select reltuples::bigint from pg_class where oid = 'build_identities'::regclass")
                .query(Long.class)
                .single();
        return new Snapshot(rows, shares, System.nanoTime());
    }
}
