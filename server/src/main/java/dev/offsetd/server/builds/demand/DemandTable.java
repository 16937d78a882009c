package dev.offsetd.server.builds.demand;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.builds.BuildRow;
import dev.offsetd.server.builds.ClaimedName;
import dev.offsetd.server.events.EventKind;
import dev.offsetd.server.events.EventProperties;
import dev.offsetd.server.events.EventWriter;
import dev.offsetd.server.events.NewEvent;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.operations.timers.RowCap;
import dev.offsetd.server.operations.timers.SweepLock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Stored demand of all servers, up to a number of builds. */
@Component
public class DemandTable {

    /** Key of the advisory lock that lets one server sweep at a time; arbitrary, but unique. */
    private static final long SWEEP_LOCK = 0x6f66_6673_6574_6402L;

    /** Most rows of a transaction or query of the sweep. */
    private static final int CHUNK = 10_000;

    private final JdbcClient jdbc;
    private final SweepLock sweepLock;
    private final DemandProperties properties;
    private final EventWriter events;
    private final long reported;
    private final TransactionTemplate transaction;
    private final RowCap cap;

    DemandTable(
            JdbcClient jdbc,
            PlatformTransactionManager transactions,
            DemandProperties properties,
            EventWriter events,
            EventProperties reporting,
            PeriodicTasks tasks) {
        this.jdbc = jdbc;
        this.sweepLock = new SweepLock(jdbc, transactions, SWEEP_LOCK);
        this.properties = properties;
        this.events = events;
        this.reported = reporting.demand();
        this.transaction = new TransactionTemplate(transactions);
        this.cap = new RowCap("builds with unmet demand", properties.max(), this::sweep);
        tasks.add("sweeping demand", properties.sweep(), cap::sweepOnTime);
    }

    void add(Collection<DemandCount> counts) {
        // All servers lock rows in the same order, which prevents deadlocks.
        List<DemandCount> sorted =
                counts.stream().sorted(Comparator.comparing(DemandCount::id)).toList();
        List<StoredCount> stored = transaction.execute(status -> {
            List<StoredCount> all = store(sorted);
            Map<BuildId, Long> before = new HashMap<>();
            all.forEach(count -> before.put(count.id(), count.asked()));
            sorted.forEach(count -> before.merge(count.id(), -count.asked(), Long::sum));
            all.stream()
                    .filter(count ->
                            count.asked() >= reported && reported > Objects.requireNonNull(before.get(count.id())))
                    .forEach(count -> events.append(unmet(count)));
            return all;
        });
        cap.added(stored.stream().filter(StoredCount::isNew).count());
    }

    /** @param asked requests of all servers since the build was first requested */
    private record StoredCount(BuildId id, long asked, String cause, boolean isNew) {}

    private NewEvent unmet(StoredCount count) {
        Map<String, Object> detail = new TreeMap<>(Map.of("count", count.asked(), "cause", count.cause()));
        Optional<ClaimedName> claimed = claimed(count.id());
        claimed.ifPresent(claim -> {
            detail.put("claimedName", claim.name());
            detail.put("claimedBy", claim.by().word());
            claim.packageName().ifPresent(name -> detail.put("claimedPackage", name));
        });
        String name = claimed.map(claim -> " (claimed to be " + HostileText.quote(claim.name()) + ")")
                .orElse("");
        return new NewEvent(
                EventKind.UNMET_DEMAND,
                count.id(),
                List.of(),
                "Build " + count.id() + name + ": " + count.asked() + " requests, " + count.cause(),
                detail);
    }

    /** Returns what a caller calls a build. */
    private Optional<ClaimedName> claimed(BuildId id) {
        return jdbc.sql("select claimed_name, claimed_by from builds where build_id = :id and claimed_name is not null")
                .param("id", id.toBytes())
                .query((row, number) -> Objects.requireNonNull(BuildRow.claimedName(row)))
                .optional();
    }

    private List<StoredCount> store(List<DemandCount> sorted) {
        return jdbc.sql("""
                        insert into demand (build_id, asked, first_asked, last_asked, cause)
                        select id, asked, to_timestamp(first_asked), to_timestamp(last_asked), cause
                        from unnest(:ids, :asked, :first, :last, :causes)
                            as counts (id, asked, first_asked, last_asked, cause)
                        on conflict (build_id) do update
                            set asked = demand.asked + excluded.asked,
                                first_asked = least(demand.first_asked, excluded.first_asked),
                                last_asked = greatest(demand.last_asked, excluded.last_asked),
                                cause = excluded.cause
                        -- xmax is 0 for inserted rows and the updating transaction for updated ones.
                        returning build_id, asked, cause, xmax = 0
                        """)
                .param("ids", sorted.stream().map(count -> count.id().toBytes()).toArray(byte[][]::new))
                .param("asked", sorted.stream().map(DemandCount::asked).toArray(Long[]::new))
                .param(
                        "first",
                        sorted.stream()
                                .map(count -> seconds(count.firstAsked()))
                                .toArray(Double[]::new))
                .param(
                        "last",
                        sorted.stream().map(count -> seconds(count.lastAsked())).toArray(Double[]::new))
                .param("causes", sorted.stream().map(DemandCount::cause).toArray(String[]::new))
                .query((row, number) -> new StoredCount(
                        BuildId.of(row.getBytes(1)), row.getLong(2), row.getString(3), row.getBoolean(4)))
                .list();
    }

    /**
     * Returns a page of unmet demand. Builds that have been stored since are left out.
     *
     * @param cause only builds with this cause; null for any
     * @param after the last count of the page before; null for the first page
     */
    public List<DemandCount> page(DemandOrder order, @Nullable String cause, @Nullable DemandCount after, int limit) {
        String place = after == null ? "" : " and " + order.positionAfter();
        String filter = cause == null ? "" : " and cause = :cause";
        JdbcClient.StatementSpec query = jdbc.sql(
                        """
                        select build_id, d.asked, d.first_asked, d.last_asked, d.cause, b.claimed_name, b.claimed_by
                        from demand d left join builds b using (build_id) where b.state is distinct from 'extracted'
                        """ + place + filter + " order by %s limit :limit".formatted(order.columns()))
                .param("limit", limit);
        if (cause != null) {
            query = query.param("cause", cause);
        }
        if (after != null) {
            query = query.param("id", after.id().toBytes())
                    .param("lastAsked", after.lastAsked().atOffset(ZoneOffset.UTC));
            if (order == DemandOrder.COUNT) {
                query = query.param("asked", after.asked());
            }
        }
        return query.query((row, number) -> count(row)).list();
    }

    /** Returns the distinct causes. The bounded size of the table permits a scan. */
    public List<String> causes() {
        return jdbc.sql("select cause from demand group by cause order by cause collate \"C\" limit 100")
                .query((row, number) -> row.getString(1))
                .list();
    }

    /**
     * Deletes builds that are stored by now, builds that were last requested long ago, and of the rest the surplus: those with
     * the fewest requests, so that a flood of made-up ids does not displace builds that hosts request again and again.
     *
     * @return how many were deleted; 0 if another server sweeps right now
     */
    int sweep() {
        return sweepLock.inBatches(CHUNK, this::deleteOld)
                + sweepLock.inBatches(CHUNK, this::deleteStored)
                + sweepLock.inBatches(CHUNK, this::deleteSurplus);
    }

    private int deleteOld(int limit) {
        return jdbc.sql("""
                        delete from demand where build_id in (
                            select build_id from demand where last_asked < now() - :keep * interval '1 second' limit :limit)
                        """)
                .param("keep", properties.keep().toSeconds())
                .param("limit", limit)
                .update();
    }

    private int deleteStored(int limit) {
        return jdbc.sql("""
                        delete from demand where build_id in (
                            select build_id from demand join builds b using (build_id) where b.state = 'extracted' limit :limit)
                        """).param("limit", limit).update();
    }

    private int deleteSurplus(int limit) {
        return jdbc.sql("""
                        delete from demand where build_id in (
                            select build_id from demand order by asked desc, last_asked desc, build_id
                            offset :target limit :limit)
                        """).param("target", cap.target()).param("limit", limit).update();
    }

    /** Returns the seconds since the epoch. A double keeps microseconds for another 200 years. */
    private static double seconds(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time) / 1e6;
    }

    private static DemandCount count(ResultSet row) throws SQLException {
        return new DemandCount(
                BuildId.of(row.getBytes("build_id")),
                row.getLong("asked"),
                Rows.instant(row, "first_asked"),
                Rows.instant(row, "last_asked"),
                row.getString("cause"),
                BuildRow.claimedName(row));
    }
}
