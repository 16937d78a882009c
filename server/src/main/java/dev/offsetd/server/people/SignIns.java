package dev.offsetd.server.people;

import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.ClientAddress;
import dev.offsetd.server.access.User;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.springframework.stereotype.Component;

/**
 * Looks at names and passwords. Whoever has the wrong ones does not learn which of them was wrong, neither by words nor by
 * the time that it takes.
 */
@Component
public class SignIns {

    private final Users users;
    private final Passwords passwords;
    private final SignInAttempts attempts;
    private final MeterRegistry meters;

    SignIns(Users users, Passwords passwords, SignInAttempts attempts, MeterRegistry meters) {
        this.users = users;
        this.passwords = passwords;
        this.attempts = attempts;
        this.meters = meters;
        // Counted from zero on, so that the first failure shows in a rate.
        for (Result result : Result.values()) {
            counter(Way.PASSWORD, result);
        }
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
    enum Way {
        PASSWORD,
        OIDC
    }

    /** What becomes of attempts, for counting them. */
    enum Result {
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

    /** Counts an attempt; what of it came from the caller is in no label. */
    void count(Way way, Result result) {
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
