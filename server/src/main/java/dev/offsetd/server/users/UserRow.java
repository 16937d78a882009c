package dev.offsetd.server.users;

import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.User;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Transient;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.Persistable;

/** A user as it is stored. */
@Entity
@Table(name = "users")
class UserRow implements Persistable<UUID> {

    @Id
    @Column(name = "id")
    private UUID id;

    @Column(name = "name")
    private String name;

    @Column(name = "role")
    private String role;

    @Column(name = "enabled")
    private boolean enabled;

    @Column(name = "password_hash")
    private @Nullable String passwordHash;

    @Column(name = "one_time")
    private boolean oneTime;

    @Column(name = "password_at")
    private @Nullable Instant passwordAt;

    @Column(name = "issuer")
    private @Nullable String issuer;

    @Column(name = "subject")
    @SuppressWarnings("unused") // read by queries
    private @Nullable String subject;

    @Column(name = "epoch")
    private int epoch;

    @Column(name = "created_at")
    private Instant createdAt;

    @Column(name = "last_sign_in_at")
    @SuppressWarnings("unused") // written by a query
    private @Nullable Instant lastSignInAt;

    @Transient
    private final boolean isNew;

    /** For Hibernate, which fills the fields after it. */
    @SuppressWarnings("NullAway.Init")
    UserRow() {
        isNew = false;
    }

    private UserRow(String name, Scope role, Instant createdAt) {
        this.id = UUID.randomUUID();
        this.name = name;
        this.role = role.word();
        this.enabled = true;
        this.createdAt = createdAt;
        this.isNew = true;
    }

    /** A user with a one-time password. */
    static UserRow withPassword(String name, Scope role, String passwordHash, Instant now) {
        UserRow row = new UserRow(name, role, now);
        row.setPassword(passwordHash, true, now);
        return row;
    }

    /** A user of an OpenID Connect provider. */
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

    @Override
    public UUID getId() {
        return id;
    }

    /** Whether Spring Data has to insert it; without being told, it would look for one with this id first. */
    @Override
    public boolean isNew() {
        return isNew;
    }
}
