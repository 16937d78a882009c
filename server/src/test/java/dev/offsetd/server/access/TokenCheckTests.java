package dev.offsetd.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.access.TokenCheck.Refusal;
import dev.offsetd.server.access.TokenCheck.Verdict;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who a request comes from is told by its token alone. */
@ChecklistRow(22)
class TokenCheckTests {

    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
    private static final String ADDRESS = "192.0.2.1";

    private final Map<TokenHash, TokenDirectory.Lookup> tokens = new HashMap<>();
    private final List<UUID> used = new ArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private TokenDirectory.Lookup otherwise = new TokenDirectory.Lookup.Unknown();

    private final TokenDirectory directory = new TokenDirectory() {
        @Override
        public Lookup find(TokenHash hash) {
            return tokens.getOrDefault(hash, otherwise);
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
        tokens.put(
                TokenHash.of(text),
                new TokenDirectory.Lookup.Known(new Token(UUID.randomUUID(), "ci", scopes, expiresAt, revokedAt)));
        return text;
    }

    private Verdict check(String... headers) {
        return check.check(List.of(headers), ADDRESS);
    }

    private static Verdict refused(Refusal reason) {
        return new Verdict.Refused(reason);
    }

    @Test
    void requestWithoutTokenIsAnonymous() {
        assertThat(check()).isEqualTo(new Verdict.Passed(new Caller("anonymous", null, Set.of(), ADDRESS), null));
        assertThat(new TokenCheck(directory, Clock.systemUTC(), Set.of(Scope.READ), meters).check(List.of(), ADDRESS))
                .isEqualTo(new Verdict.Passed(new Caller("anonymous", null, Set.of(Scope.READ), ADDRESS), null));
    }

    @Test
    void otherSchemesAreNotOurs() {
        assertThat(check("Basic YTpi")).isInstanceOf(Verdict.Passed.class);
        assertThat(check("Bearers x")).isInstanceOf(Verdict.Passed.class);
    }

    @ParameterizedTest
    @CsvSource({"READ, READ", "PUBLISH, READ PUBLISH", "ADMIN, READ PUBLISH ADMIN"})
    void scopeIncludesTheLesserOnes(Scope given, String all) {
        String text = token(Set.of(given), NOW.plusSeconds(1), null);
        assertThat(check("Bearer " + text)).isInstanceOfSatisfying(Verdict.Passed.class, passed -> {
            assertThat(passed.caller().name()).isEqualTo("ci");
            assertThat(passed.caller().address()).isEqualTo(ADDRESS);
            assertThat(passed.caller().scopes()).map(Scope::name).containsExactlyInAnyOrder(all.split(" "));
            assertThat(used).containsExactly(passed.caller().token());
        });
    }

    @Test
    void nameOfTheSchemeMayBeWrittenInAnyCase() {
        String text = token(Set.of(Scope.READ), NOW.plusSeconds(1), null);
        assertThat(check("bearer " + text)).isInstanceOf(Verdict.Passed.class);
        assertThat(check("BEARER  " + text)).isInstanceOf(Verdict.Passed.class);
    }

    @Test
    void whatIsNotATokenOfOursIsRefused() {
        assertThat(check("Bearer")).isEqualTo(refused(Refusal.MALFORMED));
        assertThat(check("Bearer x")).isEqualTo(refused(Refusal.MALFORMED));
        assertThat(check("Bearer " + TokenText.random(new SecureRandom()))).isEqualTo(refused(Refusal.UNKNOWN));
    }

    @Test
    void twoTokensAreRefusedEvenIfBothAreGood() {
        String header = "Bearer " + token(Set.of(Scope.READ), NOW.plusSeconds(1), null);
        assertThat(check(header, header)).isEqualTo(refused(Refusal.MALFORMED));
    }

    @Test
    void tokenIsGoodUntilItExpiresAndNotAtThatMoment() {
        assertThat(check("Bearer " + token(Set.of(Scope.READ), NOW.plusNanos(1), null)))
                .isInstanceOf(Verdict.Passed.class);
        assertThat(check("Bearer " + token(Set.of(Scope.READ), NOW, null))).isEqualTo(refused(Refusal.EXPIRED));
    }

    @Test
    void revokedTokenIsRefusedAndItsUseNotNoted() {
        assertThat(check("Bearer " + token(Set.of(Scope.ADMIN), NOW.plusSeconds(1), NOW)))
                .isEqualTo(refused(Refusal.REVOKED));
        assertThat(used).isEmpty();
    }

    @Test
    void tokenThatNobodyCanLookUpIsNotCalledBad() {
        otherwise = new TokenDirectory.Lookup.Unavailable();
        assertThat(check("Bearer " + TokenText.random(new SecureRandom()))).isEqualTo(new Verdict.Undecided());
    }

    @Test
    void refusalsAreCountedByTheirReason() {
        check("Bearer x");
        check("Bearer y");
        check("Bearer " + TokenText.random(new SecureRandom()));
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
