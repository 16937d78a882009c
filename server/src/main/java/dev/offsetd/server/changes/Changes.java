package dev.offsetd.server.changes;

import dev.offsetd.extractor.layout.BuildId;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Records that builds answer otherwise than before. */
@Component
public class Changes {

    private final JdbcClient jdbc;

    Changes(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * Has the build get a new generation with the transaction that is under way, and all servers hear of it. A build
     * that is not known by the end of the transaction answers nothing and is passed over.
     *
     * @throws IllegalStateException outside of a transaction
     */
    public void record(BuildId id) {
        beforeCommit("build " + id).ids.add(id);
    }

    /**
     * Has all servers drop what they keep of answers, whatever the build, once the transaction that is under way has
     * ended.
     *
     * @throws IllegalStateException outside of a transaction
     */
    public void recordEverything() {
        beforeCommit("everything").everything = true;
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
     * Takes the number as the transaction's last deed, because everybody else who changes something waits from then on
     * until the transaction has ended. The builds are locked first: who waits for a build must not hold the number.
     */
    private void number(Set<BuildId> ids, boolean everything) {
        byte[][] builds = ids.stream().map(BuildId::toBytes).toArray(byte[][]::new);
        jdbc.sql("select 1 from builds where build_id = any(:builds) order by build_id for no key update")
                .param("builds", builds)
                .query(Integer.class)
                .list();
        jdbc.sql("""
                        with number as (
                            update change_counter
                            set value = value + 1,
                                everything = case when :everything then value + 1 else everything end
                            returning value)
                        update builds set generation = number.value from number where build_id = any(:builds)
                        """).param("builds", builds).param("everything", everything).update();
    }

    private final class BeforeCommit implements TransactionSynchronization {

        private final Set<BuildId> ids = new LinkedHashSet<>();
        private boolean everything;

        @Override
        public void beforeCommit(boolean readOnly) {
            number(ids, everything);
        }
    }
}
