package dev.offsetd.server.access;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.springframework.dao.DataAccessException;

/**
 * Authenticates callers by bearer token (RFC 6750 section 2.1). Tokens in query strings and bodies are ignored, and so are
 * other authentication schemes, which may belong to a proxy.
 */
final class TokenCheck {

    private static final String SCHEME = "Bearer";

    private final TokenDirectory tokens;
    private final Clock clock;
    private final Set<Scope> anonymousScopes;
    private final Map<Refusal, Counter> refused = new EnumMap<>(Refusal.class);

    /** @param anonymousScopes what a caller without a token may do */
    TokenCheck(TokenDirectory tokens, Clock clock, Set<Scope> anonymousScopes, MeterRegistry meters) {
        this.tokens = tokens;
        this.clock = clock;
        this.anonymousScopes = Set.copyOf(anonymousScopes);
        for (Refusal reason : Refusal.values()) {
            refused.put(
                    reason,
                    Counter.builder("offsetd.tokens.refused")
                            .description("Requests with a token that was not accepted")
                            .tag("reason", reason.name().toLowerCase(Locale.ROOT))
                            .register(meters));
        }
    }

    /**
     * Authenticates the caller.
     *
     * @param authorization values of the request's {@code Authorization} headers
     * @param address IP address of the client
     * @throws RefusedAuthentication if the token is not accepted or cannot be looked up
     */
    CallerAuthentication authenticate(List<String> authorization, String address) {
        List<String> bearer =
                authorization.stream().filter(TokenCheck::isBearer).toList();
        if (bearer.isEmpty()) {
            return new CallerAuthentication(new Caller(Caller.ANONYMOUS, null, anonymousScopes, address), null);
        }
        if (bearer.size() > 1) {
            throw refuse(Refusal.MALFORMED);
        }
        TokenHash hash = TokenText.hash(
                        bearer.getFirst().substring(SCHEME.length()).strip())
                .orElseThrow(() -> refuse(Refusal.MALFORMED));
        return authenticate(find(hash), address);
    }

    private Token find(TokenHash hash) {
        try {
            return tokens.find(hash).orElseThrow(() -> refuse(Refusal.UNKNOWN));
        } catch (DataAccessException e) {
            throw new RefusedAuthentication(Refusals.tokenCannotBeChecked());
        }
    }

    private CallerAuthentication authenticate(Token token, String address) {
        Instant now = clock.instant();
        switch (token.status(now)) {
            case REVOKED -> throw refuse(Refusal.REVOKED);
            case EXPIRED -> throw refuse(Refusal.EXPIRED);
            case ACTIVE -> {}
        }
        tokens.used(token.id(), now);
        Set<Scope> scopes = EnumSet.noneOf(Scope.class);
        scopes.addAll(anonymousScopes);
        token.scopes().forEach(scope -> scopes.addAll(scope.included()));
        return new CallerAuthentication(new Caller(token.label(), token.id(), scopes, address), token);
    }

    private RefusedAuthentication refuse(Refusal reason) {
        Objects.requireNonNull(refused.get(reason)).increment();
        return new RefusedAuthentication(Refusals.badToken(reason));
    }

    private static boolean isBearer(String header) {
        return header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                && (header.length() == SCHEME.length() || header.charAt(SCHEME.length()) == ' ');
    }

    /** Why a token is not accepted. */
    enum Refusal {
        MALFORMED("the token is not an offsetd token, or there are several"),
        UNKNOWN("the token is unknown"),
        EXPIRED("the token has expired"),
        REVOKED("the token has been revoked");

        private final String detail;

        Refusal(String detail) {
            this.detail = detail;
        }

        String detail() {
            return detail;
        }
    }
}
