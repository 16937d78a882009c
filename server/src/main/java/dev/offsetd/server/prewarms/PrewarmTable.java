package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.lease.LeaseHolder;
import dev.offsetd.server.builds.lease.StoredProgress;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.operations.work.Priority;
import dev.offsetd.server.web.CreationPosition;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tables of batches and their items. The transaction that ends an item locks the row of its batch, so that the last two
 * items, ending on two servers at once, do not each see the other as unfinished.
 */
@Component
class PrewarmTable {

    /** Key of the advisory lock that serializes the creation of batches; arbitrary, but unique. */
    private static final long CREATE_LOCK = 0x6f66_6673_6574_7001L;

    /** Batches that one transaction deletes, with up to a thousand items each. */
    private static final int FORGOTTEN_AT_A_TIME = 20;

    /** Items that are read at a time: each may lack {@value PrewarmDraft#MAX_TYPE_CHARACTERS} characters of types. */
    private static final int READ_AT_A_TIME = 20;

    private static final Duration BETWEEN_SWEEPS = Duration.ofHours(1);

    private static final TypeReference<Map<String, PrewarmItem.Result.SetShare>> COVERAGE = new TypeReference<>() {};

    private final JdbcClient jdbc;
    private final LeaseHolder leases;
    private final JsonMapper json;
    private final TransactionTemplate reading;

    PrewarmTable(
            JdbcClient jdbc,
            LeaseHolder leases,
            JsonMapper json,
            PlatformTransactionManager transactions,
            PrewarmProperties properties,
            PeriodicTasks tasks) {
        this.jdbc = jdbc;
        this.leases = leases;
        this.json = json;
        this.reading = new TransactionTemplate(transactions);
        tasks.addImmediate("deleting ended prewarms", BETWEEN_SWEEPS, () -> forget(properties.keep()));
    }

    /** Blocks the creation of other batches until the transaction ends. */
    void lockCreation() {
        jdbc.sql("select pg_advisory_xact_lock(:lock)")
                .param("lock", CREATE_LOCK)
                .query((row, number) -> number)
                .single();
    }

    /** Returns the active batch with this digest. */
    Optional<UUID> active(byte[] digest) {
        return jdbc.sql("select id from prewarms where digest = :digest and state = 'active'")
                .param("digest", digest)
                .query(UUID.class)
                .optional();
    }

    /** Returns the number of items without a result in all batches. */
    long waiting() {
        return jdbc.sql("select count(*) from prewarm_items where state = 'waiting'")
                .query(Long.class)
                .single();
    }

    /** Adds a batch in the caller's transaction. */
    void add(UUID id, PrewarmDraft draft, byte[] digest, String createdBy) {
        jdbc.sql("""
                        insert into prewarms (id, digest, priority, types, created_by)
                        values (:id, :digest, :priority, :types, :createdBy)
                        """)
                .param("id", id)
                .param("digest", digest)
                .param("priority", draft.priority().word())
                .param("types", draft.types().toArray(String[]::new))
                .param("createdBy", createdBy)
                .update();
        jdbc.sql("""
                        insert into prewarm_items (prewarm_id, build_id, position, name)
                        select :id, build.id, build.number - 1, build.name
                        from unnest(:builds::bytea[], :names::text[]) with ordinality as build (id, name, number)
                        """)
                .param("id", id)
                .param("builds", Rows.ids(draft.builds()))
                .param(
                        "names",
                        draft.builds().stream()
                                .map(build -> draft.names().get(build))
                                .toArray(String[]::new))
                .update();
    }

    Optional<Prewarm> find(UUID id) {
        // The driver reads a part of the rows at a time in transactions only.
        return Objects.requireNonNull(reading.execute(_ -> findAtOnce(id)));
    }

    private Optional<Prewarm> findAtOnce(UUID id) {
        // Read before its items, so that a finished batch shows no unfinished item.
        Optional<Row> batch = jdbc.sql("select * from prewarms where id = :id")
                .param("id", id)
                .query((row, number) -> Row.of(row))
                .optional();
        return batch.map(row -> {
            Map<BuildId, StoredProgress> work = row.mayHaveRunningItems() ? leases.inProgress() : Map.of();
            SharedTexts texts = new SharedTexts();
            List<PrewarmItem> items = jdbc.sql("select * from prewarm_items where prewarm_id = :id order by position")
                    .withFetchSize(READ_AT_A_TIME)
                    .param("id", id)
                    .query((item, number) -> item(item, work, texts))
                    .list();
            Tally tally = new Tally();
            items.forEach(item -> tally.add(item.state(), 1));
            boolean complete = items.stream().allMatch(PrewarmItem::complete);
            return new Prewarm(row.summary(complete, tally), items);
        });
    }

    /**
     * Returns batches without their items, newest first.
     *
     * @param after position of the last batch of the previous page; null for the first page
     */
    List<PrewarmSummary> page(@Nullable CreationPosition after, int limit) {
        JdbcClient.StatementSpec query = jdbc.sql(
                        """
                        select * from prewarms %s order by created_at desc, id desc limit :limit
                        """.formatted(after == null ? "" : "where (created_at, id) < (:at, :id)"))
                .param("limit", limit);
        if (after != null) {
            query = query.param("at", after.createdAt().atOffset(ZoneOffset.UTC))
                    .param("id", after.id());
        }
        List<Row> rows = query.query((row, number) -> Row.of(row)).list();
        UUID[] ids = rows.stream().map(Row::id).toArray(UUID[]::new);
        Map<UUID, Tally> tallies = tallies(ids);
        return rows.stream()
                .map(row -> {
                    Tally tally = tallies.getOrDefault(row.id(), new Tally());
                    return row.summary(tally.incomplete == 0, tally);
                })
                .toList();
    }

    private Map<UUID, Tally> tallies(UUID[] ids) {
        Map<UUID, Tally> tallies = new HashMap<>();
        jdbc.sql("""
                        select prewarm_id, state, count(*) as items, count(*) filter (where complete is true) as complete
                        from prewarm_items where prewarm_id = any(:ids) group by prewarm_id, state
                        """).param("ids", ids).query(row -> {
            Tally tally = tallies.computeIfAbsent(row.getObject("prewarm_id", UUID.class), ignored -> new Tally());
            tally.add(Word.of(PrewarmItem.State.class, row.getString("state")), row.getInt("items"));
            tally.incomplete += row.getInt("items") - row.getInt("complete");
        });
        Map<BuildId, StoredProgress> work = leases.inProgress();
        jdbc.sql("""
                        select prewarm_id, build_id from prewarm_items
                        where prewarm_id = any(:ids) and state = 'waiting' and build_id = any(:working)
                        """)
                .param("ids", ids)
                .param("working", Rows.ids(work.keySet()))
                .query(row -> {
                    Tally tally =
                            tallies.computeIfAbsent(row.getObject("prewarm_id", UUID.class), ignored -> new Tally());
                    tally.add(PrewarmItem.State.WAITING, -1);
                    tally.add(stateOf(Objects.requireNonNull(work.get(BuildId.of(row.getBytes("build_id"))))), 1);
                });
        return tallies;
    }

    /**
     * Cancels an active batch in the caller's transaction. Its waiting items end, except those whose builds are in
     * progress.
     *
     * @return builds of the cancelled items; empty if the batch was not active
     */
    Optional<List<BuildId>> cancel(UUID id) {
        boolean ended = jdbc.sql("""
                                update prewarms set state = 'cancelled', ended_at = now()
                                where id = :id and state = 'active'
                                """).param("id", id).update() == 1;
        if (!ended) {
            return Optional.empty();
        }
        return Optional.of(jdbc.sql("""
                        update prewarm_items set state = 'cancelled', next_attempt_at = null
                        where prewarm_id = :id and state = 'waiting' and not build_id = any(:working)
                        returning build_id
                        """)
                .param("id", id)
                .param("working", Rows.ids(leases.inProgress().keySet()))
                .query(Rows::id)
                .list());
    }

    /**
     * Item without a result.
     *
     * @param name path of a file of the build; null if unknown
     * @param types of its batch
     * @param attempts that have ended
     * @param cancelled whether its batch was cancelled
     */
    record Waiting(@Nullable String name, List<String> types, int attempts, boolean cancelled) {}

    /** Returns the item if it has no result. */
    Optional<Waiting> findWaiting(PrewarmItem.Key item) {
        return jdbc.sql("""
                        select i.name, p.types, p.state, i.attempts from prewarms p join prewarm_items i on i.prewarm_id = p.id
                        where p.id = :prewarm and i.build_id = :build and i.state = 'waiting'
                        """)
                .param("prewarm", item.prewarm())
                .param("build", item.build().toBytes())
                .query((row, number) -> new Waiting(
                        row.getString("name"),
                        Rows.texts(row, "types"),
                        row.getInt("attempts"),
                        Word.of(PrewarmSummary.State.class, row.getString("state")) == PrewarmSummary.State.CANCELLED))
                .optional();
    }

    /** Ends a waiting item as done; returns whether it was waiting. */
    boolean done(PrewarmItem.Key item, PrewarmItem.Result result) {
        lock(item.prewarm());
        boolean ended = updateWaiting(
                item,
                """
                state = 'done', attempts = attempts + 1, next_attempt_at = null, cause_code = null,
                cause_detail = null, complete = :complete, coverage = :coverage, missing = :missing
                """,
                Map.of(
                        "complete", result.complete(),
                        "coverage", json.writeValueAsString(result.coverage()),
                        "missing", result.missing().toArray(String[]::new)));
        endWithLast(item.prewarm());
        return ended;
    }

    /**
     * Ends a waiting item as failed.
     *
     * @param byConsensus whether similar builds answer for the build; null if that is unknown
     * @return whether it was waiting
     */
    boolean failed(PrewarmItem.Key item, PrewarmItem.Cause cause, @Nullable Boolean byConsensus) {
        lock(item.prewarm());
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("code", cause.code());
        values.put("detail", cause.detail());
        values.put("byConsensus", byConsensus);
        boolean ended = updateWaiting(item, """
                state = 'failed', attempts = attempts + 1, next_attempt_at = null, cause_code = :code,
                cause_detail = :detail, by_consensus = :byConsensus
                """, values);
        endWithLast(item.prewarm());
        return ended;
    }

    /** Ends a waiting item of a cancelled batch. */
    void cancelled(PrewarmItem.Key item) {
        updateWaiting(item, "state = 'cancelled', next_attempt_at = null", Map.of());
    }

    /** Schedules the next attempt of a waiting item; returns whether it was waiting. */
    boolean waitAfter(PrewarmItem.Key item, PrewarmItem.Cause cause, Duration wait) {
        return updateWaiting(
                item, """
                attempts = attempts + 1, next_attempt_at = now() + :wait * interval '1 second',
                cause_code = :code, cause_detail = :detail
                """, Map.of("wait", Rows.seconds(wait), "code", cause.code(), "detail", cause.detail()));
    }

    private boolean updateWaiting(PrewarmItem.Key item, String changes, Map<String, ?> values) {
        return jdbc.sql("update prewarm_items set " + changes
                                + " where prewarm_id = :prewarm and build_id = :build and state = 'waiting'")
                        .params(values)
                        .param("prewarm", item.prewarm())
                        .param("build", item.build().toBytes())
                        .update()
                == 1;
    }

    /** Locks the batch before its items, so that its last items end one after the other. */
    private void lock(UUID prewarm) {
        jdbc.sql("select id from prewarms where id = :id for update")
                .param("id", prewarm)
                .query(UUID.class)
                .optional();
    }

    /** Ends the locked batch if none of its items waits. */
    private void endWithLast(UUID prewarm) {
        jdbc.sql("""
                        update prewarms set state = 'done', ended_at = now()
                        where id = :id and state = 'active'
                            and not exists (select from prewarm_items where prewarm_id = :id and state = 'waiting')
                        """).param("id", prewarm).update();
    }

    /**
     * Deletes batches that ended before this age, in transactions of bounded size. Must not be called in a transaction.
     *
     * @return their number
     */
    int forget(Duration age) {
        int forgotten = 0;
        int some;
        do {
            some = jdbc.sql("""
                            delete from prewarms where id in (
                                select id from prewarms where ended_at < now() - :age * interval '1 second'
                                order by ended_at limit :limit)
                            """)
                    .param("age", age.toSeconds())
                    .param("limit", FORGOTTEN_AT_A_TIME)
                    .update();
            forgotten += some;
        } while (some == FORGOTTEN_AT_A_TIME);
        return forgotten;
    }

    /** Names of missing types, each once in memory: many builds of a batch lack the same. */
    private static final class SharedTexts {

        private final Map<String, String> known = new HashMap<>();

        List<String> of(List<String> texts) {
            return texts.stream()
                    .map(text -> known.computeIfAbsent(text, same -> same))
                    .toList();
        }

        Map<String, PrewarmItem.Result.SetShare> of(Map<String, PrewarmItem.Result.SetShare> coverage) {
            Map<String, PrewarmItem.Result.SetShare> shared = new LinkedHashMap<>();
            coverage.forEach((set, share) -> shared.put(
                    set, new PrewarmItem.Result.SetShare(share.required(), share.optional(), of(share.missing()))));
            return shared;
        }
    }

    private PrewarmItem item(ResultSet row, Map<BuildId, StoredProgress> work, SharedTexts texts) throws SQLException {
        BuildId build = BuildId.of(row.getBytes("build_id"));
        PrewarmItem.State stored = Word.of(PrewarmItem.State.class, row.getString("state"));
        StoredProgress now = stored == PrewarmItem.State.WAITING ? work.get(build) : null;
        PrewarmItem.State state = now == null ? stored : stateOf(now);
        boolean fetching = state == PrewarmItem.State.FETCHING;
        String code = row.getString("cause_code");
        return new PrewarmItem(
                build,
                row.getString("name"),
                state,
                fetching && now != null ? now.bytes() : null,
                fetching && now != null ? now.totalBytes() : null,
                row.getInt("attempts"),
                state == PrewarmItem.State.WAITING ? Rows.instantOrNull(row, "next_attempt_at") : null,
                code == null ? null : new PrewarmItem.Cause(code, row.getString("cause_detail")),
                row.getObject("by_consensus", Boolean.class),
                stored == PrewarmItem.State.DONE
                        ? new PrewarmItem.Result(
                                row.getBoolean("complete"),
                                texts.of(json.readValue(row.getString("coverage"), COVERAGE)),
                                texts.of(Rows.texts(row, "missing")))
                        : null);
    }

    private static PrewarmItem.State stateOf(StoredProgress work) {
        return switch (work.phase()) {
            case FETCHING -> PrewarmItem.State.FETCHING;
            case EXTRACTING -> PrewarmItem.State.EXTRACTING;
        };
    }

    private record Row(
            UUID id,
            PrewarmSummary.State state,
            Priority priority,
            List<String> types,
            Instant createdAt,
            String createdBy,
            @Nullable Instant endedAt) {

        static Row of(ResultSet row) throws SQLException {
            return new Row(
                    row.getObject("id", UUID.class),
                    Word.of(PrewarmSummary.State.class, row.getString("state")),
                    Word.of(Priority.class, row.getString("priority")),
                    Rows.texts(row, "types"),
                    Rows.instant(row, "created_at"),
                    row.getString("created_by"),
                    Rows.instantOrNull(row, "ended_at"));
        }

        boolean mayHaveRunningItems() {
            return state != PrewarmSummary.State.DONE;
        }

        PrewarmSummary summary(boolean complete, Tally tally) {
            return new PrewarmSummary(
                    id, state, priority, types, createdAt, createdBy, endedAt, complete, tally.counts());
        }
    }

    private static final class Tally {

        private final Map<PrewarmItem.State, Integer> items = new EnumMap<>(PrewarmItem.State.class);
        private int incomplete;

        void add(PrewarmItem.State state, int number) {
            items.merge(state, number, Integer::sum);
        }

        PrewarmSummary.Counts counts() {
            return new PrewarmSummary.Counts(
                    of(PrewarmItem.State.WAITING),
                    of(PrewarmItem.State.FETCHING),
                    of(PrewarmItem.State.EXTRACTING),
                    of(PrewarmItem.State.DONE),
                    of(PrewarmItem.State.FAILED),
                    of(PrewarmItem.State.CANCELLED));
        }

        private int of(PrewarmItem.State state) {
            return items.getOrDefault(state, 0);
        }
    }
}
