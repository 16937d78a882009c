package dev.offsetd.server.access.users;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.User;
import dev.offsetd.server.access.UserDirectory;
import dev.offsetd.server.access.audit.AuditLog;
import dev.offsetd.server.access.users.OidcProperties.ProviderUser;
import dev.offsetd.server.access.users.PasswordAuthentication.PasswordAccount;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.web.CreationPosition;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.core.userdetails.UsernameNotFoundException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Manages users. Every change is audited, and takes effect with the next request of the user, on every server. */
@Component
public class Users implements UserDirectory {

    /** Name of the first administrator. */
    public static final String FIRST = "admin";

    /** The names that are accepted, for messages. */
    public static final String NAME_RULE = "1 to 64 letters (a to z), digits, and . _ @ + -";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}");

    /** Names with another meaning in the audit log. */
    private static final Set<String> RESERVED = Set.of(Caller.ANONYMOUS, Caller.OPERATOR);

    private static final char LIST = 'u';

    private static final int MAX_PROVIDER_NAME_LENGTH = 100;

    private final JdbcClient jdbc;
    private final Passwords passwords;
    private final AuditLog audit;
    private final TransactionTemplate transaction;

    Users(JdbcClient jdbc, Passwords passwords, AuditLog audit, PlatformTransactionManager transactions) {
        this.jdbc = jdbc;
        this.passwords = passwords;
        this.audit = audit;
        this.transaction = new TransactionTemplate(transactions);
    }

    /**
     * A new one-time password of a user.
     *
     * @param text the password itself, which is not stored
     */
    public record NewPassword(String text, UserState state) {

        /** Omits the text, which must not be logged. */
        @Override
        public String toString() {
            return "NewPassword[" + state + "]";
        }
    }

    @Override
    public Optional<User> enabled(UUID id) {
        return find(id).filter(UserState::enabled).map(UserState::user);
    }

    /** Returns the page of a query, the oldest users first. */
    public ListPage<UserState> page(ListQuery query) {
        CreationPosition after = query.creationPosition(LIST).orElse(CreationPosition.START);
        return ListPage.read(
                query,
                LIST,
                limit -> select(
                                "(created_at, id) > (?, ?) order by created_at, id limit ?",
                                after.createdAt().atOffset(ZoneOffset.UTC),
                                after.id(),
                                limit)
                        .list(),
                state -> new CreationPosition(state.createdAt(), state.user().id()).toBytes());
    }

    public Optional<UserState> find(UUID id) {
        return select("id = ?", id).optional();
    }

    /** Returns the enabled user with this name and a password. */
    PasswordAccount account(String name) {
        // One query, whether the user exists or not: the time must not tell.
        return jdbc.sql("select * from users where lower(name) = lower(?) and enabled and issuer is null")
                .param(name)
                .query((row, number) -> new PasswordAccount(state(row, number).user(), row.getString("password_hash")))
                .optional()
                .orElseThrow(() -> new UsernameNotFoundException("no enabled user with this name and a password"));
    }

    /** Records that a user has signed in. */
    void signedIn(User user, Actor actor) {
        transaction.executeWithoutResult(status -> {
            update(user.id(), "last_sign_in_at = now()");
            Caller self = new Caller(
                    user.name(), null, Set.of(user.role()), actor.caller().address());
            audit.record(new Actor(self, actor.cause()), "user.sign_in", user.name(), null, null);
        });
    }

    /**
     * Returns the user of a provider, created at the first sign-in and with the role that the provider gives now.
     *
     * @throws RefusedException if the user is disabled, or another user has the name
     */
    User ofProvider(ProviderUser vouched, String cause) {
        // The provider is the author of the change.
        Actor provider = new Actor(new Caller(vouched.issuer(), null, Set.of(), "oidc"), cause);
        return transaction.execute(status -> {
            UserState user = select("issuer = ? and subject = ? for update", vouched.issuer(), vouched.subject())
                    .optional()
                    .orElse(null);
            if (user == null) {
                UserState added = insert(vouched);
                return audited(provider, "user.create", null, added).user();
            }
            if (!user.enabled()) {
                throw new RefusedException("", HostileText.quote(user.user().name()) + " is disabled");
            }
            if (user.user().role() != vouched.role()) {
                UserState changed = setRole(user, vouched.role());
                return audited(provider, "user.role", user, changed).user();
            }
            return user.user();
        });
    }

    private UserState insert(ProviderUser vouched) {
        String name = vouched.name();
        if (name.isBlank() || name.length() > MAX_PROVIDER_NAME_LENGTH || !HostileText.needsNoEscape(name)) {
            throw new RefusedException(
                    "name",
                    "invalid name " + HostileText.quote(name) + " from the provider; expected 1 to "
                            + MAX_PROVIDER_NAME_LENGTH + " printing characters");
        }
        requireNotReserved(name);
        return jdbc.sql("""
                        insert into users (id, name, role, issuer, subject)
                        values (gen_random_uuid(), ?, ?, ?, ?) on conflict do nothing returning *
                        """)
                .params(name, vouched.role().word(), vouched.issuer(), vouched.subject())
                .query(Users::state)
                .optional()
                .orElseThrow(() -> taken(name));
    }

    /** Creates a user with a one-time password. */
    public NewPassword add(String name, Scope role, Actor actor) {
        return transaction.execute(status -> {
            if (!NAME.matcher(name).matches()) {
                throw new RefusedException(
                        "name", "invalid name " + HostileText.quote(name) + "; expected " + NAME_RULE);
            }
            requireNotReserved(name);
            return insert(name, role, false, actor).orElseThrow(() -> taken(name));
        });
    }

    /**
     * Inserts a user with a one-time password.
     *
     * @param first whether this is the first administrator
     * @return empty if the name is taken, or there is a first administrator already
     */
    Optional<NewPassword> insert(String name, Scope role, boolean first, Actor actor) {
        String password = passwords.oneTime();
        return jdbc.sql("""
                        insert into users (id, name, role, password_hash, one_time, password_at, first)
                        values (gen_random_uuid(), ?, ?, ?, true, now(), ?) on conflict do nothing returning *
                        """)
                .params(name, role.word(), passwords.hash(password), first)
                .query(Users::state)
                .optional()
                .map(added -> new NewPassword(password, audited(actor, "user.create", null, added)));
    }

    public UserState setRole(UUID id, Scope role, Actor actor) {
        return transaction.execute(status -> {
            List<UserState> administrators = lockAdministrators();
            UserState before = lock(id);
            if (before.user().role() == role) {
                return before;
            }
            requireAnotherAdministrator(before, administrators, actor);
            return audited(actor, "user.role", before, setRole(before, role));
        });
    }

    private UserState setRole(UserState user, Scope role) {
        return update(user.user().id(), "role = ?", role.word());
    }

    public UserState setEnabled(UUID id, boolean enabled, Actor actor) {
        return transaction.execute(status -> {
            List<UserState> administrators = lockAdministrators();
            UserState before = lock(id);
            if (before.enabled() == enabled) {
                return before;
            }
            if (!enabled) {
                requireAnotherAdministrator(before, administrators, actor);
            }
            UserState after = endSessions(before, "enabled = ?, ", enabled);
            return audited(actor, enabled ? "user.enable" : "user.disable", before, after);
        });
    }

    /** Replaces the password by a one-time password, and ends the sessions of the user. */
    public NewPassword resetPassword(UUID id, Actor actor) {
        return transaction.execute(status -> reset(lock(id), actor));
    }

    public UserState signOut(UUID id, Actor actor) {
        return transaction.execute(status -> {
            UserState before = lock(id);
            return audited(actor, "user.sign_out", before, endSessions(before, ""));
        });
    }

    /**
     * Changes a user's own password, and ends the user's sessions.
     *
     * @param current ignored if it is a one-time password, which the user has just entered
     * @return the user, who needs a new session
     */
    public User changePassword(UUID id, String current, String wanted, Actor actor) {
        return transaction.execute(status -> {
            UserState before = lock(id);
            requirePassword(before);
            String hash = passwordHash(before);
            if (!before.user().mustChangePassword() && !passwords.matches(current, hash)) {
                throw new RefusedException("current", "this is not the current password");
            }
            Optional<String> fault = Passwords.fault(wanted, before.user().name());
            if (fault.isPresent()) {
                throw new RefusedException("wanted", "invalid password; expected " + fault.get());
            }
            if (passwords.matches(wanted, hash)) {
                throw new RefusedException("wanted", "this is the current password; expected another");
            }
            UserState after = setPassword(before, wanted, false);
            return audited(actor, "user.password", before, after).user();
        });
    }

    /** Sets a one-time password, ends the sessions of the user and clears failed attempts. */
    NewPassword reset(UserState before, Actor actor) {
        requirePassword(before);
        String password = passwords.oneTime();
        UserState after = setPassword(before, password, true);
        jdbc.sql("delete from sign_in_attempts where kind = 'account' and subject = ?")
                .param(SignInAttempts.account(before.user().name()))
                .update();
        return new NewPassword(password, audited(actor, "user.reset", before, after));
    }

    private UserState setPassword(UserState user, String password, boolean isOneTime) {
        return endSessions(
                user, "password_hash = ?, one_time = ?, password_at = now(), ", passwords.hash(password), isOneTime);
    }

    private static void requirePassword(UserState user) {
        if (user.issuer() != null) {
            throw new RefusedException(
                    "",
                    HostileText.quote(user.user().name())
                            + " has no password here and signs in through OpenID Connect");
        }
    }

    private String passwordHash(UserState user) {
        return jdbc.sql("select password_hash from users where id = ?")
                .param(user.user().id())
                .query(String.class)
                .single();
    }

    private static void requireNotReserved(String name) {
        if (RESERVED.stream().anyMatch(name::equalsIgnoreCase)) {
            throw taken(name);
        }
    }

    private static RefusedException taken(String name) {
        return new RefusedException("name", "name " + HostileText.quote(name) + " is taken; expected another");
    }

    /** An administrator must remain who can undo the change. */
    private static void requireAnotherAdministrator(UserState user, List<UserState> administrators, Actor actor) {
        String name = user.user().name();
        if (user.user().role() != Scope.ADMIN || !user.enabled()) {
            return;
        }
        if (name.equals(actor.name())) {
            throw new RefusedException("", "you cannot remove your own admin role; ask another administrator");
        }
        if (administrators.stream().allMatch(other -> other.user().name().equals(name))) {
            throw new RefusedException("", HostileText.quote(name) + " is the last administrator who can sign in");
        }
    }

    /** Returns the user, and locks the row until the transaction ends. */
    private UserState lock(UUID id) {
        return select("id = ? for update", id)
                .optional()
                .orElseThrow(() -> new RefusedException("", "unknown user " + id));
    }

    /** Locks all enabled administrators until the transaction ends. */
    private List<UserState> lockAdministrators() {
        return select("enabled and role = 'admin' order by id for update").list();
    }

    JdbcClient.MappedQuerySpec<UserState> select(String condition, Object... values) {
        return jdbc.sql("select * from users where " + condition).params(values).query(Users::state);
    }

    /**
     * Changes a user, and ends the user's sessions: those of an earlier epoch are not valid.
     *
     * @param assignments of columns, each followed by a comma
     */
    private UserState endSessions(UserState user, String assignments, Object... values) {
        jdbc.sql("delete from spring_session where principal_name = ?")
                .param(user.user().id().toString())
                .update();
        return update(user.user().id(), assignments + "epoch = epoch + 1", values);
    }

    UserState update(UUID id, String assignments, Object... values) {
        return jdbc.sql("update users set " + assignments + " where id = ? returning *")
                .params(Stream.concat(Stream.of(values), Stream.of(id)).toArray())
                .query(Users::state)
                .single();
    }

    private static UserState state(ResultSet row, int number) throws SQLException {
        User user = new User(
                row.getObject("id", UUID.class),
                row.getString("name"),
                Word.of(Scope.class, row.getString("role")),
                row.getBoolean("one_time"),
                row.getInt("epoch"));
        return new UserState(
                user,
                row.getBoolean("enabled"),
                row.getString("issuer"),
                Rows.instant(row, "created_at"),
                Rows.instantOrNull(row, "last_sign_in_at"));
    }

    private UserState audited(Actor actor, String action, @Nullable UserState before, UserState after) {
        audit.record(
                actor,
                action,
                after.user().name(),
                before == null ? null : AuditedUser.of(before),
                AuditedUser.of(after));
        return after;
    }

    /** A user in the audit log. */
    private record AuditedUser(
            UUID id,
            String name,
            String role,
            boolean enabled,
            @Nullable String issuer,
            boolean oneTimePassword) {

        static AuditedUser of(UserState state) {
            User user = state.user();
            return new AuditedUser(
                    user.id(),
                    user.name(),
                    user.role().word(),
                    state.enabled(),
                    state.issuer(),
                    user.mustChangePassword());
        }
    }
}
