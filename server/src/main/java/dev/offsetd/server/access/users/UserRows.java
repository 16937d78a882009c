package dev.offsetd.server.access.users;

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

    /** Locks the row until the transaction ends. */
    @Lock(LockModeType.PESSIMISTIC_WRITE)
    @Query("select u from UserRow u where u.id = :id")
    Optional<UserRow> lockById(UUID id);

    @Query("select u from UserRow u where lower(u.name) = lower(:name)")
    Optional<UserRow> findByName(String name);

    Optional<UserRow> findByIssuerAndSubject(String issuer, String subject);

    @Query("select u from UserRow u order by u.createdAt, u.name")
    List<UserRow> all();

    /** Returns the administrator that the first start created. */
    @Query(nativeQuery = true, value = "select * from users where first")
    Optional<UserRow> findFirst();

    /** Locks all enabled administrators until the transaction ends. */
    @Lock(LockModeType.PESSIMISTIC_WRITE)
    @Query("select u from UserRow u where u.enabled and u.role = 'admin' order by u.id")
    List<UserRow> lockAdministrators();

    /** Inserts the first administrator. Returns 0 if another server has done so. */
    @Modifying
    @Query(nativeQuery = true, value = """
                    insert into users (id, name, role, password_hash, one_time, password_at, first)
                    values (:id, :name, 'admin', :hash, true, now(), true)
                    on conflict do nothing
                    """)
    int insertFirst(UUID id, String name, String hash);

    /**
     * Replaces the unused one-time password of the first administrator. A password newer than the start of this server was
     * printed by another one, and stays.
     *
     * @param sinceStart milliseconds since the start of this server
     * @return 1 if the password was replaced
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

    /** Deletes the rows of sessions that the epoch has ended. */
    @Modifying
    @Query(nativeQuery = true, value = "delete from spring_session where principal_name = :user")
    void deleteSessions(String user);

    @Modifying
    @Query(nativeQuery = true, value = "delete from sign_in_attempts where kind = 'account' and subject = :account")
    void clearAttempts(String account);
}
