package dev.offsetd.server.access.users;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.User;
import dev.offsetd.server.access.UserDirectory;
import dev.offsetd.server.access.audit.AuditLog;
import dev.offsetd.server.access.users.RefusedException.InputField;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataIntegrityViolationException;
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

    private static final int MAX_PROVIDER_NAME_LENGTH = 100;

    private final UserRows rows;
    private final Passwords passwords;
    private final AuditLog audit;
    private final TransactionTemplate transaction;
    private final Clock clock = Clock.systemUTC();

    Users(UserRows rows, Passwords passwords, AuditLog audit, PlatformTransactionManager transactions) {
        this.rows = rows;
        this.passwords = passwords;
        this.audit = audit;
        this.transaction = new TransactionTemplate(transactions);
    }

    @Override
    public Optional<User> enabled(UUID id) {
        return rows.findById(id).filter(UserRow::isEnabled).map(UserRow::user);
    }

    /** Returns all users, oldest first. */
    public List<UserState> all() {
        return rows.all().stream().map(UserRow::state).toList();
    }

    public Optional<UserState> find(UUID id) {
        return rows.findById(id).map(UserRow::state);
    }

    /** Returns the enabled user with this name and a password. */
    PasswordAccount account(String name) {
        return rows.findByName(name)
                .filter(UserRow::isEnabled)
                .flatMap(row ->
                        Optional.ofNullable(row.passwordHash()).map(hash -> new PasswordAccount(row.user(), hash)))
                .orElseThrow(() -> new UsernameNotFoundException("no enabled user with this name and a password"));
    }

    /** Records that a user has signed in. */
    void signedIn(User user, Caller who, String requestId) {
        transaction.executeWithoutResult(status -> {
            rows.noteSignIn(user.id(), now());
            Caller self = new Caller(user.name(), null, Set.of(user.role()), who.address());
            audit.record(self, "user.sign_in", user.name(), null, null, requestId);
        });
    }

    /**
     * Returns the user of a provider, created at the first sign-in and with the role that the provider gives now.
     *
     * @throws RefusedException if the user is disabled, or another user has the name
     */
    User ofProvider(ProviderUser vouched, String requestId) {
        return transaction.execute(status -> {
            Optional<UserRow> found = rows.findByIssuerAndSubject(vouched.issuer(), vouched.subject());
            if (found.isEmpty()) {
                return added(vouched, requestId);
            }
            UserRow row = forChange(found.get().id());
            if (!row.isEnabled()) {
                throw new RefusedException(InputField.NONE, HostileText.quote(row.name()) + " is disabled");
            }
            if (row.role() != vouched.role()) {
                AuditedUser before = AuditedUser.of(row);
                row.setRole(vouched.role());
                audited(provider(vouched), "user.role", before, row, requestId);
            }
            return row.user();
        });
    }

    private User added(ProviderUser vouched, String requestId) {
        String name = vouched.name();
        if (name.isBlank()
                || name.length() > MAX_PROVIDER_NAME_LENGTH
                || !HostileText.quote(name).equals('"' + name + '"')) {
            throw new RefusedException(
                    InputField.NAME,
                    "invalid name " + HostileText.quote(name) + " from the provider; expected 1 to "
                            + MAX_PROVIDER_NAME_LENGTH + " printing characters");
        }
        requireFree(name);
        try {
            UserRow row = rows.saveAndFlush(
                    UserRow.ofProvider(name, vouched.role(), vouched.issuer(), vouched.subject(), now()));
            audited(provider(vouched), "user.create", null, row, requestId);
            return row.user();
        } catch (DataIntegrityViolationException e) {
            throw taken(name);
        }
    }

    /** Returns the provider as the author of a change. */
    private static Caller provider(ProviderUser vouched) {
        return new Caller(vouched.issuer(), null, Set.of(), "oidc");
    }

    /** Creates a user with a one-time password. */
    public NewPassword add(String name, Scope role, Caller who, String requestId) {
        return transaction.execute(status -> {
            if (!NAME.matcher(name).matches()) {
                throw new RefusedException(
                        InputField.NAME, "invalid name " + HostileText.quote(name) + "; expected " + NAME_RULE);
            }
            requireFree(name);
            String password = passwords.oneTime();
            UserRow row;
            try {
                row = rows.saveAndFlush(UserRow.withPassword(name, role, passwords.hash(password), now()));
            } catch (DataIntegrityViolationException e) {
                throw taken(name);
            }
            return new NewPassword(password, audited(who, "user.create", null, row, requestId));
        });
    }

    public UserState setRole(UUID id, Scope role, Caller who, @Nullable UUID self, String requestId) {
        return transaction.execute(status -> {
            List<UserRow> administrators = rows.lockAdministrators();
            UserRow row = forChange(id);
            if (row.role() == role) {
                return row.state();
            }
            requireAnotherAdministrator(row, administrators, self);
            AuditedUser before = AuditedUser.of(row);
            row.setRole(role);
            return audited(who, "user.role", before, row, requestId);
        });
    }

    public UserState setEnabled(UUID id, boolean enabled, Caller who, @Nullable UUID self, String requestId) {
        return transaction.execute(status -> {
            List<UserRow> administrators = rows.lockAdministrators();
            UserRow row = forChange(id);
            if (row.isEnabled() == enabled) {
                return row.state();
            }
            if (!enabled) {
                requireAnotherAdministrator(row, administrators, self);
            }
            AuditedUser before = AuditedUser.of(row);
            row.setEnabled(enabled);
            endSessions(row);
            return audited(who, enabled ? "user.enable" : "user.disable", before, row, requestId);
        });
    }

    /** Replaces the password by a one-time password, and ends the sessions of the user. */
    public NewPassword resetPassword(UUID id, Caller who, String requestId) {
        return transaction.execute(status -> {
            UserRow row = forChange(id);
            requirePassword(row);
            AuditedUser before = AuditedUser.of(row);
            return reset(row, before, who, requestId);
        });
    }

    public UserState signOut(UUID id, Caller who, String requestId) {
        return transaction.execute(status -> {
            UserRow row = forChange(id);
            row.raiseEpoch();
            endSessions(row);
            return audited(who, "user.sign_out", AuditedUser.of(row), row, requestId);
        });
    }

    /**
     * Changes a user's own password, and ends the user's sessions.
     *
     * @param current ignored if it is a one-time password, which the user has just entered
     * @return the user, who needs a new session
     */
    public User changePassword(UUID id, String current, String wanted, Caller who, String requestId) {
        return transaction.execute(status -> {
            UserRow row = forChange(id);
            requirePassword(row);
            if (!row.isOneTime() && !passwords.matches(current, row.passwordHash())) {
                throw new RefusedException(InputField.CURRENT_PASSWORD, "this is not the current password");
            }
            Optional<String> fault = Passwords.fault(wanted, row.name());
            if (fault.isPresent()) {
                throw new RefusedException(InputField.NEW_PASSWORD, "invalid password; expected " + fault.get());
            }
            if (passwords.matches(wanted, row.passwordHash())) {
                throw new RefusedException(InputField.NEW_PASSWORD, "this is the current password; expected another");
            }
            AuditedUser before = AuditedUser.of(row);
            row.setPassword(passwords.hash(wanted), false, now());
            endSessions(row);
            audited(who, "user.password", before, row, requestId);
            return row.user();
        });
    }

    /**
     * Restores an administrator who is locked out.
     *
     * @param promote whether to give the user the role if it is missing
     */
    NewPassword restore(UUID id, boolean promote, Caller who, String cause) {
        return transaction.execute(status -> {
            UserRow row = forChange(id);
            requirePassword(row);
            AuditedUser before = AuditedUser.of(row);
            if (promote) {
                row.setRole(Scope.ADMIN);
            } else if (row.role() != Scope.ADMIN) {
                throw new RefusedException(
                        InputField.NAME,
                        HostileText.quote(row.name())
                                + " is not an administrator; an administrator can reset the password on the users page");
            }
            row.setEnabled(true);
            return reset(row, before, who, cause);
        });
    }

    private NewPassword reset(UserRow row, AuditedUser before, Caller who, String requestId) {
        String password = passwords.oneTime();
        row.setPassword(passwords.hash(password), true, now());
        endSessions(row);
        rows.clearAttempts(SignInAttempts.account(row.name()));
        return new NewPassword(password, audited(who, "user.reset", before, row, requestId));
    }

    private static void requirePassword(UserRow row) {
        if (row.isOfProvider()) {
            throw new RefusedException(
                    InputField.NONE,
                    HostileText.quote(row.name()) + " has no password here and signs in through OpenID Connect");
        }
    }

    private UserRow forChange(UUID id) {
        return rows.lockById(id).orElseThrow(() -> new RefusedException(InputField.NONE, "unknown user " + id));
    }

    private void requireFree(String name) {
        if (RESERVED.stream().anyMatch(name::equalsIgnoreCase)
                || rows.findByName(name).isPresent()) {
            throw taken(name);
        }
    }

    private static RefusedException taken(String name) {
        return new RefusedException(InputField.NAME, "name " + HostileText.quote(name) + " is taken; expected another");
    }

    /** An administrator must remain who can undo the change. */
    private static void requireAnotherAdministrator(UserRow row, List<UserRow> administrators, @Nullable UUID self) {
        if (row.role() != Scope.ADMIN || !row.isEnabled()) {
            return;
        }
        if (row.id().equals(self)) {
            throw new RefusedException(
                    InputField.NONE, "you cannot remove your own admin role; ask another administrator");
        }
        if (administrators.stream().allMatch(other -> other.id().equals(row.id()))) {
            throw new RefusedException(
                    InputField.NONE, HostileText.quote(row.name()) + " is the last administrator who can sign in");
        }
    }

    private void endSessions(UserRow row) {
        rows.deleteSessions(row.id().toString());
    }

    UserState audited(Caller who, String action, @Nullable AuditedUser before, UserRow row, String requestId) {
        audit.record(who, action, row.name(), before, AuditedUser.of(row), requestId);
        return row.state();
    }

    /** PostgreSQL stores microseconds: truncated, so that this value equals the one read later. */
    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    /** A user in the audit log. */
    record AuditedUser(
            UUID id,
            String name,
            String role,
            boolean enabled,
            @Nullable String issuer,
            boolean oneTimePassword) {

        static AuditedUser of(UserRow row) {
            UserState state = row.state();
            return new AuditedUser(
                    row.id(), row.name(), row.role().word(), row.isEnabled(), state.issuer(), row.isOneTime());
        }
    }
}
