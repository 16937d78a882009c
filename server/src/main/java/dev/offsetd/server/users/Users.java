package dev.offsetd.server.users;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.User;
import dev.offsetd.server.access.UserDirectory;
import dev.offsetd.server.audit.AuditLog;
import dev.offsetd.server.users.RefusedException.Field;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Who may sign in. Every change is noted in the audit, and holds from the next request of the user on, on every server. */
@Component
public class Users implements UserDirectory {

    /** Name of the user that is there from the start. */
    public static final String FIRST = "admin";

    /** What is said of names that are not taken. */
    public static final String NAME_RULE = "1 to 64 letters (a to z), digits, and . _ @ + -";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}");

    /** Who else is named in the audit. */
    private static final Set<String> TAKEN = Set.of(Caller.ANONYMOUS, Caller.OPERATOR);

    private static final int MAX_PROVIDER_NAME_LENGTH = 100;

    private final UserRows rows;
    private final Passwords passwords;
    private final AuditLog audit;
    private final Clock clock = Clock.systemUTC();

    Users(UserRows rows, Passwords passwords, AuditLog audit) {
        this.rows = rows;
        this.passwords = passwords;
        this.audit = audit;
    }

    @Override
    @Transactional(readOnly = true)
    public Optional<User> enabled(UUID id) {
        return rows.findById(id).filter(UserRow::isEnabled).map(UserRow::user);
    }

    /** All users, the oldest first. */
    @Transactional(readOnly = true)
    public List<UserState> all() {
        return rows.all().stream().map(UserRow::state).toList();
    }

    /** The user with this id. */
    @Transactional(readOnly = true)
    public Optional<UserState> find(UUID id) {
        return rows.findById(id).map(UserRow::state);
    }

    /** What the user with this name signs in with; empty if there is none who may, or none with a password. */
    @Transactional(readOnly = true)
    Optional<Credentials> credentials(String name) {
        return rows.findByName(name)
                .filter(UserRow::isEnabled)
                .flatMap(row -> Optional.ofNullable(row.passwordHash()).map(hash -> new Credentials(row.user(), hash)));
    }

    /** Notes that a user has signed in. */
    @Transactional
    User signedIn(User user, Caller who, String requestId) {
        rows.noteSignIn(user.id(), now());
        Caller self = new Caller(user.name(), null, Set.of(user.role()), who.address());
        audit.record(self, "user.sign_in", user.name(), null, null, requestId);
        return user;
    }

    /**
     * The user whom a provider vouches for: added at the first time, and with the role that the provider says now.
     *
     * @throws RefusedException if the user is disabled, or the name belongs to somebody else
     */
    @Transactional(rollbackFor = RefusedException.class)
    User ofProvider(ProviderUser vouched, String requestId) throws RefusedException {
        Optional<UserRow> found = rows.findByIssuerAndSubject(vouched.issuer(), vouched.subject());
        if (found.isEmpty()) {
            return added(vouched, requestId);
        }
        UserRow row = forChange(found.get().getId());
        if (!row.isEnabled()) {
            throw new RefusedException(Field.NONE, HostileText.quote(row.name()) + " is disabled");
        }
        if (row.role() != vouched.role()) {
            Audited before = Audited.of(row);
            row.setRole(vouched.role());
            noted(provider(vouched), "user.role", before, row, requestId);
        }
        return row.user();
    }

    private User added(ProviderUser vouched, String requestId) throws RefusedException {
        String name = vouched.name();
        if (name.isBlank()
                || name.length() > MAX_PROVIDER_NAME_LENGTH
                || !HostileText.quote(name).equals('"' + name + '"')) {
            throw new RefusedException(
                    Field.NAME,
                    "the provider's name " + HostileText.quote(name) + " is not possible; expected 1 to "
                            + MAX_PROVIDER_NAME_LENGTH + " printing characters");
        }
        requireFree(name);
        try {
            UserRow row = rows.saveAndFlush(
                    UserRow.ofProvider(name, vouched.role(), vouched.issuer(), vouched.subject(), now()));
            noted(provider(vouched), "user.create", null, row, requestId);
            return row.user();
        } catch (DataIntegrityViolationException e) {
            throw taken(name);
        }
    }

    /** Whoever changes users when they sign in elsewhere. */
    private static Caller provider(ProviderUser vouched) {
        return new Caller(vouched.issuer(), null, Set.of(), "oidc");
    }

    /** What a user signs in with. */
    record Credentials(User user, String passwordHash) {}

    /** Adds a user with a one-time password. */
    @Transactional(rollbackFor = RefusedException.class)
    public NewPassword add(String name, Scope role, Caller who, String requestId) throws RefusedException {
        if (!NAME.matcher(name).matches()) {
            throw new RefusedException(
                    Field.NAME, "name " + HostileText.quote(name) + " is not possible; expected " + NAME_RULE);
        }
        requireFree(name);
        String password = passwords.oneTime();
        UserRow row;
        try {
            row = rows.saveAndFlush(UserRow.withPassword(name, role, passwords.hash(password), now()));
        } catch (DataIntegrityViolationException e) {
            throw taken(name);
        }
        return new NewPassword(password, noted(who, "user.create", null, row, requestId));
    }

    /** Gives a user another role. */
    @Transactional(rollbackFor = RefusedException.class)
    public UserState setRole(UUID id, Scope role, Caller who, @Nullable UUID self, String requestId)
            throws RefusedException {
        List<UserRow> administrators = rows.lockAdministrators();
        UserRow row = forChange(id);
        if (row.role() == role) {
            return row.state();
        }
        requireAnotherAdministrator(row, administrators, self);
        Audited before = Audited.of(row);
        row.setRole(role);
        return noted(who, "user.role", before, row, requestId);
    }

    /** Lets a user sign in, or no longer. */
    @Transactional(rollbackFor = RefusedException.class)
    public UserState setEnabled(UUID id, boolean enabled, Caller who, @Nullable UUID self, String requestId)
            throws RefusedException {
        List<UserRow> administrators = rows.lockAdministrators();
        UserRow row = forChange(id);
        if (row.isEnabled() == enabled) {
            return row.state();
        }
        if (!enabled) {
            requireAnotherAdministrator(row, administrators, self);
        }
        Audited before = Audited.of(row);
        row.setEnabled(enabled);
        endSessions(row);
        return noted(who, enabled ? "user.enable" : "user.disable", before, row, requestId);
    }

    /** Gives a user a one-time password in place of its own, and ends its sessions. */
    @Transactional(rollbackFor = RefusedException.class)
    public NewPassword resetPassword(UUID id, Caller who, String requestId) throws RefusedException {
        UserRow row = forChange(id);
        requirePassword(row);
        Audited before = Audited.of(row);
        return reset(row, before, who, requestId);
    }

    /** Ends all sessions of a user. */
    @Transactional(rollbackFor = RefusedException.class)
    public UserState signOut(UUID id, Caller who, String requestId) throws RefusedException {
        UserRow row = forChange(id);
        row.raiseEpoch();
        endSessions(row);
        return noted(who, "user.sign_out", Audited.of(row), row, requestId);
    }

    /**
     * Changes a user's own password, and ends its sessions.
     *
     * @param current the password so far; not looked at if that is a one-time password, which was typed just now
     * @return the user, for whom a session has to be begun anew
     */
    @Transactional(rollbackFor = RefusedException.class)
    public User changePassword(UUID id, String current, String wanted, Caller who, String requestId)
            throws RefusedException {
        UserRow row = forChange(id);
        requirePassword(row);
        if (!row.isOneTime() && !passwords.matches(current, row.passwordHash())) {
            throw new RefusedException(Field.CURRENT_PASSWORD, "this is not the current password");
        }
        Optional<String> fault = passwords.fault(wanted, row.name());
        if (fault.isPresent()) {
            throw new RefusedException(Field.NEW_PASSWORD, "the new password is not possible; expected " + fault.get());
        }
        if (passwords.matches(wanted, row.passwordHash())) {
            throw new RefusedException(Field.NEW_PASSWORD, "this is the current password; expected another");
        }
        Audited before = Audited.of(row);
        row.setPassword(passwords.hash(wanted), false, now());
        endSessions(row);
        noted(who, "user.password", before, row, requestId);
        return row.user();
    }

    /**
     * Lets an administrator in again who cannot get in.
     *
     * @param promote whether to make the user an administrator who is none
     */
    @Transactional(rollbackFor = RefusedException.class)
    NewPassword restore(UUID id, boolean promote, Caller who, String cause) throws RefusedException {
        UserRow row = forChange(id);
        requirePassword(row);
        Audited before = Audited.of(row);
        if (promote) {
            row.setRole(Scope.ADMIN);
        } else if (row.role() != Scope.ADMIN) {
            throw new RefusedException(
                    Field.NAME,
                    HostileText.quote(row.name()) + " is no admin; an admin can reset the password on the users page");
        }
        row.setEnabled(true);
        return reset(row, before, who, cause);
    }

    private NewPassword reset(UserRow row, Audited before, Caller who, String requestId) {
        String password = passwords.oneTime();
        row.setPassword(passwords.hash(password), true, now());
        endSessions(row);
        rows.clearAttempts(SignInAttempts.account(row.name()));
        return new NewPassword(password, noted(who, "user.reset", before, row, requestId));
    }

    private static void requirePassword(UserRow row) throws RefusedException {
        if (row.isOfProvider()) {
            throw new RefusedException(
                    Field.NONE, HostileText.quote(row.name()) + " has no password here, but signs in elsewhere");
        }
    }

    private UserRow forChange(UUID id) throws RefusedException {
        return rows.lockById(id).orElseThrow(() -> new RefusedException(Field.NONE, "there is no user " + id));
    }

    private void requireFree(String name) throws RefusedException {
        if (TAKEN.stream().anyMatch(name::equalsIgnoreCase)
                || rows.findByName(name).isPresent()) {
            throw taken(name);
        }
    }

    private static RefusedException taken(String name) {
        return new RefusedException(Field.NAME, "name " + HostileText.quote(name) + " is taken; expected another");
    }

    /** Somebody must be left who can undo what is done here. */
    private static void requireAnotherAdministrator(UserRow row, List<UserRow> administrators, @Nullable UUID self)
            throws RefusedException {
        if (row.role() != Scope.ADMIN || !row.isEnabled()) {
            return;
        }
        if (row.getId().equals(self)) {
            throw new RefusedException(Field.NONE, "nobody takes the role admin from oneself; another admin can");
        }
        if (administrators.stream().allMatch(other -> other.getId().equals(row.getId()))) {
            throw new RefusedException(
                    Field.NONE, HostileText.quote(row.name()) + " is the last admin who can sign in");
        }
    }

    private void endSessions(UserRow row) {
        rows.deleteSessions(row.getId().toString());
    }

    UserState noted(Caller who, String action, @Nullable Audited before, UserRow row, String requestId) {
        audit.record(who, action, row.name(), before, Audited.of(row), requestId);
        return row.state();
    }

    /** PostgreSQL keeps microseconds; what is told now must be what is read later. */
    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    /** What the audit keeps of a user. */
    record Audited(
            UUID id,
            String name,
            String role,
            boolean enabled,
            @Nullable String issuer,
            boolean oneTimePassword) {

        static Audited of(UserRow row) {
            UserState state = row.state();
            return new Audited(
                    row.getId(), row.name(), row.role().word(), row.isEnabled(), state.issuer(), row.isOneTime());
        }
    }
}
