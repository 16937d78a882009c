package dev.offsetd.server.operations.changes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.StoredGenerations;
import dev.offsetd.server.database.ReservedConnections;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.testkit.Stores;
import dev.offsetd.server.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Every change reaches every listener, whatever the order of the commits and whatever happens to the database. */
@Timeout(180)
class ChangesIntegrationTests {

    private static final BuildId ONE = BuildId.parse("11".repeat(20));
    private static final BuildId TWO = BuildId.parse("22".repeat(20));
    private static final int MAX_BUILDS = 3;

    private final RecordingListener listener = new RecordingListener();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final PeriodicTasks tasks = new PeriodicTasks();
    private Stores stores;
    private ReservedConnections connections;
    private StoredGenerations generations;
    private Changes changes;
    private Freshness freshness;
    private ChangePoller poller;

    TestDatabase database() {
        return TestDatabase.create();
    }

    @BeforeEach
    void start() {
        stores = new Stores(database());
        connections = new ReservedConnections(stores.pool());
        generations = new StoredGenerations(stores.jdbc());
        changes = new Changes(stores.jdbc(), generations, listeners());
        freshness = new Freshness(new ChangeProperties(Duration.ofHours(1), MAX_BUILDS));
        poller = poller(MAX_BUILDS);
        add(ONE);
        add(TWO);
        poller.poll();
        listener.forget();
    }

    private ObjectProvider<ChangeListener> listeners() {
        return new StaticListableBeanFactory(Map.of("listener", listener)).getBeanProvider(ChangeListener.class);
    }

    private ChangePoller poller(int maxBuilds) {
        return new ChangePoller(
                connections,
                generations,
                listeners(),
                new ChangeProperties(Duration.ofHours(1), maxBuilds),
                freshness,
                tasks);
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
        tasks.stop();
        connections.destroy();
        stores.close();
    }

    private void add(BuildId id) {
        stores.jdbc()
                .sql("insert into builds (build_id) values (:id)")
                .param("id", id.toBytes())
                .update();
    }

    private long generation(BuildId id) {
        return stores.jdbc()
                .sql("select generation from builds where build_id = :id")
                .param("id", id.toBytes())
                .query(Long.class)
                .single();
    }

    private void change(BuildId... ids) {
        stores.inTransaction(() -> {
            for (BuildId id : ids) {
                changes.record(id);
            }
        });
    }

    @Test
    void commitIsReportedBeforeThePoll() {
        change(ONE);
        assertThat(listener.committed).containsExactlyEntriesOf(Map.of(ONE, generation(ONE)));
        assertThat(listener.changed).isEmpty();
    }

    @Test
    void failedCommitIsNotReported() {
        assertThatThrownBy(() -> stores.inTransaction(() -> {
                    changes.record(ONE);
                    TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void beforeCommit(boolean readOnly) {
                            throw new IllegalStateException("refused");
                        }
                    });
                }))
                .hasMessage("refused");
        assertThat(listener.committed).isEmpty();
    }

    private CompletableFuture<Void> begin(Runnable work) {
        return CompletableFuture.runAsync(work, threads);
    }

    @Test
    void changedBuildIsReportedOnceWithItsGeneration() {
        change(ONE);
        poller.poll();
        assertThat(listener.changed).containsExactly(Map.entry(ONE, generation(ONE)));
        listener.forget();
        poller.poll();
        assertThat(listener.changed).isEmpty();
        assertThat(listener.any).isZero();
    }

    @Test
    void buildsOfOneTransactionShareAGenerationAndGenerationsAreUnique() {
        change(ONE, TWO, ONE);
        long first = generation(ONE);
        assertThat(generation(TWO)).isEqualTo(first);
        change(TWO);
        assertThat(generation(TWO)).isEqualTo(first + 1);
        assertThat(generation(ONE)).isEqualTo(first);
    }

    @Test
    void rolledBackChangeIsNotReported() {
        assertThatThrownBy(() -> stores.inTransaction(() -> {
                    changes.record(ONE);
                    throw new IllegalStateException("rolled back");
                }))
                .hasMessage("rolled back");
        poller.poll();
        assertThat(listener.changed).isEmpty();
    }

    @Test
    void changeOfEverythingIsReportedWithTheCommitAndKeepsTheGenerations() {
        long before = generation(ONE);
        stores.inTransaction(() -> changes.recordEverything());
        assertThat(listener.any).isOne();
        poller.poll();
        assertThat(generation(ONE)).isEqualTo(before);
        listener.forget();
        change(TWO);
        poller.poll();
        assertThat(listener.any).isZero();
        assertThat(listener.changed).containsOnlyKeys(TWO);
    }

    @Test
    void changeOfEverythingSurvivesALaterChange() {
        stores.inTransaction(() -> {
            changes.record(ONE);
            changes.recordEverything();
        });
        listener.forget();
        change(TWO);
        poller.poll();
        assertThat(listener.any).isOne();
    }

    @Test
    void changeOutsideATransactionIsRefused() {
        assertThatThrownBy(() -> changes.record(ONE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no transaction");
    }

    @Test
    void generationsBecomeVisibleInOrder() throws Exception {
        CountDownLatch hasNumber = new CountDownLatch(1);
        CountDownLatch mayCommit = new CountDownLatch(1);
        CompletableFuture<Void> slow = begin(() -> stores.inTransaction(() -> {
            changes.record(ONE);
            // Runs after the number was taken, and before the commit.
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    hasNumber.countDown();
                    try {
                        mayCommit.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
            });
        }));
        hasNumber.await();
        CompletableFuture<Void> quick = begin(() -> change(TWO));
        awaitLockWait();
        poller.poll();
        assertThat(listener.changed).isEmpty();
        assertThat(quick).isNotDone();

        mayCommit.countDown();
        slow.join();
        quick.join();
        poller.poll();
        assertThat(listener.changed).containsOnlyKeys(ONE, TWO);
        assertThat(generation(ONE)).isLessThan(generation(TWO));
    }

    /** Waits until a transaction waits for the lock of another one. */
    private void awaitLockWait() throws InterruptedException {
        while (stores.jdbc()
                        .sql("select count(*) from pg_stat_activity"
                                + " where datname = current_database() and wait_event_type = 'Lock'")
                        .query(Integer.class)
                        .single()
                == 0) {
            Thread.sleep(10);
        }
    }

    @Test
    void changeDuringAPollIsReported() throws Exception {
        int builds = 200;
        List<BuildId> ids = new ArrayList<>();
        for (int i = 0; i < builds; i++) {
            BuildId id = BuildId.parse("%016x".formatted(i));
            ids.add(id);
            add(id);
        }
        ChangePoller watching = poller(builds);
        watching.poll();
        listener.forget();
        CompletableFuture<Void> writers = CompletableFuture.allOf(
                begin(() -> ids.subList(0, builds / 2).forEach(this::change)),
                begin(() -> ids.subList(builds / 2, builds).forEach(this::change)));
        while (!writers.isDone()) {
            watching.poll();
        }
        writers.join();
        watching.poll();
        assertThat(listener.any).isZero();
        assertThat(listener.changed).hasSize(builds);
        for (BuildId id : ids) {
            assertThat(listener.changed).containsEntry(id, generation(id));
        }
    }

    @Test
    void tooManyChangesAtOnceCountAsAll() {
        List<BuildId> ids = new ArrayList<>();
        for (int i = 0; i <= MAX_BUILDS; i++) {
            BuildId id = BuildId.parse("%016x".formatted(i));
            ids.add(id);
            add(id);
        }
        change(ids.subList(0, MAX_BUILDS).toArray(BuildId[]::new));
        poller.poll();
        assertThat(listener.changed).hasSize(MAX_BUILDS);
        assertThat(listener.any).isZero();
        change(ids.toArray(BuildId[]::new));
        poller.poll();
        assertThat(listener.any).isEqualTo(1);
    }

    @Test
    void counterThatDecreasedCountsAsChangeOfEverything() {
        change(ONE);
        poller.poll();
        listener.forget();
        stores.jdbc().sql("update change_counter set value = 0").update();
        poller.poll();
        assertThat(listener.any).isEqualTo(1);
    }

    @Test
    void changesDuringAnOutageAreReportedAfterwards() {
        stores.jdbc().sql("alter table change_counter rename to elsewhere").update();
        poller.poll();
        assertThat(freshness.mayBeStale()).isTrue();
        stores.jdbc().sql("alter table elsewhere rename to change_counter").update();
        change(TWO);
        assertThat(listener.changed).isEmpty();
        poller.poll();
        assertThat(freshness.mayBeStale()).isFalse();
        assertThat(listener.changed).containsOnlyKeys(TWO);
    }

    @Test
    void failedListenerIsNotifiedAgain() {
        change(ONE);
        listener.failing = true;
        poller.poll();
        assertThat(freshness.mayBeStale()).isTrue();
        listener.failing = false;
        poller.poll();
        assertThat(listener.changed).containsOnlyKeys(ONE);
    }

    @Test
    void answersAreStaleAfterMissedPolls() throws Exception {
        Freshness hasty = new Freshness(new ChangeProperties(Duration.ofMillis(1), MAX_BUILDS));
        assertThat(hasty.mayBeStale()).as("before the first look").isTrue();
        hasty.polledAt(System.nanoTime(), 0);
        Thread.sleep(Duration.ofMillis(100));
        assertThat(hasty.mayBeStale()).isTrue();
    }

    private static final class RecordingListener implements ChangeListener {

        private final Map<BuildId, Long> changed = new HashMap<>();
        private final Map<BuildId, Long> committed = new HashMap<>();
        private int any;
        private boolean failing;

        void forget() {
            changed.clear();
            committed.clear();
            any = 0;
        }

        @Override
        public void changed(Map<BuildId, Long> generations) {
            if (failing) {
                throw new IllegalStateException("the listener fails");
            }
            changed.putAll(generations);
        }

        @Override
        public void committed(Map<BuildId, Long> generations) {
            committed.putAll(generations);
        }

        @Override
        public void anyMayHaveChanged() {
            any++;
        }
    }
}
