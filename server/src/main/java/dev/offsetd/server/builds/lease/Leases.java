package dev.offsetd.server.builds.lease;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.operations.Word;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The lease row of each build: at most one holder in the whole cluster. Every comparison uses the database's clock, so the
 * clocks of the servers do not matter.
 *
 * <p>A lease alone does not exclude two workers. A worker that was suspended for longer than its lease does not know that another
 * server has taken over. {@code attempt} is the fencing number against its late write. It increases with every claim and is
 * never reset. The suspended worker thus finds another owner or attempt in the row, even if the new holder is the same server.
 * Renewing, releasing and finishing all compare owner and attempt, and the release is part of the transaction that stores the
 * result.
 *
 * <p>Lock order: the lease, then the build, then what belongs to the build, then the change counter. Only the sweep of builds
 * without layouts takes a lease after its build, and only of a build that no server works on. The process that ends itself waits for
 * none of them.
 */
@Component
class Leases {

    /** Processes that a build may end until it is unusable. */
    private static final int MOST_PROCESS_ENDS = 2;

    /** Time until a build is read again that ended a process for the first time. */
    private static final Duration FIRST_PAUSE = Duration.ofMinutes(10);

    /** Placeholders: a condition on the leases, and assignments. Locked rows belong to workers that are storing their results. */
    private static final String END_ATTEMPTS = """
            with mine as (
                select build_id from extraction_lease where build_id = any(:computing) and %s
                order by build_id for update skip locked)
            update extraction_lease l set process_ends = process_ends + 1,
                paused_until = now() + interval '1 second'
                    * case when process_ends + 1 >= :most then :unusable::double precision else :first end%s
            from mine where l.build_id = mine.build_id
            returning l.build_id, l.attempt, l.process_ends >= :most
            """;

    private final JdbcClient jdbc;
    private final LeaseProperties properties;

    Leases(JdbcClient jdbc, LeaseProperties properties) {
        this.jdbc = jdbc;
        this.properties = properties;
    }

    /**
     * Claims the lease, unless it is held. The build must be known.
     *
     * <p>One statement decides. If two servers claim an expired lease at once, the second waits for the row lock of the first. It
     * then evaluates the condition again on the new row, and updates nothing.
     */
    Optional<Lease> claim(BuildId id, String owner) {
        return jdbc.sql("""
                        insert into extraction_lease (build_id, owner, lease_until, heartbeat_at, attempt, started_at)
                        values (:id, :owner, now() + :seconds * interval '1 second', now(), 1, now())
                        on conflict (build_id) do update
                            set owner = excluded.owner, lease_until = excluded.lease_until,
                                heartbeat_at = excluded.heartbeat_at, attempt = extraction_lease.attempt + 1,
                                phase = null, bytes = null, total_bytes = null,
                                started_at = excluded.started_at, transfer_began_at = null
                            where extraction_lease.owner is null or extraction_lease.lease_until < now()
                        returning attempt
                        """)
                .param("id", id.toBytes())
                .param("owner", owner)
                .param("seconds", seconds())
                .query(Long.class)
                .optional()
                .map(attempt -> new Lease(id, owner, attempt));
    }

    /** Releases the lease. Returns whether this worker still held it. */
    boolean release(Lease lease) {
        return jdbc.sql("""
                                update extraction_lease set owner = null, lease_until = null, started_at = null
                                where build_id = :id and owner = :owner and attempt = :attempt
                                """)
                        .param("id", lease.id().toBytes())
                        .param("owner", lease.owner())
                        .param("attempt", lease.attempt())
                        .update()
                == 1;
    }

    /**
     * Renews leases in one statement. A locked row belongs to a worker of this server that is storing its result; it is skipped,
     * so that a slow transaction does not delay the renewal of the other leases.
     */
    void renew(JdbcClient connection, List<Lease> leases) {
        among(connection, leases, """
                        , mine as (
                            select l.build_id from extraction_lease l join given using (build_id, owner, attempt)
                            for update of l skip locked)
                        update extraction_lease l
                        set lease_until = now() + :seconds * interval '1 second', heartbeat_at = now()
                        from mine where l.build_id = mine.build_id
                        """).param("seconds", seconds()).update();
    }

    /** Releases all leases of an owner. Locked rows are skipped: their workers are storing results and end the leases. */
    void releaseAll(String owner) {
        jdbc.sql("""
                        with mine as (
                            select build_id from extraction_lease where owner = :owner for update skip locked)
                        update extraction_lease l set owner = null, lease_until = null, started_at = null
                        from mine where l.build_id = mine.build_id
                        """).param("owner", owner).update();
    }

    /**
     * Ends the leases of an owner whose process ends itself, if the work computed, because that may be the
     * reason. Work that is storing its result is not to blame. The builds are paused.
     *
     * @param unusable pause of a build that ended {@value #MOST_PROCESS_ENDS} processes or more
     */
    List<LeaseHolder.EndedAttempt> endComputing(
            JdbcClient connection, String owner, List<BuildId> computing, Duration unusable) {
        return endAttempts(
                connection
                        .sql(END_ATTEMPTS.formatted(
                                "owner = :owner", ", owner = null, lease_until = null, started_at = null"))
                        .param("owner", owner),
                computing,
                unusable);
    }

    /** Pauses builds as {@link #endComputing}, also those whose lease another server holds. */
    List<LeaseHolder.EndedAttempt> pause(JdbcClient connection, Collection<BuildId> computing, Duration unusable) {
        return endAttempts(connection.sql(END_ATTEMPTS.formatted("true", "")), computing, unusable);
    }

    private static List<LeaseHolder.EndedAttempt> endAttempts(
            JdbcClient.StatementSpec statement, Collection<BuildId> computing, Duration unusable) {
        return statement
                .param("computing", Rows.ids(computing))
                .param("most", MOST_PROCESS_ENDS)
                .param("unusable", Rows.seconds(unusable))
                .param("first", Rows.seconds(FIRST_PAUSE))
                .query((row, number) -> {
                    boolean tooMany = row.getBoolean(3);
                    return new LeaseHolder.EndedAttempt(
                            BuildId.of(row.getBytes(1)), row.getLong(2), tooMany, tooMany ? unusable : FIRST_PAUSE);
                })
                .list();
    }

    Set<Lease> stillHeld(JdbcClient connection, List<Lease> leases) {
        List<Lease> held = among(connection, leases, """
                        select build_id, owner, attempt from extraction_lease join given using (build_id, owner, attempt)
                        """)
                .query((row, number) -> new Lease(BuildId.of(row.getBytes(1)), row.getString(2), row.getLong(3)))
                .list();
        return new HashSet<>(held);
    }

    /** Begins a statement with the leases as the relation {@code given}. */
    private static JdbcClient.StatementSpec among(JdbcClient connection, List<Lease> leases, String rest) {
        return connection
                .sql("""
                        with given as (
                            select * from unnest(:ids::bytea[], :owners::text[], :attempts::bigint[])
                                as lease (build_id, owner, attempt))
                        """ + rest)
                .param("ids", leases.stream().map(lease -> lease.id().toBytes()).toArray(byte[][]::new))
                .param("owners", leases.stream().map(Lease::owner).toArray(String[]::new))
                .param("attempts", leases.stream().map(Lease::attempt).toArray(Long[]::new));
    }

    /** Returns those of these builds that a server works on. */
    Set<BuildId> held(JdbcClient connection, Collection<BuildId> ids) {
        List<BuildId> held =
                connection.sql("""
                        select build_id from extraction_lease
                        where build_id = any(:ids) and owner is not null and lease_until >= now()
                        """).param("ids", Rows.ids(ids)).query(Rows::id).list();
        return new HashSet<>(held);
    }

    /** Stores the progress of work. Locked rows are skipped, as in {@link #renew}. */
    void storeProgress(JdbcClient connection, Map<Lease, StoredProgress> progressOf) {
        List<Lease> leases = List.copyOf(progressOf.keySet());
        List<StoredProgress> progress = leases.stream()
                .map(lease -> Objects.requireNonNull(progressOf.get(lease)))
                .toList();
        connection
                .sql("""
                        with given as (
                            select * from unnest(:ids::bytea[], :owners::text[], :attempts::bigint[], :phases::text[],
                                    :bytes::bigint[], :totals::bigint[], :transfers::double precision[])
                                as work (build_id, owner, attempt, phase, bytes, total_bytes, transfer)),
                        mine as (
                            select l.build_id, g.phase, g.bytes, g.total_bytes, g.transfer
                            from extraction_lease l join given g using (build_id, owner, attempt)
                            for update of l skip locked)
                        update extraction_lease l
                        set phase = mine.phase, bytes = mine.bytes, total_bytes = mine.total_bytes,
                            transfer_began_at = now() - mine.transfer * interval '1 second'
                        from mine where l.build_id = mine.build_id
                        """)
                .param("ids", leases.stream().map(lease -> lease.id().toBytes()).toArray(byte[][]::new))
                .param("owners", leases.stream().map(Lease::owner).toArray(String[]::new))
                .param("attempts", leases.stream().map(Lease::attempt).toArray(Long[]::new))
                .param(
                        "phases",
                        progress.stream().map(work -> work.phase().word()).toArray(String[]::new))
                .param("bytes", progress.stream().map(StoredProgress::bytes).toArray(Long[]::new))
                .param(
                        "totals",
                        progress.stream().map(StoredProgress::totalBytes).toArray(Long[]::new))
                .param(
                        "transfers",
                        progress.stream().map(Leases::transferSeconds).toArray(Double[]::new))
                .update();
    }

    /** Returns the builds in progress on all servers. */
    Map<BuildId, StoredProgress> inProgress() {
        Map<BuildId, StoredProgress> work = new HashMap<>();
        jdbc.sql("""
                        select build_id, phase, bytes, total_bytes, started_at,
                            extract(epoch from now() - transfer_began_at)::double precision as transfer
                        from extraction_lease
                        where owner is not null and lease_until >= now()
                        """).query(row -> {
            String phase = row.getString("phase");
            work.put(
                    BuildId.of(row.getBytes("build_id")),
                    new StoredProgress(
                            Rows.instantOrNull(row, "started_at"),
                            phase == null ? StoredProgress.Phase.FETCHING : Word.of(StoredProgress.Phase.class, phase),
                            row.getObject("bytes", Long.class),
                            row.getObject("total_bytes", Long.class),
                            transferBegan(row.getObject("transfer", Double.class))));
        });
        return work;
    }

    // The time since the transfer began is passed, not the time when it did, because the clocks of servers differ.

    private static @Nullable Double transferSeconds(StoredProgress work) {
        Instant began = work.transferBegan();
        return began == null ? null : Rows.seconds(Duration.between(began, Instant.now()));
    }

    private static @Nullable Instant transferBegan(@Nullable Double seconds) {
        return seconds == null ? null : Instant.now().minusMillis((long) (seconds * 1000));
    }

    private double seconds() {
        return Rows.seconds(properties.duration());
    }
}
