package dev.offsetd.server.access.users;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.users.Users.NewPassword;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The first administrator: created at the first start, and reset when locked out. */
@Component
public class FirstAdmin {

    private final Users users;
    private final boolean local;
    private final TransactionTemplate transaction;

    /** @param local whether users can sign in with a password */
    FirstAdmin(
            Users users,
            @Value("${offsetd.sign-in.local:true}") boolean local,
            PlatformTransactionManager transactions) {
        this.users = users;
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
        if (!local) {
            return Optional.empty();
        }
        return transaction.execute(status -> {
            if (users.select("first").optional().isEmpty()) {
                return users.insert(Users.FIRST, Scope.ADMIN, true, Actor.operator(cause));
            }
            // Another server printed a password that is newer than the start of this one.
            return users.select(
                            "first and one_time and enabled and password_at < now() - ? * interval '1 millisecond'"
                                    + " for update",
                            sinceStart.toMillis())
                    .optional()
                    .map(first -> users.reset(first, Actor.operator(cause)));
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
            Optional<UserState> found = name == null
                    ? users.select("first for update").optional()
                    : users.select("lower(name) = lower(?) for update", name).optional();
            if (name == null && found.isEmpty()) {
                return atStart(Duration.ZERO, cause)
                        .orElseThrow(
                                () -> new RefusedException(
                                        "name",
                                        "the first administrator does not exist and cannot be created; expected the name of another one"));
            }
            UserState user = found.orElseThrow(
                    () -> new RefusedException("name", "unknown user " + HostileText.quote(String.valueOf(name))));
            if (name != null && user.user().role() != Scope.ADMIN) {
                throw new RefusedException(
                        "name",
                        HostileText.quote(user.user().name())
                                + " is not an administrator; an administrator can reset the password on the users page");
            }
            users.update(user.user().id(), "role = 'admin', enabled = true");
            return users.reset(user, Actor.operator(cause));
        });
    }
}
