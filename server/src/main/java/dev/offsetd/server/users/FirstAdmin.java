package dev.offsetd.server.users;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.users.RefusedException.Field;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Lets the first administrator in, and back in. */
@Component
public class FirstAdmin {

    private final UserRows rows;
    private final Users users;
    private final Passwords passwords;
    private final boolean local;

    /** @param local whether anybody can sign in with a password at all */
    FirstAdmin(UserRows rows, Users users, Passwords passwords, @Value("${offsetd.sign-in.local:true}") boolean local) {
        this.rows = rows;
        this.users = users;
        this.passwords = passwords;
        this.local = local;
    }

    /**
     * Adds the first administrator; while its one-time password is not used, gives it a new one. Of servers that start at
     * the same time, one does it.
     *
     * @param sinceStart time since this server was started
     * @param cause in place of a request's id
     * @return the password, for this server to tell; empty if there is nothing to tell, or another server tells it
     */
    @Transactional
    public Optional<NewPassword> atStart(Duration sinceStart, String cause) {
        Optional<UserRow> before = rows.findFirst();
        if (!local || before.filter(row -> !row.isOneTime() || !row.isEnabled()).isPresent()) {
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
                                users.noted(
                                        Caller.operator(),
                                        before.isPresent() ? "user.reset" : "user.create",
                                        null,
                                        row,
                                        cause)));
    }

    /**
     * Lets an administrator in again, whatever became of the account: with a one-time password, enabled, without sessions
     * or failed attempts. The first administrator is made one again, and is added if it was never there.
     *
     * @param name of an administrator; null for the first
     */
    @Transactional(rollbackFor = RefusedException.class)
    public NewPassword reset(@Nullable String name, String cause) throws RefusedException {
        if (name == null && rows.findFirst().isEmpty()) {
            return atStart(Duration.ZERO, cause)
                    .orElseThrow(() -> new RefusedException(
                            Field.NAME,
                            "there is no first administrator, and none can be made; expected the name of another"));
        }
        UserRow found = (name == null ? rows.findFirst() : rows.findByName(name))
                .orElseThrow(() -> new RefusedException(
                        Field.NAME, "there is no user " + HostileText.quote(String.valueOf(name))));
        return users.restore(found.getId(), name == null, Caller.operator(), cause);
    }
}
