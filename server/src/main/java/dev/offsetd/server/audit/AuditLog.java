package dev.offsetd.server.audit;

import dev.offsetd.server.access.Caller;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.json.JsonMapper;

/** Keeps a row for every change. Rows are never changed or deleted; the database refuses it too. */
@Component
public class AuditLog {

    private final AuditEntries entries;
    private final JsonMapper json;

    AuditLog(AuditEntries entries, JsonMapper json) {
        this.entries = entries;
        this.json = json;
    }

    /**
     * Notes a change in the transaction that makes it: both are committed, or neither is.
     *
     * @param action what was done, in two words: {@code token.create}
     * @param subject what it was done to: a build-id, the id of a token
     * @param before how it was, written as JSON; null if it was not there
     * @param after how it is now, written as JSON; null if it is gone
     * @param requestId id of the request, or a name for what else caused the change
     * @throws org.springframework.transaction.IllegalTransactionStateException without a transaction
     */
    @Transactional(propagation = Propagation.MANDATORY)
    public void record(
            Caller who,
            String action,
            String subject,
            @Nullable Object before,
            @Nullable Object after,
            String requestId) {
        entries.save(new AuditEntry(who, action, subject, asJson(before), asJson(after), requestId));
    }

    private @Nullable String asJson(@Nullable Object value) {
        return value == null ? null : json.writeValueAsString(value);
    }
}
