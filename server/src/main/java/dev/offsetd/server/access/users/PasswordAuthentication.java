package dev.offsetd.server.access.users;

import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.ClientAddress;
import dev.offsetd.server.access.User;
import dev.offsetd.server.access.UserSessions.SignedIn;
import dev.offsetd.server.access.users.SignIns.Result;
import dev.offsetd.server.access.users.SignIns.Way;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.InternalAuthenticationServiceException;
import org.springframework.security.authentication.dao.DaoAuthenticationProvider;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.stereotype.Component;

/**
 * Authenticates users by name and password. Spring Security's provider answers an unknown name and a wrong password alike, by
 * words and by time; disabled users and users of a provider are unknown to it. This class limits the attempts.
 */
@Component
public class PasswordAuthentication extends DaoAuthenticationProvider {

    /** A flood of attempts writes rows no faster than these can be checked. */
    private static final int CONCURRENT_ATTEMPTS = 4;

    private final SignIns signIns;
    private final SignInAttempts attempts;
    private final SignInProperties properties;

    /** The current request. */
    private final HttpServletRequest request;

    private final ConcurrencyLimit permits = new ConcurrencyLimit(CONCURRENT_ATTEMPTS);

    PasswordAuthentication(
            Users users,
            Passwords passwords,
            SignIns signIns,
            SignInAttempts attempts,
            SignInProperties properties,
            OidcProperties provider,
            HttpServletRequest request) {
        super(users::account);
        if (!properties.local() && !provider.isOn()) {
            throw new IllegalArgumentException("offsetd.sign-in.local is false and offsetd.oidc.issuer is missing;"
                    + " expected at least one means of sign-in");
        }
        setPasswordEncoder(passwords);
        this.signIns = signIns;
        this.attempts = attempts;
        this.properties = properties;
        this.request = request;
    }

    /** A user who signs in with a password. */
    record PasswordAccount(User user, String passwordHash) implements UserDetails, SignedIn {

        @Override
        public Collection<? extends GrantedAuthority> getAuthorities() {
            return List.of();
        }

        @Override
        public String getPassword() {
            return passwordHash;
        }

        @Override
        public String getUsername() {
            return user.name();
        }
    }

    /** Refusal of an attempt that comes too soon after failed ones. */
    public static final class TooManyAttemptsException extends AuthenticationException {

        private final Duration retryAfter;

        private TooManyAttemptsException(Duration retryAfter) {
            super("too many failed attempts");
            this.retryAfter = retryAfter;
        }

        public Duration retryAfter() {
            return retryAfter;
        }
    }

    /** Returns whether users can sign in with a password. */
    public boolean isEnabled() {
        return properties.local();
    }

    @Override
    public Authentication authenticate(Authentication submitted) {
        if (!isEnabled()) {
            throw new BadCredentialsException("sign-in by password is disabled");
        }
        try {
            return permits.run(() -> check(submitted));
        } catch (ProblemException e) {
            // The filters know only authentication exceptions.
            throw new InternalAuthenticationServiceException("busy", e);
        }
    }

    private Authentication check(Authentication submitted) {
        Actor actor = Actor.of(request);
        String address = ClientAddress.network(actor.caller().address());
        Optional<Duration> wait = attempts.begin(address, submitted.getName());
        if (wait.isPresent()) {
            signIns.count(Way.PASSWORD, Result.THROTTLED);
            throw new TooManyAttemptsException(wait.get());
        }
        Authentication authenticated;
        try {
            authenticated = super.authenticate(submitted);
        } catch (BadCredentialsException e) {
            signIns.count(Way.PASSWORD, Result.REFUSED);
            throw e;
        }
        attempts.succeeded(address, submitted.getName());
        PasswordAccount account = (PasswordAccount) Objects.requireNonNull(authenticated.getPrincipal());
        signIns.succeeded(Way.PASSWORD, account.user(), actor);
        return authenticated;
    }
}
