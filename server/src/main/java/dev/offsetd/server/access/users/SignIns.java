package dev.offsetd.server.access.users;

import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.User;
import dev.offsetd.server.access.users.OidcProperties.ProviderUser;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import org.springframework.stereotype.Component;

/** Completes sign-ins, whichever way the user was authenticated, and counts them. */
@Component
public class SignIns {

    private final Users users;
    private final MeterRegistry meters;

    SignIns(Users users, MeterRegistry meters) {
        this.users = users;
        this.meters = meters;
        // Registered at zero, so that the first failure shows in a rate.
        for (Result result : Result.values()) {
            counter(Way.PASSWORD, result);
            counter(Way.OIDC, result);
        }
    }

    enum Way {
        PASSWORD,
        OIDC
    }

    enum Result {
        SIGNED_IN,
        REFUSED,
        THROTTLED
    }

    /** Records that a user has signed in. */
    void succeeded(Way way, User user, Actor actor) {
        users.signedIn(user, actor);
        count(way, Result.SIGNED_IN);
    }

    /**
     * Signs in a user whom the provider vouches for.
     *
     * @param actor the caller before sign-in
     */
    public User admit(ProviderUser vouched, Actor actor) {
        User user = users.ofProvider(vouched, actor.cause());
        succeeded(Way.OIDC, user, actor);
        return user;
    }

    /** Counts a user who came back from the provider and was not signed in. */
    public void countProviderRefusal() {
        count(Way.OIDC, Result.REFUSED);
    }

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
