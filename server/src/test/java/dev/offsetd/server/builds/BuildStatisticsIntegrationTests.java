package dev.offsetd.server.builds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.operations.work.ServerIdentity;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.testkit.Stores;
import dev.offsetd.server.testkit.TestDatabase;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Statistics are exact for few builds and estimated for many. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class BuildStatisticsIntegrationTests {

    private static final ServerIdentity HERE = new ServerIdentity();

    private static Stores stores;
    private static BuildStatistics statistics;

    @BeforeAll
    static void open() {
        stores = new Stores(TestDatabase.create());
        statistics = new BuildStatistics(stores.jdbc(), HERE);
        // Nothing but this test says when the planner's statistics are brought up to date.
        stores.jdbc().sql("alter table builds set (autovacuum_enabled = false)").update();
        stores.jdbc()
                .sql("alter table debug_files set (autovacuum_enabled = false)")
                .update();
        fill("extracted", "x86_64", 0, 6);
        fill("extracted", "aarch64", 10, 2);
        fill("not_found", null, 20, 3);
    }

    @AfterAll
    static void close() {
        stores.close();
    }

    /** Adds builds with results one second apart, the latest first. */
    private static void fill(String state, @Nullable String machine, int first, int builds) {
        boolean stored = state.equals("extracted");
        stores.jdbc()
                .sql("""
                        insert into builds (build_id, state, settled_at, problem_code, problem_detail, retry_at)
                        select decode(lpad(to_hex(n), 40, '0'), 'hex'), :state, now() - n * interval '1 second',
                            case when :stored then null else 'not_found' end,
                            case when :stored then null else 'no source has it' end,
                            case when :stored then null else now() + interval '1 hour' end
                        from generate_series(:first, :last) n
                        """)
                .param("state", state)
                .param("stored", stored)
                .param("first", first)
                .param("last", first + builds - 1)
                .update();
        if (stored) {
            stores.jdbc()
                    .sql("""
                            insert into debug_files (build_id, origin, upstream, sha256, bytes, verified, fetched_bytes,
                                machine, bits, byte_order, extractor_version, read_at)
                            select decode(lpad(to_hex(n), 40, '0'), 'hex'), 'local', '/debug', sha256('x'), 1, 'note', 0,
                                :machine, 64, 'little', 1, now()
                            from generate_series(:first, :last) n
                            """)
                    .param("machine", machine)
                    .param("first", first)
                    .param("last", first + builds - 1)
                    .update();
        }
    }

    private static BuildId id(int number) {
        return BuildId.parse("%040x".formatted(number));
    }

    @Test
    @Order(1)
    void fewBuildsAreCounted() {
        BuildStatistics.Counts counts = statistics.counts();
        assertThat(counts.precision()).isEqualTo(BuildStatistics.Precision.EXACT);
        assertThat(counts.total()).isEqualTo(11);
        assertThat(counts.byState()).containsEntry(BuildState.EXTRACTED, 8L).containsEntry(BuildState.NOT_FOUND, 3L);
        assertThat(counts.byMachine())
                .containsEntry("x86_64", 6L)
                .containsEntry("aarch64", 2L)
                .hasSize(2);
    }

    @Test
    @Order(1)
    void latestResultsComeNewestFirst() {
        List<BuildStatistics.LatestResult> latest = statistics.latest(9);
        assertThat(latest)
                .hasSize(9)
                .extracting(BuildStatistics.LatestResult::id)
                .startsWith(id(0), id(1));
        assertThat(latest.getFirst().machine()).isEqualTo("x86_64");
        assertThat(latest.getLast())
                .extracting(
                        BuildStatistics.LatestResult::state,
                        BuildStatistics.LatestResult::problem,
                        BuildStatistics.LatestResult::machine)
                .containsExactly(BuildState.NOT_FOUND, "not_found", null);
        List<BuildId> stored = statistics.latestStored(7);
        assertThat(stored).endsWith(id(10)).hasSize(7);
        assertThat(statistics.latestStored(stored.get(2), 4)).isEqualTo(stored.subList(3, 7));
    }

    @Test
    @Order(1)
    void workOfThisServerIsDistinguishedFromOthers() {
        stores.jdbc()
                .sql("""
                        insert into extraction_lease (build_id, owner, lease_until, heartbeat_at, attempt) values
                            (:here, :me, now() + interval '1 minute', now(), 1),
                            (:there, 'other', now() + interval '1 minute', now(), 1),
                            (:dead, 'dead', now() - interval '1 minute', now(), 1),
                            (:idle, null, null, null, 1)
                        """)
                .param("here", id(0).toBytes())
                .param("me", HERE.name())
                .param("there", id(20).toBytes())
                .param("dead", id(1).toBytes())
                .param("idle", id(2).toBytes())
                .update();
        assertThat(statistics.inProgress(10))
                .extracting(
                        BuildStatistics.WorkInProgress::id,
                        BuildStatistics.WorkInProgress::here,
                        BuildStatistics.WorkInProgress::stored)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple(id(0), true, true),
                        org.assertj.core.groups.Tuple.tuple(id(20), false, false));
    }

    @Test
    @Order(1)
    void missesAreCountedWhileTheyHold() {
        stores.jdbc()
                .sql("""
                        insert into source_outcomes (build_id, source, origin, outcome, code, detail, retry_at) values
                            (:a, 'https://one.test/', 'debuginfod', 'not_found', 'not_found', 'no', now() + interval '1 hour'),
                            (:b, 'https://one.test/', 'debuginfod', 'not_found', 'not_found', 'no', now() + interval '1 hour'),
                            (:c, 'https://one.test/', 'debuginfod', 'not_found', 'not_found', 'no', now() - interval '1 hour'),
                            (:a, 'https://two.test/', 'debuginfod', 'broken', 'broken', 'no', now() + interval '1 hour')
                        """)
                .param("a", id(20).toBytes())
                .param("b", id(21).toBytes())
                .param("c", id(22).toBytes())
                .update();
        assertThat(statistics.misses())
                .containsExactly(new BuildStatistics.SourceMisses("https://one.test/", 2, false));
    }

    @Test
    @Order(2)
    void countingStopsAtTheLimitBeforeAnalyze() {
        fill("extracted", "x86_64", 1_000, BuildStatistics.COUNTED);
        BuildStatistics.Counts counts = statistics.counts();
        assertThat(counts.precision()).isEqualTo(BuildStatistics.Precision.AT_LEAST);
        assertThat(counts.total()).isEqualTo(BuildStatistics.COUNTED);
    }

    @Test
    @Order(3)
    void manyBuildsAreEstimated() {
        stores.jdbc().sql("analyze builds, debug_files").update();
        BuildStatistics.Counts counts = statistics.counts();
        assertThat(counts.precision()).isEqualTo(BuildStatistics.Precision.ABOUT);
        assertThat(counts.total()).isBetween(19_000L, 21_000L);
        assertThat(counts.byState().get(BuildState.EXTRACTED)).isBetween(19_000L, 21_000L);
        assertThat(counts.byMachine().get("x86_64")).isBetween(19_000L, 21_000L);
    }
}
