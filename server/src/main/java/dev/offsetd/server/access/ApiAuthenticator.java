package dev.offsetd.server.access;

import dev.offsetd.server.access.Route.Role;
import dev.offsetd.server.web.ContentMeter;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.authentication.AuthenticationConverter;
import org.springframework.stereotype.Component;

/**
 * Authenticates API requests and counts them against their caller's rate limit, once per request. A token that is not
 * accepted ends the request even where none is needed, so that its owner learns of it.
 */
@Component
public final class ApiAuthenticator implements AuthenticationConverter {

    private static final String DECISION = ApiAuthenticator.class.getName();

    private final TokenCheck tokens;
    private final RateLimits limits;

    ApiAuthenticator(TokenCheck tokens, RateLimits limits) {
        this.tokens = tokens;
        this.limits = limits;
    }

    /** Health checks are not counted: a busy server is not a broken one. */
    @Override
    public Authentication convert(HttpServletRequest request) {
        return authenticate(
                request,
                Routes.of(request).filter(route -> route.role() == Role.ANYBODY).isEmpty());
    }

    /**
     * Returns whether the caller may read. Answers from memory are sent before Spring Security's filters run; a request that may not
     * read is passed on to the filters, which answer it. It counts against its caller's limit once.
     */
    public boolean mayRead(HttpServletRequest request) {
        try {
            return Role.READER.isOf(authenticate(request, true).getPrincipal());
        } catch (RefusedAuthentication e) {
            return false;
        }
    }

    /**
     * Returns the caller of this request.
     *
     * @param counted whether the request counts against its caller's limit
     * @throws RefusedAuthentication if the token is not accepted, or the caller exceeds its limit
     */
    CallerAuthentication authenticate(HttpServletRequest request, boolean counted) {
        Object decision = request.getAttribute(DECISION);
        if (decision == null) {
            decision = decide(request, counted);
            request.setAttribute(DECISION, decision);
        }
        if (decision instanceof RefusedAuthentication refused) {
            throw refused;
        }
        return (CallerAuthentication) decision;
    }

    private Object decide(HttpServletRequest request, boolean counted) {
        try {
            CallerAuthentication authentication = tokens.authenticate(
                    Collections.list(request.getHeaders(HttpHeaders.AUTHORIZATION)), ClientAddress.of(request));
            if (!PathToken.before(request).isEmpty()) {
                authentication = authentication.forReading();
            }
            return counted ? count(authentication, request) : authentication;
        } catch (RefusedAuthentication e) {
            return e;
        }
    }

    /** Counts the request and the items and characters of its query; those of its body are counted when it is read. */
    private Object count(CallerAuthentication authentication, HttpServletRequest request) {
        Caller caller = authentication.getPrincipal();
        Optional<Duration> wait = limits.take(caller);
        if (wait.isPresent()) {
            return new RefusedAuthentication(Refusals.tooMany(wait.get()));
        }
        ContentMeter meter = (items, characters) -> limits.chargeContents(caller, items, characters);
        meter.install(request);
        String query = request.getQueryString();
        if (query != null) {
            meter.add(separators(query), query.length());
        }
        return authentication;
    }

    /** Returns the number of characters that separate items, alternatives and parameters, percent-encoded ones included. */
    private static int separators(String query) {
        int separators = 0;
        for (int i = 0; i < query.length(); i++) {
            char each = query.charAt(i);
            if (each == ',' || each == '|' || each == '&') {
                separators++;
            } else if (each == '%' && (query.startsWith("2", i + 1) || query.startsWith("7", i + 1))) {
                separators += query.startsWith("C", i + 2) || query.startsWith("c", i + 2) ? 1 : 0;
            }
        }
        return separators;
    }
}
