package dev.offsetd.server.watches;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.packages.repositories.RepositoryDescription;
import dev.offsetd.packages.repositories.RepositoryEntry;
import dev.offsetd.server.events.WatchedSets;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.web.CreationPosition;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Tables of watches and of what they have read. A change by a run names the run, and fails once the run was taken over. */
@Component
class WatchTable implements WatchedSets {

    private static final String TODAY = "(now() at time zone 'utc')::date";

    private static final String COLUMNS =
            "*, case when day = " + TODAY + " then day_bytes else 0 end as bytes_today, description::text as place";

    private final JdbcClient jdbc;
    private final JsonMapper json;

    /** Whether watches that come with the server run. */
    private final boolean defaults;

    WatchTable(JdbcClient jdbc, JsonMapper json, WatchProperties properties) {
        this.jdbc = jdbc;
        this.json = json;
        this.defaults = properties.defaults();
    }

    List<Watch> all() {
        return jdbc.sql("select " + COLUMNS + " from watches order by name")
                .query((row, number) -> watch(row))
                .list();
    }

    Optional<Watch> find(UUID id) {
        return jdbc.sql("select " + COLUMNS + " from watches where id = :id")
                .param("id", id)
                .query((row, number) -> watch(row))
                .optional();
    }

    @Override
    public Set<String> names() {
        return new TreeSet<>(jdbc.sql("select distinct unnest(type_sets) from watches where :defaults or not built_in")
                .param("defaults", defaults)
                .query(String.class)
                .list());
    }

    long count() {
        return jdbc.sql("select count(*) from watches").query(Long.class).single();
    }

    /** Returns the watches of a type set that run, by name. */
    List<Watch> of(String set) {
        return jdbc.sql("select " + COLUMNS
                        + " from watches where :set = any(type_sets) and (:defaults or not built_in) order by name")
                .param("set", set)
                .param("defaults", defaults)
                .query((row, number) -> watch(row))
                .list();
    }

    /** Returns the number of watches that run and whose last run has failed. */
    long failing() {
        return jdbc.sql("select count(*) from watches where failures > 0 and (:defaults or not built_in)")
                .param("defaults", defaults)
                .query(Long.class)
                .single();
    }

    /**
     * Adds a watch, or replaces the description of a built-in one.
     *
     * @return its id; empty if another one has the name
     */
    Optional<UUID> add(Watch.Draft draft, boolean builtIn, String createdBy) {
        return jdbc.sql("""
                        insert into watches (id, name, kind, description, type_sets, interval_seconds, built_in, created_by)
                        values (gen_random_uuid(), :name, :kind, :description::jsonb, :sets, :interval, :builtIn, :by)
                        on conflict (name) do update set
                            kind = excluded.kind, description = excluded.description, type_sets = excluded.type_sets,
                            interval_seconds = excluded.interval_seconds,
                            state = case when watches.description = excluded.description then watches.state end,
                            newest_index_at =
                                case when watches.description = excluded.description then watches.newest_index_at end
                            where watches.built_in and excluded.built_in
                        returning id
                        """)
                .param("name", draft.name())
                .param("kind", draft.place().kind().toString())
                .param("description", json.writeValueAsString(draft.place()))
                .param("sets", draft.typeSets().toArray(String[]::new))
                .param("interval", draft.interval().toSeconds())
                .param("builtIn", builtIn)
                .param("by", createdBy)
                .query(UUID.class)
                .optional();
    }

    boolean delete(UUID id) {
        return jdbc.sql("delete from watches where id = :id").param("id", id).update() == 1;
    }

    /** Makes a watch due now. */
    void runNow(UUID id) {
        jdbc.sql("update watches set next_run_at = now() where id = :id")
                .param("id", id)
                .update();
    }

    /** Begins a run of the watch that has been due for the longest time, or of one whose run another server has lost. */
    Optional<Watch> begin() {
        return jdbc.sql("""
                        update watches set run = run + 1, started_at = now(), ended_at = null, stored_builds = 0,
                            next_run_at = now() + interval '1 day'
                        where id = (
                            select id from watches where next_run_at <= now() and (:defaults or not built_in)
                            order by next_run_at, id limit 1 for update skip locked)
                        returning %s
                        """.formatted(COLUMNS))
                .param("defaults", defaults)
                .query((row, number) -> watch(row))
                .optional();
    }

    /**
     * Ends a run: from now on, nothing that is done for it counts. A watch that was made due meanwhile stays due.
     *
     * @param state for the next one; null to keep the earlier one
     * @throws RunLostException if it was taken over
     */
    void end(Watch watch, Watch.Outcome outcome, Watch.@Nullable Cause cause, @Nullable String state, Duration pause) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("outcome", outcome.word());
        values.put("code", cause == null ? null : cause.code());
        values.put("detail", cause == null ? null : cause.detail());
        values.put("state", state);
        values.put("pause", Rows.seconds(pause));
        update(watch, """
                run = run + 1, ended_at = now(), outcome = :outcome, cause_code = :code, cause_detail = :detail,
                state = coalesce(:state, state),
                failures = case when :outcome = 'failed' then failures + 1
                    when :code = 'server_lost' then failures else 0 end,
                next_run_at = case when next_run_at <= now() then now() else now() + :pause * interval '1 second' end
                """, values);
    }

    private void update(Watch watch, String changes, Map<String, @Nullable Object> values) {
        requireOne(
                watch,
                jdbc.sql("update watches set " + changes + " where id = :id and run = :run")
                        .params(values)
                        .param("id", watch.id())
                        .param("run", watch.run())
                        .update());
    }

    /** Records the time of an index that was verified, however the run ends. */
    void verified(Watch watch, Instant time) {
        update(watch, "newest_index_at = :time", Map.of("time", time.atOffset(ZoneOffset.UTC)));
    }

    List<Watch> running() {
        return jdbc.sql("select " + COLUMNS + " from watches where started_at is not null and ended_at is null")
                .query((row, number) -> watch(row))
                .list();
    }

    /** Adds to what the run has downloaded, and to what was downloaded today, also if the watch was removed meanwhile. */
    void addBytes(Watch watch, long bytes) {
        jdbc.sql("""
                        insert into watch_downloads as today (day, bytes) values (%s, :bytes)
                        on conflict (day) do update set bytes = today.bytes + excluded.bytes
                        """.formatted(TODAY)).param("bytes", bytes).update();
        update(
                watch,
                "day = %1$s, day_bytes = case when day = %1$s then day_bytes else 0 end + :bytes".formatted(TODAY),
                Map.of("bytes", bytes));
    }

    long bytesToday() {
        return jdbc.sql("select coalesce(sum(bytes), 0) from watch_downloads where day = " + TODAY)
                .query(Long.class)
                .single();
    }

    /**
     * Returns the attempts at those of these entries that were read or failed: 0 for one that was read.
     *
     * @param keys of entries
     */
    Map<String, Integer> attempts(Watch watch, Collection<String> keys) {
        Map<String, Integer> attempts = new TreeMap<>();
        jdbc.sql("select key, attempts from watch_entries where watch_id = :id and key = any(:keys)")
                .param("id", watch.id())
                .param("keys", keys.toArray(String[]::new))
                .query(row -> {
                    attempts.put(row.getString("key"), row.getInt("attempts"));
                });
        return attempts;
    }

    /** Records that an entry was read, and counts its builds for the run. */
    void read(Watch watch, RepositoryEntry entry, List<BuildId> builds) {
        record(watch, entry, builds, 0, null);
        update(watch, "stored_builds = stored_builds + :builds", Map.of("builds", builds.size()));
    }

    void failed(Watch watch, RepositoryEntry entry, int attempts, Watch.Cause cause) {
        record(watch, entry, List.of(), attempts, cause);
    }

    private void record(
            Watch watch, RepositoryEntry entry, List<BuildId> builds, int attempts, Watch.@Nullable Cause cause) {
        requireOne(
                watch,
                jdbc.sql("""
                                insert into watch_entries (watch_id, key, name, version, architecture, build_ids,
                                    attempts, cause_code, cause_detail)
                                select id, :key, :name, :version, :architecture, :builds::bytea[], :attempts, :code, :detail
                                from watches where id = :id and run = :run
                                on conflict (watch_id, key) do update set
                                    build_ids = excluded.build_ids, attempts = excluded.attempts, seen_at = now(),
                                    cause_code = excluded.cause_code, cause_detail = excluded.cause_detail
                                """)
                        .param("key", entry.key())
                        .param("name", entry.name())
                        .param("version", entry.version())
                        .param("architecture", entry.architecture())
                        .param("builds", Rows.ids(builds))
                        .param("attempts", attempts)
                        .param("code", cause == null ? null : cause.code())
                        .param("detail", cause == null ? null : cause.detail())
                        .param("id", watch.id())
                        .param("run", watch.run())
                        .update());
    }

    /** Describes the entries of a watch that have had so many attempts, with the cause of the first; empty for none. */
    Optional<String> leftAlone(Watch watch, int attempts) {
        return jdbc.sql("""
                        select name, version, attempts, cause_detail, count(*) over () as entries from watch_entries
                        where watch_id = :id and attempts >= :attempts order by seen_at, key limit 1
                        """)
                .param("id", watch.id())
                .param("attempts", attempts)
                .query((row, number) -> {
                    long others = row.getLong("entries") - 1;
                    return (row.getString("name") + " " + row.getString("version")).strip()
                            + (others == 0 ? " is" : " and " + others + " more are") + " left alone after "
                            + row.getInt("attempts") + " attempts: " + row.getString("cause_detail");
                })
                .optional();
    }

    /**
     * Forgets what is not listed any more, if it was read long ago or failed, and the oldest of too many entries. A failure is
     * forgotten after that time in any case: what is still listed then is tried again.
     *
     * @param listed keys of all entries that the place has; null if not all are known
     * @param keep time for which entries are kept after they were read
     * @param max most entries of the watch
     */
    void prune(Watch watch, @Nullable Collection<String> listed, Duration keep, int max) {
        jdbc.sql("""
                        delete from watch_entries where watch_id = :id and attempts > 0
                            and seen_at < now() - :keep * interval '1 second'
                        """).param("id", watch.id()).param("keep", keep.toSeconds()).update();
        if (listed != null) {
            jdbc.sql("""
                            delete from watch_entries e where watch_id = :id
                                and (attempts > 0 or seen_at < now() - :keep * interval '1 second')
                                and not exists (select from unnest(:keys::text[]) as listed where listed = e.key)
                            """)
                    .param("id", watch.id())
                    .param("keep", keep.toSeconds())
                    .param("keys", listed.toArray(String[]::new))
                    .update();
        }
        jdbc.sql("""
                        delete from watch_entries where watch_id = :id and key in (
                            select key from watch_entries where watch_id = :id order by seen_at desc, key offset :max)
                        """).param("id", watch.id()).param("max", max).update();
    }

    /** Another server has taken the run over, or the watch was removed. */
    static final class RunLostException extends RuntimeException {

        RunLostException(String watch) {
            super("watch " + watch + ": the run was taken over, or the watch removed");
        }
    }

    private static void requireOne(Watch watch, int rows) {
        if (rows != 1) {
            throw new RunLostException(watch.name());
        }
    }

    /**
     * Returns entries that watches of a type set have read since a time, newest first.
     *
     * @param after position of the last one of the previous page; null for the first page
     */
    List<Release> releases(String set, Instant since, @Nullable CreationPosition after, int limit) {
        JdbcClient.StatementSpec query = jdbc.sql(
                        """
                        select e.*, w.name as watch from watch_entries e join watches w on w.id = e.watch_id
                        where :set = any(w.type_sets) and e.seen_at >= :since %s
                            and (e.cause_code is not null or cardinality(e.build_ids) > 0)
                        order by e.seen_at desc, e.id desc limit :limit
                        """.formatted(after == null ? "" : "and (e.seen_at, e.id) < (:at, :id)"))
                .param("set", set)
                .param("since", since.atOffset(ZoneOffset.UTC))
                .param("limit", limit);
        if (after != null) {
            query = query.param("at", after.createdAt().atOffset(ZoneOffset.UTC))
                    .param("id", after.id());
        }
        return query.query((row, number) -> release(row)).list();
    }

    private static Release release(ResultSet row) throws SQLException {
        return new Release(
                row.getObject("id", UUID.class),
                row.getString("watch"),
                row.getString("name"),
                row.getString("version"),
                row.getString("architecture"),
                Rows.instant(row, "seen_at"),
                List.of((byte[][]) row.getArray("build_ids").getArray()).stream()
                        .map(BuildId::of)
                        .toList(),
                cause(row));
    }

    private Watch watch(ResultSet row) throws SQLException {
        String outcome = row.getString("outcome");
        return new Watch(
                row.getObject("id", UUID.class),
                row.getString("name"),
                json.readValue(row.getString("place"), RepositoryDescription.class),
                Rows.texts(row, "type_sets"),
                Duration.ofSeconds(row.getLong("interval_seconds")),
                row.getBoolean("built_in"),
                Rows.instant(row, "created_at"),
                row.getString("created_by"),
                row.getString("state"),
                Rows.instantOrNull(row, "newest_index_at"),
                Rows.instant(row, "next_run_at"),
                row.getLong("run"),
                Rows.instantOrNull(row, "started_at"),
                Rows.instantOrNull(row, "ended_at"),
                outcome == null ? null : Word.of(Watch.Outcome.class, outcome),
                cause(row),
                row.getInt("failures"),
                row.getInt("stored_builds"),
                row.getLong("bytes_today"));
    }

    private static Watch.@Nullable Cause cause(ResultSet row) throws SQLException {
        String code = row.getString("cause_code");
        return code == null ? null : new Watch.Cause(code, row.getString("cause_detail"));
    }
}
