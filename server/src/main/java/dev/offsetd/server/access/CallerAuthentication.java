package dev.offsetd.server.access;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;

/**
 * Authentication of a caller, whose scopes stand for authorities. Its details are the {@link Token} or {@link User} that
 * authenticated it, if any.
 */
final class CallerAuthentication extends AbstractAuthenticationToken {

    private final transient Caller caller;

    CallerAuthentication(Caller caller, @Nullable Record source) {
        super(AuthorityUtils.NO_AUTHORITIES);
        this.caller = caller;
        setDetails(source);
        setAuthenticated(true);
    }

    /** Returns the authentication of the same caller without permission to write. */
    CallerAuthentication forReading() {
        Set<Scope> scopes = caller.scopes().contains(Scope.READ) ? Set.of(Scope.READ) : Set.of();
        return new CallerAuthentication(
                new Caller(caller.name(), caller.token(), scopes, caller.address()), (Record) getDetails());
    }

    @Override
    public Caller getPrincipal() {
        return caller;
    }

    /** Returns nothing: the token is not stored after the lookup. */
    @Override
    public String getCredentials() {
        return "";
    }
}
