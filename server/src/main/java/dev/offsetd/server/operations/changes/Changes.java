package dev.offsetd.server.operations.changes;

import dev.offsetd.extractor.builds.BuildId;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Records that the answers about a build have changed. */
@Component
public class Changes {

    private final JdbcClient jdbc;
    private final BuildGenerations generations;
    private final ObjectProvider<ChangeListener> listeners;

    /** @param listeners resolved late, because some depend on this class */
    Changes(JdbcClient jdbc, BuildGenerations generations, ObjectProvider<ChangeListener> listeners) {
        this.jdbc = jdbc;
        this.generations = generations;
        this.listeners = listeners;
    }

    /**
     * Gives the build a new generation when the current transaction commits, which invalidates the answers that all servers
     * have cached: those of this server at once. A build that is unknown by then is ignored.
     *
     * @throws IllegalStateException outside of a transaction
     */
    public void record(BuildId id) {
        beforeCommit("build " + id).ids.add(id);
    }

    /**
     * Invalidates all cached answers of all servers when the current transaction commits.
     *
     * @throws IllegalStateException outside of a transaction
     */
    public void recordEverything() {
        beforeCommit("everything").everything = true;
    }

    /**
     * Takes the next numbers of the counter for records whose order must be that of the commits. Must be the last statement of the
     * current transaction that may wait for another one.
     *
     * @return the last of these numbers
     */
    public long takeNumbers(int count) {
        return jdbc.sql("update change_counter set value = value + :count returning value")
                .param("count", count)
                .query(Long.class)
                .single();
    }

    /** Returns the latest number: every change with a number up to it is visible to statements from now on. */
    public long latestNumber() {
        return jdbc.sql("select value from change_counter").query(Long.class).single();
    }

    private BeforeCommit beforeCommit(String what) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new IllegalStateException(what + ": no transaction; a change is recorded in the one that makes it");
        }
        for (TransactionSynchronization synchronization : TransactionSynchronizationManager.getSynchronizations()) {
            if (synchronization instanceof BeforeCommit known) {
                return known;
            }
        }
        BeforeCommit first = new BeforeCommit();
        TransactionSynchronizationManager.registerSynchronization(first);
        return first;
    }

    /**
     * Increments the counter last, because every other transaction that changes something waits for its row until this one
     * ends. The builds are locked first: a transaction that waits for a build must not hold the counter.
     */
    private long number(Set<BuildId> ids, boolean everything) {
        generations.lock(ids);
        long value =
                jdbc.sql("""
                        update change_counter
                        set value = value + 1, everything = case when :everything then value + 1 else everything end
                        returning value
                        """).param("everything", everything).query(Long.class).single();
        generations.set(ids, value);
        return value;
    }

    private final class BeforeCommit implements TransactionSynchronization {

        private final Set<BuildId> ids = new LinkedHashSet<>();
        private boolean everything;
        private long generation;

        /** Before other synchronizations that take a number: this one may wait for builds. */
        @Override
        public int getOrder() {
            return Ordered.LOWEST_PRECEDENCE - 1;
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            generation = number(ids, everything);
        }

        @Override
        public void afterCommit() {
            if (everything) {
                listeners.forEach(ChangeListener::everythingCommitted);
            }
            Map<BuildId, Long> changed = new LinkedHashMap<>();
            ids.forEach(id -> changed.put(id, generation));
            listeners.forEach(listener -> listener.committed(changed));
        }
    }
}
