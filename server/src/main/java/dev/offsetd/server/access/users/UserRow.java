package dev.offsetd.server.access.users;

import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.User;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Row of a user. */
@Entity
@Table(name = "users")
class UserRow {

    @Id
    private UUID id;

    private String name;
    private String role;
    private boolean enabled;
    private @Nullable String passwordHash;
    private boolean oneTime;

    @SuppressWarnings("unused") // read by a query
    private @Nullable Instant passwordAt;

    private @Nullable String issuer;

    @SuppressWarnings("unused") // read by queries
    private @Nullable String subject;

    private int epoch;
    private Instant createdAt;

    @SuppressWarnings("unused") // written by a query
    private @Nullable Instant lastSignInAt;

    /** For Hibernate, which sets the fields afterwards. */
    @SuppressWarnings("NullAway.Init")
    UserRow() {}

    private UserRow(String name, Scope role, Instant createdAt) {
        this.id = UUID.randomUUID();
        this.name = name;
        this.role = role.word();
        this.enabled = true;
        this.createdAt = createdAt;
    }

    /** Creates a user with a one-time password. */
    static UserRow withPassword(String name, Scope role, String passwordHash, Instant now) {
        UserRow row = new UserRow(name, role, now);
        row.setPassword(passwordHash, true, now);
        return row;
    }

    /** Creates a user of an OpenID Connect provider. */
    static UserRow ofProvider(String name, Scope role, String issuer, String subject, Instant now) {
        UserRow row = new UserRow(name, role, now);
        row.issuer = issuer;
        row.subject = subject;
        return row;
    }

    void setPassword(String hash, boolean isOneTime, Instant now) {
        passwordHash = hash;
        oneTime = isOneTime;
        passwordAt = now;
        epoch++;
    }

    void setRole(Scope changed) {
        role = changed.word();
    }

    void setEnabled(boolean changed) {
        enabled = changed;
        epoch++;
    }

    /** Ends all sessions. */
    void raiseEpoch() {
        epoch++;
    }

    boolean isEnabled() {
        return enabled;
    }

    boolean isOneTime() {
        return oneTime;
    }

    boolean isOfProvider() {
        return issuer != null;
    }

    @Nullable
    String passwordHash() {
        return passwordHash;
    }

    String name() {
        return name;
    }

    Scope role() {
        return Scope.ofWord(role).orElseThrow();
    }

    User user() {
        return new User(id, name, role(), oneTime, epoch);
    }

    UserState state() {
        return new UserState(user(), enabled, issuer, createdAt, lastSignInAt);
    }

    UUID id() {
        return id;
    }
}
