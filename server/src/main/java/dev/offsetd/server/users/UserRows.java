package dev.offsetd.server.users;

import jakarta.persistence.LockModeType;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/** The table of users. */
interface UserRows extends Repository<UserRow, UUID> {

    UserRow saveAndFlush(UserRow row);

    Optional<UserRow> findById(UUID id);

    /** The same, for a change: nobody else changes it before this transaction ends. */
    @Lock(LockModeType.PESSIMISTIC_WRITE)
    @Query("select u from UserRow u where u.id = :id")
    Optional<UserRow> lockById(UUID id);

    @Query("select u from UserRow u where lower(u.name) = lower(:name)")
    Optional<UserRow> findByName(String name);

    Optional<UserRow> findByIssuerAndSubject(String issuer, String subject);

    @Query("select u from UserRow u order by u.createdAt, u.name")
    List<UserRow> all();

    /** The user that is there from the start. */
    @Query(nativeQuery = true, value = "select * from users where first")
    Optional<UserRow> findFirst();

    /** The administrators who may sign in, whom nobody else can change before this transaction ends. */
    @Lock(LockModeType.PESSIMISTIC_WRITE)
    @Query("select u from UserRow u where u.enabled and u.role = 'admin' order by u.id")
    List<UserRow> lockAdministrators();

    /**
     * Adds the user that is there from the start, unless somebody else has.
     *
     * @return 1 for whoever did it, 0 for all others
     */
    @Modifying
    @Query(nativeQuery = true, value = """
                    insert into users (id, name, role, password_hash, one_time, password_at, first)
                    values (:id, :name, 'admin', :hash, true, now(), true)
                    on conflict do nothing
                    """)
    int insertFirst(UUID id, String name, String hash);

    /**
     * Replaces the one-time password of that user, if it has not been used and was made before the caller started: a newer
     * one was printed by a server that starts at the same time.
     *
     * @param sinceStart milliseconds
     * @return 1 if it was replaced
     */
    @Modifying(clearAutomatically = true)
    @Query(nativeQuery = true, value = """
                    update users set password_hash = :hash, password_at = now(), epoch = epoch + 1
                    where first and one_time and enabled and password_at < now() - :sinceStart * interval '1 millisecond'
                    """)
    int renewFirst(String hash, long sinceStart);

    @Modifying
    @Query("update UserRow u set u.lastSignInAt = :at where u.id = :id")
    void noteSignIn(UUID id, Instant at);

    /** Deletes what the sessions of a user have left; that they are over, the epoch says. */
    @Modifying
    @Query(nativeQuery = true, value = "delete from spring_session where principal_name = :user")
    void deleteSessions(String user);

    /** Forgets the failed attempts to sign in of an account. */
    @Modifying
    @Query(nativeQuery = true, value = "delete from sign_in_attempts where kind = 'account' and subject = :account")
    void clearAttempts(String account);
}
