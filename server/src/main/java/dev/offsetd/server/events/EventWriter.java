package dev.offsetd.server.events;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.operations.changes.Changes;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import tools.jackson.databind.json.JsonMapper;

/** Writes the event log. */
@Component
public class EventWriter {

    private static final JsonMapper JSON = JsonMapper.shared();

    private static final int MAX_TITLE = 1_000;

    private final JdbcClient jdbc;
    private final Changes changes;
    private final Map<EventKind, Counter> counters = new EnumMap<>(EventKind.class);

    EventWriter(JdbcClient jdbc, Changes changes, MeterRegistry meters) {
        this.jdbc = jdbc;
        this.changes = changes;
        for (EventKind kind : EventKind.values()) {
            counters.put(
                    kind,
                    Counter.builder("offsetd.events")
                            .description("Events written to the log by this server, by kind")
                            .tag("kind", kind.word())
                            .register(meters));
        }
    }

    /**
     * Writes an event with the current transaction, which makes the change that the event reports: either both are committed or
     * neither is.
     *
     * @throws IllegalStateException outside of a transaction
     */
    public void append(NewEvent event) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new IllegalStateException(
                    event.kind().word() + ": no transaction; an event is written in the one that makes the change");
        }
        for (TransactionSynchronization synchronization : TransactionSynchronizationManager.getSynchronizations()) {
            if (synchronization instanceof BeforeCommit known) {
                known.events.add(event);
                return;
            }
        }
        BeforeCommit first = new BeforeCommit();
        first.events.add(event);
        TransactionSynchronizationManager.registerSynchronization(first);
    }

    private void insert(long number, NewEvent event) {
        BuildId build = event.build();
        jdbc.sql("""
                        insert into events (id, kind, build_id, sets, title, detail)
                        values (:id, :kind, :build, :sets, :title, cast(:detail as jsonb))
                        """)
                .param("id", number)
                .param("kind", event.kind().word())
                .param("build", build == null ? null : build.toBytes())
                .param("sets", event.sets().toArray(String[]::new))
                .param("title", storable(event.title()))
                .param("detail", JSON.writeValueAsString(event.detail()).replace("\\u0000", "\\ufffd"))
                .update();
    }

    /** Bounds a text, and replaces NUL, which names in files may have and the database cannot store. */
    private static String storable(String text) {
        String line = text.replace('\0', '\ufffd');
        return line.length() <= MAX_TITLE ? line : line.substring(0, line.offsetByCodePoints(0, MAX_TITLE / 2)) + "...";
    }

    /** Numbers the events when nothing else remains to be done: every other transaction with a number waits from then on. */
    private final class BeforeCommit implements TransactionSynchronization {

        private final List<NewEvent> events = new ArrayList<>();

        @Override
        public int getOrder() {
            return Ordered.LOWEST_PRECEDENCE;
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            long last = changes.takeNumbers(events.size());
            for (int i = 0; i < events.size(); i++) {
                insert(last - events.size() + 1 + i, events.get(i));
            }
        }

        @Override
        public void afterCommit() {
            events.forEach(
                    event -> Objects.requireNonNull(counters.get(event.kind())).increment());
        }
    }
}
