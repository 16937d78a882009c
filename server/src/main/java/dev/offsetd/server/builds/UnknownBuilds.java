package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.operations.timers.RowCap;
import dev.offsetd.server.operations.timers.SweepLock;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
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

    /** Most builds that one sweep deletes of each kind. */
    private static final int MAX_SWEEP = 50_000;

    /** Most builds that one transaction deletes. PostgreSQL looks for rows of each in a dozen tables. */
    private static final int BATCH = 500;

    /** Interval of the count for the metric. */
    private static final Duration COUNT = Duration.ofSeconds(30);

    /** A build without stored data. A build whose types are stored is extracted, so only symbols can be stored of these. */
    private static final String FAILED = """
            b.state in ('not_found', 'unusable', 'failed') and not exists (
                select from debug_files f where f.build_id = b.build_id and f.symbol_count is not null)
            """;

    private static final String WAITED = "b.state = 'wanted' and b.wanted_at < now() - :seconds * interval '1 second'";

    /** No server works on the build, and nothing refers to it. Both conditions read a few rows, however many builds there are. */
    private static final String DELETABLE = """
             and not exists (select from extraction_lease l where l.build_id = b.build_id and %s)
            and not exists (select from unnest(:referenced::bytea[]) r(id) where r.id = b.build_id)
            """.formatted(Builds.IS_RUNNING);

    private final JdbcClient jdbc;
    private final SweepLock sweepLock;
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
        this.sweepLock = new SweepLock(jdbc, transactions, SWEEP_LOCK);
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
        byte[][] referenced = bytes(BuildReferences::referencedBuilds);
        return delete(select(FAILED, "b.settled_at desc", cap.target(), referenced))
                + delete(select(WAITED, "b.wanted_at", 0, referenced));
    }

    private List<BuildId> select(String which, String order, int offset, byte[][] referenced) {
        return jdbc.sql("select b.build_id from builds b where " + which + DELETABLE + " order by " + order
                        + " offset :offset limit :limit")
                .param("seconds", ABANDONED.toSeconds())
                .param("referenced", referenced)
                .param("offset", offset)
                .param("limit", MAX_SWEEP)
                .query(Rows::id)
                .list();
    }

    private byte[][] bytes(Function<BuildReferences, List<BuildId>> of) {
        return references.stream()
                .flatMap(owner -> of.apply(owner).stream())
                .map(BuildId::toBytes)
                .toArray(byte[][]::new);
    }

    /** Deletes those of the builds that may still be deleted, in transactions of bounded size. */
    private int delete(List<BuildId> ids) {
        int deleted = 0;
        for (int from = 0; from < ids.size(); from += BATCH) {
            List<BuildId> batch = ids.subList(from, Math.min(ids.size(), from + BATCH));
            deleted += sweepLock.once(() -> jdbc.sql("delete from builds b where b.build_id = any(:ids) and (" + FAILED
                            + " or " + WAITED + ")" + DELETABLE)
                    .param("ids", Rows.ids(batch))
                    .param("seconds", ABANDONED.toSeconds())
                    // References to the others do not matter here, and there may be many.
                    .param("referenced", bytes(owner -> owner.referencedAmong(batch)))
                    .update());
        }
        return deleted;
    }

    private void count() {
        misses.set(jdbc.sql("select count(*) from builds b where " + FAILED)
                .query(Long.class)
                .single());
    }
}
