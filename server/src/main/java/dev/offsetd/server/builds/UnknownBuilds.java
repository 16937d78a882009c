package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.timers.PeriodicTasks;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;

/** Bounds the number of builds without layouts, so that clients that make up build-ids cannot fill the database. */
@Component
class UnknownBuilds {

    /** Advisory lock that lets one server sweep at a time. The number is arbitrary but unique. */
    private static final long SWEEP_LOCK = 0x6f66_6673_6574_6401L;

    /** A requested build that no server has worked on for this long is abandoned, not queued. */
    private static final Duration ABANDONED = Duration.ofHours(1);

    /** Most builds that one transaction deletes. Each has rows in a dozen tables. */
    private static final int BATCH = 2_000;

    /** Interval of the count for the metric. */
    private static final Duration COUNT = Duration.ofSeconds(30);

    private static final String UNREFERENCED =
            " and not exists (select from unnest(:referenced::bytea[]) r(id) where r.id = b.build_id)";

    private final JdbcClient jdbc;
    private final SweepTurn turn;
    private final List<BuildReferences> references;
    private final RowCap cap;
    private final AtomicLong misses = new AtomicLong();

    UnknownBuilds(
            JdbcClient jdbc,
            PlatformTransactionManager transactions,
            List<BuildReferences> references,
            UnknownBuildProperties properties,
            MeterRegistry meters,
            PeriodicTasks tasks) {
        this.jdbc = jdbc;
        this.turn = new SweepTurn(jdbc, transactions, SWEEP_LOCK);
        this.references = references;
        this.cap = new RowCap("builds without stored data", properties.maxUnknown(), this::sweep);
        Gauge.builder("offsetd.builds.unknown", misses, AtomicLong::doubleValue)
                .description("Known builds without stored data, at the last count")
                .register(meters);
        tasks.add("sweeping builds without stored data", properties.sweep(), cap::sweepOnTime);
        tasks.addImmediate("counting builds without stored data", COUNT, this::count);
    }

    /** Counts a build that was requested for the first time. */
    void added() {
        cap.added(1);
    }

    /**
     * Deletes surplus and abandoned builds. Builds that are queued or in progress stay.
     *
     * @return how many were deleted; 0 if another server sweeps right now
     */
    int sweep() {
        byte[][] referenced = references.stream()
                .flatMap(owner -> owner.referencedBuilds().stream())
                .map(BuildId::toBytes)
                .toArray(byte[][]::new);
        return turn.inBatches(BATCH, limit -> deleteSurplus(referenced, limit))
                + turn.inBatches(BATCH, limit -> deleteAbandoned(referenced, limit));
    }

    private int deleteSurplus(byte[][] referenced, int limit) {
        return jdbc.sql("""
                        delete from builds where build_id in (
                            select b.build_id from builds b left join extraction_lease l using (build_id)
                            where b.state in ('not_found', 'unusable', 'failed') and not exists (select from debug_files f where f.build_id = b.build_id)
                                and l.owner is null %s
                            order by b.settled_at desc
                            offset :target limit :limit)
                        """.formatted(UNREFERENCED))
                .param("referenced", referenced)
                .param("target", cap.target())
                .param("limit", limit)
                .update();
    }

    private int deleteAbandoned(byte[][] referenced, int limit) {
        return jdbc.sql("""
                        delete from builds where build_id in (
                            select b.build_id from builds b left join extraction_lease l using (build_id)
                            where b.state = 'wanted' and b.wanted_at < now() - :seconds * interval '1 second'
                                and (l.owner is null or l.lease_until < now()) %s
                            order by b.wanted_at limit :limit)
                        """.formatted(UNREFERENCED))
                .param("referenced", referenced)
                .param("seconds", ABANDONED.toSeconds())
                .param("limit", limit)
                .update();
    }

    private void count() {
        misses.set(jdbc.sql("""
                        select count(*) from builds b
                        where state in ('not_found', 'unusable', 'failed')
                            and not exists (select from debug_files f where f.build_id = b.build_id)
                        """).query(Long.class).single());
    }
}
