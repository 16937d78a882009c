package dev.offsetd.server.events;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.operations.changes.Changes;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.operations.timers.SweepLock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import tools.jackson.databind.json.JsonMapper;

/** Reads the event log in the order of the commits, and deletes old events. */
@Component
public class EventLog {

    private static final JsonMapper JSON = JsonMapper.shared();

    /** Key of the advisory lock that lets one server sweep at a time; arbitrary, but unique. */
    private static final long SWEEP_LOCK = 0x6f66_6673_6574_6404L;

    /** Most rows that a transaction of the sweep deletes. */
    private static final int CHUNK = 5_000;

    /** Bytes of details after which a part of the log ends. */
    static final int ENOUGH_BYTES = 2 << 20;

    private final JdbcClient jdbc;
    private final Changes changes;
    private final EventProperties properties;
    private final SweepLock sweepLock;

    EventLog(
            JdbcClient jdbc,
            PlatformTransactionManager transactions,
            Changes changes,
            EventProperties properties,
            PeriodicTasks tasks) {
        this.jdbc = jdbc;
        this.changes = changes;
        this.properties = properties;
        this.sweepLock = new SweepLock(jdbc, transactions, SWEEP_LOCK);
        tasks.add("sweeping events", properties.sweep(), this::sweep);
    }

    /**
     * A part of the log.
     *
     * @param position number up to which the log was read
     * @param horizon number of the last deleted event
     */
    public record Part(List<Event> events, long position, long horizon) {

        public Part {
            events = List.copyOf(events);
        }

        /** Returns whether events after this position were deleted or are unknown to the database. */
        public boolean isExpired(long after) {
            return after < horizon || after > position;
        }
    }

    /**
     * Reads the events after a position, in order.
     *
     * @param limit most events; a part with {@value #ENOUGH_BYTES} bytes of details has fewer
     */
    public Part read(EventFilter filter, long after, int limit) {
        // Read before the events: every event up to it is visible by then.
        long latest = changes.latestNumber();
        List<FoundEvent> found = jdbc.sql("""
                        select * from (
                            select page.*, count(*) over () as found,
                                sum(octet_length(detail::text)) over (order by id) - octet_length(detail::text) as bytes_before
                            from (select * from events where id > :after and id <= :latest
                        """ + conditions(filter) + """
                                order by id limit :limit) page) sized
                        where bytes_before < :enough order by id
                        """)
                .param("after", after)
                .param("latest", latest)
                .param("kinds", filter.kinds().toArray(String[]::new))
                .param("sets", filter.sets().toArray(String[]::new))
                .param("limit", limit)
                .param("enough", ENOUGH_BYTES)
                .query((row, _) -> new FoundEvent(event(row), row.getInt("found")))
                .list();
        List<Event> events = found.stream().map(FoundEvent::event).toList();
        boolean isWhole = found.isEmpty() || (found.size() == found.getFirst().found() && found.size() < limit);
        // Read after the events: a sweep in between has not deleted any of them unnoticed.
        return new Part(events, isWhole ? latest : events.getLast().id(), horizon());
    }

    /** @param found events up to the limit, with those that make the part too large */
    private record FoundEvent(Event event, int found) {}

    /**
     * Reads the latest events, newest first.
     *
     * @param before number before which the events are; null for the newest
     */
    public List<Event> latest(EventFilter filter, @Nullable Long before, int limit) {
        return jdbc.sql("select * from events where id < :before" + conditions(filter)
                        + " order by id desc limit :limit")
                .param("before", before == null ? Long.MAX_VALUE : before)
                .param("kinds", filter.kinds().toArray(String[]::new))
                .param("sets", filter.sets().toArray(String[]::new))
                .param("limit", limit)
                .query((row, _) -> event(row))
                .list();
    }

    private static String conditions(EventFilter filter) {
        return (filter.kinds().isEmpty() ? "" : " and kind = any(:kinds)")
                + (filter.sets().isEmpty() ? "" : " and sets && :sets::text[]");
    }

    /** Returns the number of the last deleted event; 0 if none was deleted. */
    public long horizon() {
        return jdbc.sql("select id from event_horizon").query(Long.class).single();
    }

    /**
     * Deletes events that are too old, and the oldest of too many: always all up to one of them, so that the log has no gaps.
     *
     * @return how many were deleted; 0 if another server sweeps right now
     */
    int sweep() {
        long last = jdbc.sql("""
                        select greatest(
                            (select max(id) from events where at < now() - :keep * interval '1 second'),
                            (select id from events order by id desc offset :max limit 1), 0)
                        """)
                .param("keep", properties.keep().toSeconds())
                .param("max", properties.max())
                .query(Long.class)
                .single();
        return sweepLock.inBatches(CHUNK, limit -> delete(last, limit));
    }

    private int delete(long last, int limit) {
        return jdbc.sql("""
                        with deleted as (
                            delete from events where id in (select id from events where id <= :last order by id limit :limit)
                            returning id),
                        horizon as (
                            update event_horizon set id = greatest(id, (select max(id) from deleted))
                            where exists (select from deleted))
                        select count(*) from deleted
                        """)
                .param("last", last)
                .param("limit", limit)
                .query(Integer.class)
                .single();
    }

    private static Event event(ResultSet row) throws SQLException {
        byte[] build = row.getBytes("build_id");
        return new Event(
                row.getLong("id"),
                Rows.instant(row, "at"),
                row.getString("kind"),
                build == null ? null : BuildId.of(build),
                Rows.texts(row, "sets"),
                row.getString("title"),
                JSON.readTree(row.getString("detail")));
    }
}
