package dev.offsetd.server.changes;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.database.ReservedConnections;
import dev.offsetd.server.timers.PeriodicTask;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.stereotype.Component;

/**
 * Looks for changes since the last look and passes them on. A look that fails costs nothing but time: the next one finds
 * everything since the last that did not. That does not hold for a database that was restarted or replaced by a standby,
 * which may have lost commits and given their numbers out again; then everything counts as changed.
 */
@Component
class ChangePoller implements SmartInitializingSingleton, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(ChangePoller.class);

    private final ReservedConnections connections;
    private final ObjectProvider<ChangeListener> listeners;
    private final ChangeProperties properties;
    private final Freshness freshness;
    private @Nullable PeriodicTask looks;

    /** Where the last look got to; null before the first. Used by one thread at a time. */
    private @Nullable Position position;

    private boolean failing;

    /** @param listeners asked for once all of them are there: some need what is in this package */
    ChangePoller(
            ReservedConnections connections,
            ObjectProvider<ChangeListener> listeners,
            ChangeProperties properties,
            Freshness freshness) {
        this.connections = connections;
        this.listeners = listeners;
        this.properties = properties;
        this.freshness = freshness;
    }

    @Override
    public void afterSingletonsInstantiated() {
        look();
        looks = PeriodicTask.start("changes", "looking for changes", properties.poll(), this::look);
    }

    /** Looks once. */
    void look() {
        try {
            long began = System.nanoTime();
            List<Row> rows = rows(position == null ? Long.MAX_VALUE : position.value());
            passOn(rows);
            position = new Position(rows.getFirst().value(), rows.getFirst().databaseStarted());
            freshness.lookedAt(began);
            if (failing) {
                failing = false;
                log.info("changes are seen again");
            }
        } catch (RuntimeException | Error e) {
            freshness.cannotLook();
            if (!failing) {
                failing = true;
                log.warn("changes cannot be seen; what is in memory goes out marked as stale: {}", e.toString());
            }
            if (e instanceof Error error) {
                throw error;
            }
        }
    }

    private void passOn(List<Row> rows) {
        Row first = rows.getFirst();
        if (position == null
                || first.value() < position.value()
                || !first.databaseStarted().isEqual(position.databaseStarted())
                || first.everything() > position.value()
                || rows.size() > properties.maxBuilds()) {
            listeners.forEach(ChangeListener::anyMayHaveChanged);
            return;
        }
        Map<BuildId, Long> changed = new HashMap<>();
        for (Row row : rows) {
            if (row.id() != null) {
                changed.put(row.id(), row.generation());
            }
        }
        if (!changed.isEmpty()) {
            listeners.forEach(listener -> listener.changed(Map.copyOf(changed)));
        }
    }

    /** The counter, with each build that has changed since; one row without a build if none has. */
    private List<Row> rows(long since) {
        return connections
                .jdbc()
                .sql("""
                        select c.value, c.everything, pg_postmaster_start_time() as database_started, b.build_id, b.generation
                        from change_counter c left join (
                            select build_id, generation from builds
                            where generation > :since order by generation limit :limit) b on true
                        """)
                .param("since", since)
                .param("limit", properties.maxBuilds() + 1)
                .query((row, number) -> {
                    byte[] id = row.getBytes("build_id");
                    return new Row(
                            row.getLong("value"),
                            row.getLong("everything"),
                            row.getObject("database_started", OffsetDateTime.class),
                            id == null ? null : BuildId.of(id),
                            row.getLong("generation"));
                })
                .list();
    }

    @Override
    public void destroy() {
        if (looks != null) {
            looks.close();
        }
    }

    private record Position(long value, OffsetDateTime databaseStarted) {}

    /** @param everything the counter's value when it last was everything that changed */
    private record Row(
            long value,
            long everything,
            OffsetDateTime databaseStarted,
            @Nullable BuildId id,
            long generation) {}
}
