package dev.offsetd.server.access.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Each change has an entry, written in its transaction and immutable. */
@ChecklistRow(22)
class AuditLogIntegrationTests {

    private static final UUID TOKEN = UUID.fromString("5b0c2c26-7f2e-4a55-8d0c-3f2f5f0f9f11");
    private static final Caller CALLER = new Caller("ci", TOKEN, Set.of(Scope.PUBLISH), "192.0.2.7");

    @TempDir
    private static Path data;

    private static TestServer server;
    private static JdbcClient jdbc;

    @BeforeAll
    static void start() {
        TestDatabase database = TestDatabase.create();
        server = TestServer.start(data, database);
        jdbc = database.jdbc();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static TransactionTemplate transaction() {
        return new TransactionTemplate(server.bean(PlatformTransactionManager.class));
    }

    private static long rows(String subject) {
        return jdbc.sql("select count(*) from audit where subject = ?")
                .param(subject)
                .query(Long.class)
                .single();
    }

    @Test
    void entryHasTheCallerActionSubjectAndTime() {
        transaction()
                .executeWithoutResult(status -> server.bean(AuditLog.class)
                        .record(
                                new Actor(CALLER, "request-1"),
                                "build.retry",
                                "recorded",
                                Map.of("state", "failed"),
                                Map.of("state", "wanted")));
        assertThat(jdbc.sql("""
                                select who, token_id, address, action, before->>'state' as before,
                                    after->>'state' as after, request_id, at between now() - interval '1 minute' and now() as now
                                from audit where subject = 'recorded'
                                """).query().singleRow())
                .containsOnly(
                        Map.entry("who", "ci"),
                        Map.entry("token_id", TOKEN),
                        Map.entry("address", "192.0.2.7"),
                        Map.entry("action", "build.retry"),
                        Map.entry("before", "failed"),
                        Map.entry("after", "wanted"),
                        Map.entry("request_id", "request-1"),
                        Map.entry("now", true));
    }

    @Test
    void rolledBackChangeHasNoEntry() {
        transaction().executeWithoutResult(status -> {
            server.bean(AuditLog.class)
                    .record(new Actor(CALLER, "request-2"), "build.retry", "rolled back", null, null);
            status.setRollbackOnly();
        });
        assertThat(rows("rolled back")).isZero();
    }

    @Test
    void entryOutsideATransactionIsRefused() {
        AuditLog audit = server.bean(AuditLog.class);
        assertThatThrownBy(
                        () -> audit.record(new Actor(CALLER, "request-3"), "build.retry", "no transaction", null, null))
                .isInstanceOf(IllegalTransactionStateException.class);
        assertThat(rows("no transaction")).isZero();
    }

    @Test
    void databaseRefusesToChangeOrDeleteEntries() {
        for (String statement :
                new String[] {"update audit set who = 'nobody'", "delete from audit", "truncate audit"}) {
            assertThatThrownBy(() -> jdbc.sql(statement).update())
                    .as(statement)
                    .hasMessageContaining("never changed or deleted");
        }
    }

    private static void fill(String subject, int rows) {
        // One statement: all rows have the same time.
        jdbc.sql("""
                        insert into audit (who, address, action, subject, request_id)
                        select 'filler', '192.0.2.8', 'test.fill', :subject, 'request ' || n
                        from generate_series(1, :rows) n
                        """).param("subject", subject).param("rows", rows).update();
    }

    private static AuditTrail.AuditFilter of(String subject) {
        return new AuditTrail.AuditFilter(null, null, subject, null, null);
    }

    @Test
    void trailReturnsEachEntryOnceDespiteEqualTimes() {
        fill("all of them", 700);
        fill("all of them", 601);
        List<Long> ids = new ArrayList<>();
        AuditTrail trail = server.bean(AuditTrail.class);
        List<AuditTrail.AuditEntry> rows = trail.page(of("all of them"), null, 500);
        while (!rows.isEmpty()) {
            rows.forEach(row -> ids.add(row.id()));
            rows = trail.page(of("all of them"), rows.getLast().place(), 500);
        }
        assertThat(ids).hasSize(1301).doesNotHaveDuplicates().isSortedAccordingTo(Comparator.reverseOrder());
    }

    @Test
    void pageContinuesAfterThePreviousOne() {
        fill("paged", 5);
        AuditTrail trail = server.bean(AuditTrail.class);
        List<AuditTrail.AuditEntry> first = trail.page(of("paged"), null, 3);
        List<AuditTrail.AuditEntry> second =
                trail.page(of("paged"), first.getLast().place(), 3);
        assertThat(first)
                .hasSize(3)
                .extracting(AuditTrail.AuditEntry::requestId)
                .startsWith("request 5");
        assertThat(second).extracting(AuditTrail.AuditEntry::requestId).containsExactly("request 2", "request 1");
    }

    @Test
    void filterSelectsByCallerActionSubjectAndTime() {
        fill("filtered", 2);
        AuditTrail trail = server.bean(AuditTrail.class);
        Instant at = trail.page(of("filtered"), null, 1).getFirst().at();
        record Case(AuditTrail.AuditFilter filter, int rows) {}
        for (Case each : List.of(
                new Case(new AuditTrail.AuditFilter("filler", "test.fill", "filtered", at, at.plusNanos(1000)), 2),
                new Case(new AuditTrail.AuditFilter("other", null, "filtered", null, null), 0),
                new Case(new AuditTrail.AuditFilter(null, "test.other", "filtered", null, null), 0),
                new Case(new AuditTrail.AuditFilter(null, null, "filtered", at.plusNanos(1000), null), 0),
                new Case(new AuditTrail.AuditFilter(null, null, "filtered", null, at), 0))) {
            assertThat(trail.page(each.filter(), null, 10))
                    .as("%s", each.filter())
                    .hasSize(each.rows());
        }
        assertThat(trail.actions()).contains("test.fill").doesNotHaveDuplicates();
    }
}
