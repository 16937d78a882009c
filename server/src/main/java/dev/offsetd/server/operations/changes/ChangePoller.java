package dev.offsetd.server.operations.changes;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.database.ReservedConnections;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import java.time.OffsetDateTime;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.stereotype.Component;

/**
 * Polls for changes and notifies the listeners. A failed poll only delays them: the next one finds everything since the last
 * successful poll. This does not hold for a database that was restarted or replaced by a standby, which may have lost commits
 * and assigned their numbers again; then everything counts as changed.
 */
@Component
class ChangePoller implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(ChangePoller.class);

    private final ReservedConnections connections;
    private final BuildGenerations generations;
    private final ObjectProvider<ChangeListener> listeners;
    private final ChangeProperties properties;
    private final Freshness freshness;
    private final PeriodicTasks tasks;

    /** The counter at the last poll; null before the first. Used by one thread at a time. */
    private @Nullable Counter position;

    private boolean failing;

    /** @param listeners resolved late, because some depend on this package */
    ChangePoller(
            ReservedConnections connections,
            BuildGenerations generations,
            ObjectProvider<ChangeListener> listeners,
            ChangeProperties properties,
            Freshness freshness,
            PeriodicTasks tasks) {
        this.connections = connections;
        this.generations = generations;
        this.listeners = listeners;
        this.properties = properties;
        this.freshness = freshness;
        this.tasks = tasks;
    }

    @Override
    public void afterSingletonsInstantiated() {
        poll();
        tasks.add("polling for changes", properties.poll(), this::poll);
    }

    void poll() {
        try {
            long began = System.nanoTime();
            Counter counter = counter();
            // Read after the counter: every build that got a generation up to the counter's value is visible by now.
            Map<BuildId, Long> changed = position == null
                    ? Map.of()
                    : generations.since(connections.jdbc(), position.value(), properties.maxBuilds() + 1);
            notifyListeners(counter, changed);
            position = counter;
            freshness.polledAt(began, counter.value());
            if (failing) {
                failing = false;
                log.info("polling for changes works again");
            }
        } catch (RuntimeException | Error e) {
            freshness.pollFailed();
            if (!failing) {
                failing = true;
                log.warn("polling for changes fails; cached answers are marked as stale: {}", e.toString());
            }
            if (e instanceof Error error) {
                throw error;
            }
        }
    }

    private void notifyListeners(Counter counter, Map<BuildId, Long> changed) {
        if (position == null
                || counter.value() < position.value()
                || !counter.databaseStarted().isEqual(position.databaseStarted())
                || counter.everything() > position.value()
                || changed.size() > properties.maxBuilds()) {
            listeners.forEach(ChangeListener::anyMayHaveChanged);
        } else if (!changed.isEmpty()) {
            Map<BuildId, Long> copy = Collections.unmodifiableMap(new HashMap<>(changed));
            listeners.forEach(listener -> listener.changed(copy));
        }
    }

    private Counter counter() {
        return connections
                .jdbc()
                .sql("select value, everything, pg_postmaster_start_time() as database_started from change_counter")
                .query((row, number) -> new Counter(
                        row.getLong("value"),
                        row.getLong("everything"),
                        row.getObject("database_started", OffsetDateTime.class)))
                .single();
    }

    /** @param everything the value when all answers were last invalidated */
    private record Counter(long value, long everything, OffsetDateTime databaseStarted) {}
}
