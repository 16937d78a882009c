package dev.offsetd.server.access.audit;

import dev.offsetd.server.access.Actor;
import dev.offsetd.server.web.TokenShape;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Writes an entry for each change. Entries are never changed or deleted; a trigger of the table enforces it. */
@Component
public class AuditLog {

    private final JdbcClient jdbc;
    private final JsonMapper json;
    private final TransactionTemplate callers;

    AuditLog(JdbcClient jdbc, JsonMapper json, PlatformTransactionManager transactions) {
        this.jdbc = jdbc;
        this.json = json;
        this.callers = new TransactionTemplate(transactions);
        callers.setPropagationBehavior(TransactionDefinition.PROPAGATION_MANDATORY);
    }

    /**
     * Records a change in the transaction that makes it, so that both are committed or neither.
     *
     * @param action two words: {@code token.create}
     * @param subject what was changed: a build-id, the id of a token
     * @param before written as JSON; null if the subject did not exist
     * @param after written as JSON; null if the subject no longer exists
     * @throws org.springframework.transaction.IllegalTransactionStateException without a transaction
     */
    public void record(Actor actor, String action, String subject, @Nullable Object before, @Nullable Object after) {
        callers.executeWithoutResult(status -> jdbc.sql("""
                        insert into audit (who, token_id, address, action, subject, before, after, request_id)
                        values (:who, :token, :address, :action, :subject, :before::jsonb, :after::jsonb, :requestId)
                        """)
                .param("who", actor.name())
                .param("token", actor.caller().token())
                .param("address", actor.caller().address())
                .param("action", action)
                .param("subject", TokenShape.redact(subject))
                .param("before", asJson(before))
                .param("after", asJson(after))
                .param("requestId", actor.cause())
                .update());
    }

    private @Nullable String asJson(@Nullable Object value) {
        return value == null ? null : TokenShape.redact(json.writeValueAsString(value));
    }
}
