package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.operations.work.ServerIdentity;
import dev.offsetd.server.sources.outcome.BuildState;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Numbers of builds and their latest results. The cost does not depend on the number of builds: above {@value #COUNTED}, the
 * numbers come from PostgreSQL's planner statistics ({@code pg_class} and {@code pg_stats}).
 */
@Component
public class BuildStatistics {

    /** Most rows that are counted one by one. */
    static final int COUNTED = 20_000;

    private final JdbcClient jdbc;
    private final ServerIdentity identity;

    BuildStatistics(JdbcClient jdbc, ServerIdentity identity) {
        this.jdbc = jdbc;
        this.identity = identity;
    }

    public enum Precision {
        EXACT,
        /** An estimate from a sample of the rows. */
        ABOUT,
        /** A lower bound, until PostgreSQL analyzes the table. */
        AT_LEAST
    }

    /**
     * Numbers of builds.
     *
     * @param byState only states that some build has
     * @param byMachine builds whose types are stored, by processor name
     */
    public record Counts(Precision precision, long total, Map<BuildState, Long> byState, Map<String, Long> byMachine) {}

    /**
     * The latest result of a build.
     *
     * @param machine processor name; null unless types are stored
     * @param source the upstream, the local folder or {@link Upload#SOURCE}; null unless types are stored
     * @param problem problem code; null if types are stored
     */
    public record LatestResult(
            BuildId id,
            BuildState state,
            Instant at,
            @Nullable String machine,
            @Nullable String source,
            @Nullable String problem,
            @Nullable String detail) {}

    /**
     * A build in progress.
     *
     * @param here whether this server works on it
     * @param seenAt time of the latest heartbeat
     * @param stored whether stored types answer in the meantime
     */
    public record WorkInProgress(BuildId id, boolean here, Instant seenAt, boolean stored) {}

    /**
     * Number of builds that a source does not have.
     *
     * @param more whether there may be more: counting stops at a limit for all sources together
     */
    public record SourceMisses(String source, long builds, boolean more) {}

    public Counts counts() {
        long estimate = estimatedRows("builds");
        if (estimate <= COUNTED) {
            Counts counted = counted();
            if (counted.total() <= COUNTED) {
                return counted;
            }
            // The table has grown since PostgreSQL last analyzed it.
            return new Counts(Precision.AT_LEAST, COUNTED, counted.byState(), counted.byMachine());
        }
        Map<BuildState, Long> states = new EnumMap<>(BuildState.class);
        shares("builds", "state")
                .forEach((word, share) -> states.put(Word.of(BuildState.class, word), Math.round(share * estimate)));
        Map<String, Long> machines = new TreeMap<>();
        long files = estimatedRows("debug_files");
        shares("debug_files", "machine").forEach((machine, share) -> machines.put(machine, Math.round(share * files)));
        return new Counts(Precision.ABOUT, estimate, states, machines);
    }

    private long estimatedRows(String table) {
        return jdbc.sql("select reltuples::bigint from pg_class where oid = :table::regclass")
                .param("table", table)
                .query(Long.class)
                .single();
    }

    private Counts counted() {
        Map<BuildState, Long> states = new EnumMap<>(BuildState.class);
        Map<String, Long> machines = new TreeMap<>();
        long[] total = new long[1];
        jdbc.sql("""
                        select b.state, f.machine, count(*) as builds
                        from (select build_id, state from builds limit :limit) b
                            left join debug_files f on f.build_id = b.build_id and f.symbol_count is null
                        group by b.state, f.machine
                        """).param("limit", COUNTED + 1).query(row -> {
            BuildState state = Word.of(BuildState.class, row.getString("state"));
            String machine = row.getString("machine");
            long builds = row.getLong("builds");
            total[0] += builds;
            states.merge(state, builds, Long::sum);
            if (machine != null) {
                machines.merge(machine, builds, Long::sum);
            }
        });
        return new Counts(Precision.EXACT, total[0], states, machines);
    }

    /** Returns the share of rows that each of the most common values of a column has. */
    private Map<String, Double> shares(String table, String column) {
        Map<String, Double> shares = new TreeMap<>();
        jdbc.sql("""
                        select most_common_vals::text::text[] as vals, most_common_freqs as freqs from pg_stats
                        where schemaname = current_schema() and tablename = :table and attname = :column
                            and most_common_vals is not null
                        """).param("table", table).param("column", column).query(row -> {
            List<String> values = Arrays.asList(array(row, "vals", String[].class));
            Float[] parts = array(row, "freqs", Float[].class);
            for (int i = 0; i < parts.length; i++) {
                shares.put(values.get(i), parts[i].doubleValue());
            }
        });
        return shares;
    }

    private static <T> T array(ResultSet row, String column, Class<T> type) throws SQLException {
        Array array = row.getArray(column);
        try {
            return type.cast(array.getArray());
        } finally {
            array.free();
        }
    }

    /** Returns the latest results, newest first. */
    public List<LatestResult> latest(int limit) {
        return jdbc.sql("""
                        select b.build_id, state, settled_at, machine, upstream, problem_code, problem_detail
                        from builds b
                            left join debug_files f on f.build_id = b.build_id and f.symbol_count is null
                        where settled_at is not null order by settled_at desc, b.build_id limit :limit
                        """)
                .param("limit", limit)
                .query((row, number) -> result(row))
                .list();
    }

    /** Returns the latest results that are failures or unusable files, newest first. */
    public List<LatestResult> latestFailures(int limit) {
        // Other results are interspersed, so more index entries than requested are read, up to a limit.
        return jdbc.sql("""
                        select build_id, state, settled_at, null as machine, null as upstream, problem_code, problem_detail
                        from (
                            select build_id, state, settled_at, problem_code, problem_detail from builds
                            where settled_at is not null order by settled_at desc, build_id limit :read) latest
                        where state in ('failed', 'unusable') order by settled_at desc, build_id limit :limit
                        """)
                .param("read", COUNTED / 4)
                .param("limit", limit)
                .query((row, number) -> result(row))
                .list();
    }

    private static LatestResult result(ResultSet row) throws SQLException {
        return new LatestResult(
                BuildId.of(row.getBytes("build_id")),
                Word.of(BuildState.class, row.getString("state")),
                Rows.instant(row, "settled_at"),
                row.getString("machine"),
                row.getString("upstream"),
                row.getString("problem_code"),
                row.getString("problem_detail"));
    }

    /** Returns the builds that were extracted last, newest first. */
    public List<BuildId> latestStored(int limit) {
        return latestStored(null, limit);
    }

    /** Returns the builds extracted before this one, newest first; the latest ones for null. */
    public List<BuildId> latestStored(@Nullable BuildId after, int limit) {
        // Misses are interspersed, so more index entries than requested are read, up to a limit.
        return jdbc.sql("""
                        select build_id from (
                            select build_id, state, settled_at from builds
                            where settled_at is not null %s order by settled_at desc, build_id limit :read) latest
                        where state = 'extracted' order by settled_at desc, build_id limit :limit
                        """.formatted(after == null ? "" : """
                             and settled_at <= (select settled_at from builds where build_id = :after)
                             and (settled_at < (select settled_at from builds where build_id = :after) or build_id > :after)"""))
                .param("read", COUNTED / 4)
                .param("after", after == null ? null : after.toBytes())
                .param("limit", limit)
                .query(Rows::id)
                .list();
    }

    public List<WorkInProgress> inProgress(int limit) {
        return jdbc.sql("""
                        select l.build_id, l.owner, l.heartbeat_at, b.state = 'extracted' as stored
                        from extraction_lease l join builds b using (build_id)
                        where %s limit :limit
                        """.formatted(Builds.IS_RUNNING))
                .param("limit", limit)
                .query((row, number) -> new WorkInProgress(
                        BuildId.of(row.getBytes("build_id")),
                        row.getString("owner").equals(identity.name()),
                        Rows.instant(row, "heartbeat_at"),
                        row.getBoolean("stored")))
                .list();
    }

    /** Returns the number of builds for which each source has a negative answer that still holds. */
    public List<SourceMisses> misses() {
        List<SourceMisses> counted = jdbc.sql("""
                        select source, count(*) as builds from (
                            select source from source_outcomes where outcome = 'not_found' and retry_at > now()
                            order by retry_at desc limit :limit) counted
                        group by source order by source collate "C"
                        """)
                .param("limit", COUNTED / 2)
                .query((row, number) -> new SourceMisses(row.getString("source"), row.getLong("builds"), false))
                .list();
        boolean more = counted.stream().mapToLong(SourceMisses::builds).sum() >= COUNTED / 2;
        return more
                ? counted.stream()
                        .map(misses -> new SourceMisses(misses.source(), misses.builds(), true))
                        .toList()
                : counted;
    }
}
