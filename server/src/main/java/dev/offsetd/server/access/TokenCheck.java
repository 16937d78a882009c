package dev.offsetd.server.access;

import dev.offsetd.server.access.TokenDirectory.Lookup;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds out by its token who sends a request (RFC 6750 section 2.1; tokens in URLs or bodies are not looked at). A
 * plain class: whatever answers before Spring Security is asked uses the same one.
 */
public final class TokenCheck {

    private static final String SCHEME = "Bearer";

    private final TokenDirectory tokens;
    private final Clock clock;
    private final Set<Scope> anonymousScopes;
    private final Map<Refusal, Counter> refused;

    /** @param anonymousScopes what a caller without a token may do */
    TokenCheck(TokenDirectory tokens, Clock clock, Set<Scope> anonymousScopes, MeterRegistry meters) {
        this.tokens = tokens;
        this.clock = clock;
        this.anonymousScopes = Set.copyOf(anonymousScopes);
        this.refused = Arrays.stream(Refusal.values())
                .collect(Collectors.toMap(
                        Function.identity(),
                        reason -> Counter.builder("offsetd.tokens.refused")
                                .description("Requests with a token that was not accepted")
                                .tag("reason", reason.name().toLowerCase(Locale.ROOT))
                                .register(meters),
                        (first, second) -> first,
                        () -> new EnumMap<>(Refusal.class)));
    }

    /**
     * Who sends a request.
     *
     * @param authorization values of its {@code Authorization} headers; other schemes than {@value #SCHEME} are the
     *     business of a proxy before us
     * @param address IP address of the client
     */
    public Verdict check(List<String> authorization, String address) {
        List<String> bearer =
                authorization.stream().filter(TokenCheck::isBearer).toList();
        if (bearer.isEmpty()) {
            return new Verdict.Passed(new Caller(Caller.ANONYMOUS, null, anonymousScopes, address), null);
        }
        if (bearer.size() > 1) {
            return refuse(Refusal.MALFORMED);
        }
        Optional<TokenHash> hash =
                TokenText.hash(bearer.getFirst().substring(SCHEME.length()).strip());
        if (hash.isEmpty()) {
            return refuse(Refusal.MALFORMED);
        }
        return switch (tokens.find(hash.get())) {
            case Lookup.Known(Token token) -> judge(token, address);
            case Lookup.Unknown() -> refuse(Refusal.UNKNOWN);
            case Lookup.Unavailable() -> new Verdict.Undecided();
        };
    }

    private Verdict judge(Token token, String address) {
        Instant now = clock.instant();
        if (token.revokedAt() != null) {
            return refuse(Refusal.REVOKED);
        }
        if (!now.isBefore(token.expiresAt())) {
            return refuse(Refusal.EXPIRED);
        }
        tokens.used(token.id(), now);
        EnumSet<Scope> scopes = EnumSet.noneOf(Scope.class);
        scopes.addAll(anonymousScopes);
        token.scopes().forEach(scope -> scopes.addAll(scope.included()));
        return new Verdict.Passed(new Caller(token.label(), token.id(), scopes, address), token);
    }

    private Verdict refuse(Refusal reason) {
        Counter counter = refused.get(reason);
        if (counter != null) {
            counter.increment();
        }
        return new Verdict.Refused(reason);
    }

    private static boolean isBearer(String header) {
        return header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                && (header.length() == SCHEME.length() || header.charAt(SCHEME.length()) == ' ');
    }

    /** What a look at a request's token came to. */
    public sealed interface Verdict {

        /**
         * It may go on.
         *
         * @param token null if it has none
         */
        record Passed(Caller caller, @Nullable Token token) implements Verdict {}

        /** Its token is not accepted. */
        record Refused(Refusal reason) implements Verdict {}

        /** Its token is not known here, and the database cannot be asked. */
        record Undecided() implements Verdict {}
    }

    /** Why a token is not accepted. */
    public enum Refusal {
        MALFORMED("the token is not one of offsetd, or there are several"),
        UNKNOWN("the token is not known here"),
        EXPIRED("the token has expired"),
        REVOKED("the token has been revoked");

        private final String detail;

        Refusal(String detail) {
            this.detail = detail;
        }

        /** The reason in words. */
        String detail() {
            return detail;
        }
    }
}
