package dev.offsetd.server.audit;

import dev.offsetd.server.access.Caller;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** One change: its row is written once. When it was made, the database says. */
@Entity
@Immutable
@Table(name = "audit")
class AuditEntry {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private @Nullable Long id;

    /** The database's clock says it. */
    @Column(name = "at", insertable = false, updatable = false)
    private @Nullable Instant at;

    @Column(name = "who")
    private String who;

    @Column(name = "token_id")
    private @Nullable UUID token;

    @Column(name = "address")
    private String address;

    @Column(name = "action")
    private String action;

    @Column(name = "subject")
    private String subject;

    @JdbcTypeCode(SqlTypes.JSON)
    @Column(name = "before")
    private @Nullable String before;

    @JdbcTypeCode(SqlTypes.JSON)
    @Column(name = "after")
    private @Nullable String after;

    @Column(name = "request_id")
    private String requestId;

    /** For Hibernate, which fills the fields after it. */
    @SuppressWarnings("NullAway.Init")
    AuditEntry() {}

    /**
     * @param before JSON, or null if there was nothing
     * @param after JSON, or null if there is nothing any more
     */
    AuditEntry(
            Caller who,
            String action,
            String subject,
            @Nullable String before,
            @Nullable String after,
            String requestId) {
        this.who = who.name();
        this.token = who.token();
        this.address = who.address();
        this.action = action;
        this.subject = subject;
        this.before = before;
        this.after = after;
        this.requestId = requestId;
    }

    /** An entry that was read back; one that was just made has neither number nor time yet. */
    AuditTrail.Row row() {
        return new AuditTrail.Row(
                Objects.requireNonNull(id),
                Objects.requireNonNull(at),
                who,
                token,
                address,
                action,
                subject,
                before,
                after,
                requestId);
    }
}
