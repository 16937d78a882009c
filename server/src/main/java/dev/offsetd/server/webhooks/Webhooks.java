package dev.offsetd.server.webhooks;

import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.audit.AuditLog;
import dev.offsetd.server.events.Event;
import dev.offsetd.server.events.EventFilter;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.operations.changes.Changes;
import dev.offsetd.server.web.ProblemException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Stored webhooks, how far each has read the event log, and the events that were given up. */
@Component
public class Webhooks {

    private static final String SELECT = """
            select w.*, (select count(*) from undelivered_events u where u.webhook = w.name) as undelivered from webhooks w
            """;

    private final JdbcClient jdbc;
    private final Changes changes;
    private final AuditLog audit;
    private final WebhookProperties properties;
    private final TransactionTemplate transaction;

    Webhooks(
            JdbcClient jdbc,
            Changes changes,
            AuditLog audit,
            WebhookProperties properties,
            PlatformTransactionManager transactions) {
        this.jdbc = jdbc;
        this.changes = changes;
        this.audit = audit;
        this.properties = properties;
        this.transaction = new TransactionTemplate(transactions);
    }

    /** Returns all webhooks, sorted by name. */
    public List<Webhook> all() {
        return jdbc.sql(SELECT + " order by w.name")
                .query((row, _) -> webhook(row))
                .list();
    }

    /** Returns the latest events that were given up, newest first. */
    public List<UndeliveredEvent> undelivered(int limit) {
        return jdbc.sql("select * from undelivered_events order by given_up_at desc, event_id desc limit :limit")
                .param("limit", limit)
                .query((row, _) -> new UndeliveredEvent(
                        row.getString("webhook"),
                        row.getLong("event_id"),
                        row.getString("kind"),
                        row.getString("title"),
                        Rows.instant(row, "at"),
                        Rows.instant(row, "given_up_at"),
                        row.getString("problem")))
                .list();
    }

    private Optional<Webhook> find(String name) {
        return jdbc.sql(SELECT + " where w.name = :name")
                .param("name", name)
                .query((row, _) -> webhook(row))
                .optional();
    }

    /**
     * Creates a webhook for events from now on, or changes one, which is tried again at once. Work that goes on for an earlier one
     * of the name is void: no claim has a number twice.
     *
     * @return whether it was created
     * @throws ProblemException if there are too many: 409
     */
    boolean put(String name, WebhookDraft draft, Actor actor) {
        return transaction.execute(status -> {
            // One at a time, so that the limit holds and each change has what was before it.
            jdbc.sql("lock table webhooks in share row exclusive mode").update();
            Webhook before = find(name).orElse(null);
            if (before == null && all().size() >= properties.max()) {
                throw ProblemException.conflict(
                        "too_many_webhooks",
                        "There are too many webhooks",
                        "offsetd.webhooks.max is " + properties.max() + "; delete a webhook first");
            }
            jdbc.sql("""
                            insert into webhooks (name, url, secret, kinds, sets, created_by, position, claim)
                            values (:name, :url, :secret, :kinds, :sets, :by, :position, :position)
                            on conflict (name) do update set url = excluded.url, secret = excluded.secret,
                                kinds = excluded.kinds, sets = excluded.sets, failures = 0, problem = null, due_at = now(),
                                claim = webhooks.claim + 1
                            """)
                    .param("name", name)
                    .param("url", draft.url().toString())
                    .param("secret", draft.secret().bytes())
                    .param("kinds", draft.filter().kinds().toArray(String[]::new))
                    .param("sets", draft.filter().sets().toArray(String[]::new))
                    .param("by", actor.name())
                    .param("position", changes.latestNumber())
                    .update();
            audit.record(
                    actor,
                    before == null ? "webhook.create" : "webhook.change",
                    name,
                    before == null ? null : audited(before),
                    audited(find(name).orElseThrow()));
            return before == null;
        });
    }

    /** Deletes a webhook with the list of its events that were given up; returns whether there was one. */
    boolean delete(String name, Actor actor) {
        return transaction.execute(status -> {
            Optional<Webhook> before = find(name);
            boolean deleted = jdbc.sql("delete from webhooks where name = :name")
                            .param("name", name)
                            .update()
                    > 0;
            if (deleted && before.isPresent()) {
                audit.record(actor, "webhook.delete", name, audited(before.get()), null);
            }
            return deleted;
        });
    }

    /** The secret is in no audit entry, and credentials of a URL are not either: drafts have none. */
    private static Map<String, Object> audited(Webhook webhook) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("url", webhook.url());
        members.put("kinds", webhook.filter().kinds());
        members.put("sets", webhook.filter().sets());
        return members;
    }

    /**
     * Work on a webhook.
     *
     * @param claim number of the claim; a later one makes it void
     * @param position number of the last event that needs no delivery any more
     */
    record Work(
            String name,
            String url,
            WebhookSecret secret,
            EventFilter filter,
            long claim,
            long position,
            int failures) {}

    /**
     * Claims the webhook that has been due for longest, of those that have not read all of the log.
     *
     * @param duration time after which another server may claim it, too
     */
    Optional<Work> claim(Duration duration) {
        long latest = changes.latestNumber();
        return jdbc.sql("""
                        update webhooks set claim = claim + 1, due_at = now() + :seconds * interval '1 second'
                        where name = (select name from webhooks where due_at <= now() and position < :latest
                            order by due_at, name limit 1 for update skip locked)
                        returning *
                        """)
                .param("seconds", Rows.seconds(duration))
                .param("latest", latest)
                .query((row, _) -> new Work(
                        row.getString("name"),
                        row.getString("url"),
                        new WebhookSecret(row.getBytes("secret")),
                        filter(row),
                        row.getLong("claim"),
                        row.getLong("position"),
                        row.getInt("failures")))
                .optional();
    }

    /** Notes that an event was delivered; returns whether the claim holds. */
    boolean delivered(Work work, Event event) {
        return update(
                work,
                "position = :position, failures = 0, problem = null, delivered_at = now()",
                Map.of("position", event.id()));
    }

    /** Notes that the log up to a position needs no delivery any more, and ends the claim. */
    void end(Work work, long position) {
        update(work, "position = :position, due_at = now()", Map.of("position", position));
    }

    /** Notes a failed attempt, and ends the claim. */
    void fail(Work work, String problem, Duration next) {
        update(
                work,
                "failures = failures + 1, problem = :problem, due_at = now() + :seconds * interval '1 second'",
                Map.of("problem", problem, "seconds", Rows.seconds(next)));
    }

    /** Changes the row of a webhook; returns whether the claim holds. */
    private boolean update(Work work, String changes, Map<String, ?> values) {
        return jdbc.sql("update webhooks set " + changes + " where name = :name and claim = :claim")
                        .params(values)
                        .param("name", work.name())
                        .param("claim", work.claim())
                        .update()
                > 0;
    }

    /** Lists an event as given up and goes on after it, in one transaction; returns whether the claim holds. */
    boolean giveUp(Work work, Event event, String problem) {
        return transaction.execute(status -> {
            boolean holds = update(
                    work,
                    "position = :position, problem = :problem",
                    Map.of("position", event.id(), "problem", problem));
            if (holds) {
                addUndelivered(work, event, problem);
            }
            return holds;
        });
    }

    private void addUndelivered(Work work, Event event, String problem) {
        jdbc.sql("""
                        insert into undelivered_events (webhook, event_id, kind, title, at, problem)
                        values (:webhook, :event, :kind, :title, :at, :problem) on conflict do nothing
                        """)
                .param("webhook", work.name())
                .param("event", event.id())
                .param("kind", event.kind())
                .param("title", event.title())
                .param("at", event.at().atOffset(ZoneOffset.UTC))
                .param("problem", problem)
                .update();
        jdbc.sql("""
                        delete from undelivered_events where (webhook, event_id) in (
                            select webhook, event_id from undelivered_events
                            order by given_up_at desc, event_id desc offset :max)
                        """).param("max", properties.maxUndelivered()).update();
    }

    private static Webhook webhook(ResultSet row) throws SQLException {
        return new Webhook(
                row.getString("name"),
                row.getString("url"),
                filter(row),
                Rows.instant(row, "created_at"),
                row.getString("created_by"),
                row.getInt("failures"),
                row.getString("problem"),
                Rows.instantOrNull(row, "delivered_at"),
                row.getInt("undelivered"));
    }

    private static EventFilter filter(ResultSet row) throws SQLException {
        return new EventFilter(Rows.texts(row, "kinds"), Rows.texts(row, "sets"));
    }

    /**
     * An event that was given up.
     *
     * @param at time of the event
     * @param problem why the last attempt failed
     */
    public record UndeliveredEvent(
            String webhook, long event, String kind, String title, Instant at, Instant givenUpAt, String problem) {}
}
