package dev.offsetd.server.access.audit;

import dev.offsetd.server.operations.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Reads the audit log, newest entries first. */
@Component
public class AuditTrail {

    /** More actions than the program has. */
    private static final int MAX_ACTIONS = 200;

    private final JdbcClient jdbc;

    AuditTrail(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * One change.
     *
     * @param at time of the transaction that made it
     * @param who label of the token, name of the user, or the operator
     * @param token id of the token; null if none was used
     * @param before JSON; null if the subject did not exist
     * @param after JSON; null if the subject no longer exists
     * @param requestId id of the request, or a name for another cause
     */
    public record AuditEntry(
            long id,
            Instant at,
            String who,
            @Nullable UUID token,
            String address,
            String action,
            String subject,
            @Nullable String before,
            @Nullable String after,
            String requestId) {

        public AuditPosition place() {
            return new AuditPosition(at, id);
        }
    }

    /** Position of an entry in the log. Entries of one transaction have the same time. */
    public record AuditPosition(Instant at, long id) {}

    /**
     * Conditions on entries; null for none.
     *
     * @param from inclusive
     * @param until exclusive
     */
    public record AuditFilter(
            @Nullable String who,
            @Nullable String action,
            @Nullable String subject,
            @Nullable Instant from,
            @Nullable Instant until) {}

    /**
     * Returns a page of entries.
     *
     * @param after position of the last entry of the previous page; null for the first page
     */
    public List<AuditEntry> page(AuditFilter filter, @Nullable AuditPosition after, int limit) {
        // Only the conditions in use, so that PostgreSQL can choose the index of each.
        StringBuilder sql = new StringBuilder("select * from audit where true");
        append(sql, " and who = :who", filter.who());
        append(sql, " and action = :action", filter.action());
        append(sql, " and subject = :subject", filter.subject());
        append(sql, " and at >= :from", filter.from());
        append(sql, " and at < :until", filter.until());
        append(sql, " and (at, id) < (:lastAt, :lastId)", after);
        return jdbc.sql(sql + " order by at desc, id desc limit :limit")
                .param("who", filter.who())
                .param("action", filter.action())
                .param("subject", filter.subject())
                .param("from", timestamp(filter.from()))
                .param("until", timestamp(filter.until()))
                .param("lastAt", after == null ? null : timestamp(after.at()))
                .param("lastId", after == null ? null : after.id())
                .param("limit", limit)
                .query(AuditTrail::entry)
                .list();
    }

    private static void append(StringBuilder sql, String condition, @Nullable Object value) {
        if (value != null) {
            sql.append(condition);
        }
    }

    private static @Nullable OffsetDateTime timestamp(@Nullable Instant time) {
        return time == null ? null : time.atOffset(ZoneOffset.UTC);
    }

    private static AuditEntry entry(ResultSet row, int number) throws SQLException {
        return new AuditEntry(
                row.getLong("id"),
                Rows.instant(row, "at"),
                row.getString("who"),
                row.getObject("token_id", UUID.class),
                row.getString("address"),
                row.getString("action"),
                row.getString("subject"),
                row.getString("before"),
                row.getString("after"),
                row.getString("request_id"));
    }

    /** Returns the actions in the log, sorted. The query skips from one action to the next by the index. */
    public List<String> actions() {
        return jdbc.sql("""
                        with recursive words as (
                            (select action from audit order by action limit 1)
                            union all
                            select (select action from audit where action > words.action order by action limit 1)
                            from words where words.action is not null)
                        select action from words where action is not null limit :limit
                        """)
                .param("limit", MAX_ACTIONS)
                .query((row, _) -> row.getString(1))
                .list();
    }
}
