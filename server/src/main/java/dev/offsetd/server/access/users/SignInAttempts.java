package dev.offsetd.server.access.users;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.codec.digest.DigestUtils;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Failed sign-in attempts per account and address, counted in the database for all servers. An attempt counts as failed when it
 * begins, so that parallel attempts count too.
 */
@Component
class SignInAttempts {

    private static final String ACCOUNT = "account";
    private static final String ADDRESS = "address";

    /** Attempts after which old rows are deleted. */
    private static final int SWEEP_EVERY = 100;

    private final AtomicLong begun = new AtomicLong();
    private final JdbcClient jdbc;
    private final SignInProperties properties;

    SignInAttempts(JdbcClient jdbc, SignInProperties properties) {
        this.jdbc = jdbc;
        this.properties = properties;
    }

    /**
     * Counts an attempt.
     *
     * @param address address or network of the client
     * @param name of an account, which need not exist
     * @return empty if the attempt may proceed; else the time until the next one may
     */
    Optional<Duration> begin(String address, String name) {
        if (begun.incrementAndGet() % SWEEP_EVERY == 0) {
            sweep();
        }
        return count(ADDRESS, address, properties.addressFailures(), properties.addressMaxDelay())
                .or(() -> count(ACCOUNT, account(name), properties.accountFailures(), properties.accountMaxDelay()));
    }

    /** Resets the account, and takes this attempt back from the address. */
    void succeeded(String address, String name) {
        jdbc.sql("delete from sign_in_attempts where kind = :kind and subject = :subject")
                .param("kind", ACCOUNT)
                .param("subject", account(name))
                .update();
        jdbc.sql("""
                        update sign_in_attempts set failures = failures - 1, blocked_until = now()
                        where kind = :kind and subject = :subject and failures > 0
                        """).param("kind", ADDRESS).param("subject", address).update();
    }

    /** Deletes rows that no longer count. */
    void sweep() {
        jdbc.sql("delete from sign_in_attempts where last_at < now() - :forget * interval '1 millisecond'")
                .param("forget", properties.forget().toMillis())
                .update();
    }

    private Optional<Duration> count(String kind, String subject, int free, Duration maxDelay) {
        boolean counted = jdbc.sql("""
                        insert into sign_in_attempts as known (kind, subject, failures, last_at, blocked_until)
                        values (:kind, :subject, 1, now(), now())
                        on conflict (kind, subject) do update
                            set failures = case when known.last_at < now() - :forget * interval '1 millisecond'
                                    then 1 else known.failures + 1 end,
                                last_at = now(),
                                -- The new count is known.failures + 1; the first delay follows free + 1 failures.
                                blocked_until = case
                                    when known.failures < :free
                                        or known.last_at < now() - :forget * interval '1 millisecond' then now()
                                    else now() + least(:max, :first * power(2, least(known.failures - :free, 30)))
                                        * interval '1 millisecond' end
                            where known.blocked_until <= now()
                        """)
                        .param("kind", kind)
                        .param("subject", subject)
                        .param("free", free)
                        .param("forget", properties.forget().toMillis())
                        .param("first", properties.firstDelay().toMillis())
                        .param("max", maxDelay.toMillis())
                        .update()
                > 0;
        return counted ? Optional.empty() : Optional.of(wait(kind, subject));
    }

    private Duration wait(String kind, String subject) {
        long millis = jdbc.sql("""
                        select ceil(extract(epoch from blocked_until - now()) * 1000)::bigint from sign_in_attempts
                        where kind = :kind and subject = :subject
                        """)
                .param("kind", kind)
                .param("subject", subject)
                .query(Long.class)
                .optional()
                .orElse(1L);
        return Duration.ofMillis(Math.max(1, millis));
    }

    /** Returns the key of an account. Names are hashed, because users type passwords into the wrong field. */
    static String account(String name) {
        return DigestUtils.sha256Hex(name.strip().toLowerCase(Locale.ROOT));
    }
}
