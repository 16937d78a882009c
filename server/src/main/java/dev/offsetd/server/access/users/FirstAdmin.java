package dev.offsetd.server.access.users;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.users.RefusedException.InputField;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The first administrator: created at the first start, and reset when locked out. */
@Component
public class FirstAdmin {

    private final UserRows rows;
    private final Users users;
    private final Passwords passwords;
    private final boolean local;
    private final TransactionTemplate transaction;

    /** @param local whether users can sign in with a password */
    FirstAdmin(
            UserRows rows,
            Users users,
            Passwords passwords,
            @Value("${offsetd.sign-in.local:true}") boolean local,
            PlatformTransactionManager transactions) {
        this.rows = rows;
        this.users = users;
        this.passwords = passwords;
        this.local = local;
        this.transaction = new TransactionTemplate(transactions);
    }

    /**
     * Creates the first administrator, or renews its one-time password if that has not been used. If
     * several servers start at once, one of them does it.
     *
     * @param sinceStart time since the start of this server
     * @param cause recorded in place of a request id
     * @return the password for this server to print; empty if there is none, or another server prints it
     */
    public Optional<NewPassword> atStart(Duration sinceStart, String cause) {
        return transaction.execute(status -> {
            Optional<UserRow> before = rows.findFirst();
            if (!local
                    || before.filter(row -> !row.isOneTime() || !row.isEnabled())
                            .isPresent()) {
                return Optional.empty();
            }
            String password = passwords.oneTime();
            String hash = passwords.hash(password);
            int changed = before.isPresent()
                    ? rows.renewFirst(hash, sinceStart.toMillis())
                    : rows.insertFirst(UUID.randomUUID(), Users.FIRST, hash);
            return changed == 0
                    ? Optional.empty()
                    : rows.findFirst()
                            .map(row -> new NewPassword(
                                    password,
                                    users.audited(
                                            Caller.operator(),
                                            before.isPresent() ? "user.reset" : "user.create",
                                            null,
                                            row,
                                            cause)));
        });
    }

    /**
     * Resets an administrator: sets a one-time password, enables the account, ends its sessions and clears failed attempts. The
     * first administrator gets the role back, and is created if missing.
     *
     * @param name of an administrator; null for the first
     */
    public NewPassword reset(@Nullable String name, String cause) {
        return transaction.execute(status -> {
            if (name == null && rows.findFirst().isEmpty()) {
                return atStart(Duration.ZERO, cause)
                        .orElseThrow(
                                () -> new RefusedException(
                                        InputField.NAME,
                                        "the first administrator does not exist and cannot be created; expected the name of another one"));
            }
            UserRow found = (name == null ? rows.findFirst() : rows.findByName(name))
                    .orElseThrow(() -> new RefusedException(
                            InputField.NAME, "unknown user " + HostileText.quote(String.valueOf(name))));
            return users.restore(found.id(), name == null, Caller.operator(), cause);
        });
    }
}
