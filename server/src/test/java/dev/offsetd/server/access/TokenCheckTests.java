package dev.offsetd.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.access.TokenCheck.Refusal;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.http.HttpStatus;

/** Authentication of callers by token. */
@ChecklistRow(22)
class TokenCheckTests {

    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
    private static final String ADDRESS = "192.0.2.1";

    private final Map<TokenHash, Token> tokens = new HashMap<>();
    private final List<UUID> used = new ArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private boolean databaseIsAway;

    private final TokenDirectory directory = new TokenDirectory() {
        @Override
        public Optional<Token> find(TokenHash hash) {
            if (databaseIsAway) {
                throw new DataAccessResourceFailureException("away");
            }
            return Optional.ofNullable(tokens.get(hash));
        }

        @Override
        public void used(UUID token, Instant at) {
            assertThat(at).isEqualTo(NOW);
            used.add(token);
        }
    };

    private final TokenCheck check = new TokenCheck(directory, Clock.fixed(NOW, ZoneOffset.UTC), Set.of(), meters);

    private String token(Set<Scope> scopes, Instant expiresAt, @Nullable Instant revokedAt) {
        String text = TokenText.random(new SecureRandom());
        tokens.put(TokenHash.of(text), new Token(UUID.randomUUID(), "ci", scopes, NOW, expiresAt, null, revokedAt));
        return text;
    }

    private Caller check(String... headers) {
        return check.authenticate(List.of(headers), ADDRESS).getPrincipal();
    }

    private void assertRefused(Refusal reason, String... headers) {
        assertThatExceptionOfType(RefusedAuthentication.class)
                .isThrownBy(() -> check(headers))
                .satisfies(refused -> assertThat(refused.problem()).isEqualTo(Refusals.badToken(reason)));
    }

    @Test
    void requestWithoutTokenIsAnonymous() {
        assertThat(check()).isEqualTo(new Caller("anonymous", null, Set.of(), ADDRESS));
        assertThat(new TokenCheck(directory, Clock.systemUTC(), Set.of(Scope.READ), meters)
                        .authenticate(List.of(), ADDRESS)
                        .getPrincipal())
                .isEqualTo(new Caller("anonymous", null, Set.of(Scope.READ), ADDRESS));
    }

    @Test
    void otherSchemesAreIgnored() {
        assertThat(check("Basic YTpi").token()).isNull();
        assertThat(check("Bearers x").token()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"READ, READ", "PUBLISH, READ PUBLISH", "ADMIN, READ PUBLISH ADMIN"})
    void scopeIncludesLesserScopes(Scope given, String all) {
        String text = token(Set.of(given), NOW.plusSeconds(1), null);
        Caller caller = check("Bearer " + text);
        assertThat(caller.name()).isEqualTo("ci");
        assertThat(caller.address()).isEqualTo(ADDRESS);
        assertThat(caller.scopes()).map(Scope::name).containsExactlyInAnyOrder(all.split(" "));
        assertThat(used).containsExactly(caller.token());
    }

    @Test
    void schemeIsCaseInsensitive() {
        String text = token(Set.of(Scope.READ), NOW.plusSeconds(1), null);
        assertThat(check("bearer " + text).token()).isNotNull();
        assertThat(check("BEARER  " + text).token()).isNotNull();
    }

    @Test
    void malformedAndUnknownTokensAreRefused() {
        assertRefused(Refusal.MALFORMED, "Bearer");
        assertRefused(Refusal.MALFORMED, "Bearer x");
        assertRefused(Refusal.UNKNOWN, "Bearer " + TokenText.random(new SecureRandom()));
    }

    @Test
    void twoTokensAreRefusedEvenIfBothAreValid() {
        String header = "Bearer " + token(Set.of(Scope.READ), NOW.plusSeconds(1), null);
        assertRefused(Refusal.MALFORMED, header, header);
    }

    @Test
    void tokenIsValidUntilItExpires() {
        assertThat(check("Bearer " + token(Set.of(Scope.READ), NOW.plusNanos(1), null))
                        .token())
                .isNotNull();
        assertRefused(Refusal.EXPIRED, "Bearer " + token(Set.of(Scope.READ), NOW, null));
    }

    @Test
    void revokedTokenIsRefusedAndItsUseNotRecorded() {
        assertRefused(Refusal.REVOKED, "Bearer " + token(Set.of(Scope.ADMIN), NOW.plusSeconds(1), NOW));
        assertThat(used).isEmpty();
    }

    @Test
    void tokenThatCannotBeLookedUpIsNotInvalid() {
        databaseIsAway = true;
        assertThatExceptionOfType(RefusedAuthentication.class)
                .isThrownBy(() -> check("Bearer " + TokenText.random(new SecureRandom())))
                .satisfies(refused -> assertThat(refused.problem().status()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE));
    }

    @Test
    void refusalsAreCountedByReason() {
        assertRefused(Refusal.MALFORMED, "Bearer x");
        assertRefused(Refusal.MALFORMED, "Bearer y");
        assertRefused(Refusal.UNKNOWN, "Bearer " + TokenText.random(new SecureRandom()));
        assertThat(meters.get("offsetd.tokens.refused")
                        .tag("reason", "malformed")
                        .counter()
                        .count())
                .isEqualTo(2);
        assertThat(meters.get("offsetd.tokens.refused")
                        .tag("reason", "unknown")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(meters.get("offsetd.tokens.refused")
                        .tag("reason", "expired")
                        .counter()
                        .count())
                .isZero();
    }
}
