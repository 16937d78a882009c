package dev.offsetd.server.users;

import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.ClientAddress;
import dev.offsetd.server.access.User;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/**
 * Looks at names and passwords. Whoever has the wrong ones does not learn which of them was wrong, neither by words nor by
 * the time that it takes.
 */
@Component
public class SignIns {

    /** More than these at a time would only wait for each other; and no flood writes rows faster than they are looked at. */
    private static final int AT_A_TIME = 4;

    private static final Duration BUSY = Duration.ofSeconds(3);

    private final Users users;
    private final Passwords passwords;
    private final SignInAttempts attempts;
    private final SignInProperties properties;
    private final MeterRegistry meters;
    private final Semaphore places = new Semaphore(AT_A_TIME);

    SignIns(
            Users users,
            Passwords passwords,
            SignInAttempts attempts,
            SignInProperties properties,
            MeterRegistry meters) {
        this.users = users;
        this.passwords = passwords;
        this.attempts = attempts;
        this.properties = properties;
        this.meters = meters;
        // Counted from zero on, so that the first failure shows in a rate.
        for (Result result : Result.values()) {
            counter(Way.PASSWORD, result);
            counter(Way.OIDC, result);
        }
    }

    /** Whether anybody can sign in with a password. */
    public boolean isLocal() {
        return properties.local();
    }

    /** What an attempt came to. */
    public sealed interface Outcome {

        /** The user may be signed in. */
        record Passed(User user) implements Outcome {}

        /** Name or password is wrong, or the user is disabled. */
        record Refused() implements Outcome {}

        /** It was not looked at; there were too many before. */
        record TooMany(Duration retryAfter) implements Outcome {}
    }

    /** How somebody signs in. */
    private enum Way {
        PASSWORD,
        OIDC
    }

    /** What becomes of attempts, for counting them. */
    private enum Result {
        SIGNED_IN,
        REFUSED,
        THROTTLED
    }

    /**
     * Tries to sign somebody in.
     *
     * @param who the caller so far, who is nobody yet
     */
    public Outcome attempt(String name, String password, Caller who, String requestId) {
        if (!isLocal()) {
            return new Outcome.Refused();
        }
        try {
            if (!places.tryAcquire(BUSY.toMillis(), TimeUnit.MILLISECONDS)) {
                throw Passwords.busy();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Passwords.busy();
        }
        try {
            return look(name, password, who, requestId);
        } finally {
            places.release();
        }
    }

    private Outcome look(String name, String password, Caller who, String requestId) {
        String address = ClientAddress.network(who.address());
        Optional<Duration> tooMany = attempts.begin(address, name);
        if (tooMany.isPresent()) {
            count(Way.PASSWORD, Result.THROTTLED);
            return new Outcome.TooMany(tooMany.get());
        }
        Optional<Users.Credentials> found = users.credentials(name.strip());
        boolean same = passwords.matches(
                password, found.map(Users.Credentials::passwordHash).orElse(null));
        if (!same || found.isEmpty()) {
            count(Way.PASSWORD, Result.REFUSED);
            return new Outcome.Refused();
        }
        attempts.succeeded(address, name);
        count(Way.PASSWORD, Result.SIGNED_IN);
        return new Outcome.Passed(users.signedIn(found.get().user(), who, requestId));
    }

    /**
     * Signs in somebody whom the provider vouches for.
     *
     * @param who the caller so far, who is nobody yet
     */
    public User admit(ProviderUser vouched, Caller who, String requestId) throws RefusedException {
        try {
            User user = users.signedIn(users.ofProvider(vouched, requestId), who, requestId);
            count(Way.OIDC, Result.SIGNED_IN);
            return user;
        } catch (RefusedException e) {
            countProviderRefusal();
            throw e;
        }
    }

    /** Counts somebody who came from the provider and was not let in. */
    public void countProviderRefusal() {
        count(Way.OIDC, Result.REFUSED);
    }

    /** Counts an attempt; what of it came from the caller is in no label. */
    private void count(Way way, Result result) {
        counter(way, result).increment();
    }

    private Counter counter(Way way, Result result) {
        return Counter.builder("offsetd.sign.ins")
                .description("Attempts to sign in to the pages")
                .tag("way", way.name().toLowerCase(Locale.ROOT))
                .tag("result", result.name().toLowerCase(Locale.ROOT))
                .register(meters);
    }
}
