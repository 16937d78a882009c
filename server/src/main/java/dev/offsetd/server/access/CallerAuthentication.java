package dev.offsetd.server.access;

import java.util.List;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.authority.SimpleGrantedAuthority;

/** A caller as Spring Security knows it. A caller without a token is one too: it may do what anybody may. */
final class CallerAuthentication extends AbstractAuthenticationToken {

    private final transient Caller caller;

    CallerAuthentication(Caller caller) {
        super(authorities(caller));
        this.caller = caller;
        setAuthenticated(true);
    }

    @Override
    public Caller getPrincipal() {
        return caller;
    }

    /** Nothing: the token is forgotten once it has been looked up. */
    @Override
    public String getCredentials() {
        return "";
    }

    private static List<SimpleGrantedAuthority> authorities(Caller caller) {
        return caller.scopes().stream()
                .map(scope -> new SimpleGrantedAuthority("SCOPE_" + scope.word()))
                .toList();
    }
}
