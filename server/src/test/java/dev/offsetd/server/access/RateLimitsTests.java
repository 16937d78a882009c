package dev.offsetd.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.web.ContentMeter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;

/** Limits per caller: a caller that exceeds its limit is told how long to wait, and others are not affected. */
@ChecklistRow(23)
class RateLimitsTests {

    private static final TokenDirectory NO_TOKENS = new TokenDirectory() {
        @Override
        public Optional<Token> find(TokenHash hash) {
            return Optional.empty();
        }

        @Override
        public void used(UUID token, Instant at) {}
    };

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    private static Caller caller(@Nullable UUID token, String address) {
        return new Caller("name", token, Set.of(), address);
    }

    private static boolean isLimited(RateLimits limits, Caller caller) {
        return limits.take(caller).isPresent();
    }

    private void exhaust(RateLimits limits, Caller caller) {
        while (limits.take(caller).isEmpty()) {
            assertThat(limits.state(caller)).isPresent();
        }
        // The next request is due in an hour, because a busy machine may pause the test for more than a second.
        limits.charge(caller, 3600);
    }

    /** Asserts the remaining requests, which were this many at that time; the limit refills at one per second. */
    private static void assertRemaining(RateLimits limits, Caller caller, long left, long since) {
        long remaining = limits.state(caller).orElseThrow().remaining();
        long refilled = Duration.ofNanos(System.nanoTime() - since).toSeconds();
        assertThat(remaining).isBetween(left, left + refilled);
    }

    @Test
    void burstIsAdmittedAndThenTheWaitIsReturned() {
        RateLimits limits = new RateLimits(1, 3, 1, 3, meters);
        Caller caller = caller(null, "192.0.2.1");
        assertThat(limits.state(caller)).contains(new RateLimits.Allowance("address", 1, 3, 3));
        long began = System.nanoTime();
        int admitted = 0;
        Optional<Duration> wait = limits.take(caller);
        while (wait.isEmpty()) {
            admitted++;
            wait = limits.take(caller);
        }
        long refilled = Duration.ofNanos(System.nanoTime() - began).toSeconds();
        assertThat((long) admitted).isBetween(3L, 3 + refilled);
        assertThat(wait.orElseThrow()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void itemsAndCharactersCountAsRequests() {
        RateLimits limits = new RateLimits(1, 100, 1, 100, meters);
        Caller caller = caller(null, "192.0.2.1");
        limits.chargeContents(caller, 127, 4_095);
        assertThat(limits.state(caller)).contains(new RateLimits.Allowance("address", 1, 100, 100));
        long began = System.nanoTime();
        limits.chargeContents(caller, 500, 200_000);
        assertRemaining(limits, caller, 49, began);
    }

    @Test
    void requestIsCountedByItsQueryAndBody() {
        RateLimits limits = new RateLimits(1, 100, 1, 100, meters);
        TokenCheck tokens = new TokenCheck(NO_TOKENS, Clock.systemUTC(), Set.of(Scope.READ), meters);
        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/v1/offsets/00");
        request.setQueryString("types=" + "a%2Cb,".repeat(700));
        long began = System.nanoTime();
        Caller caller =
                new ApiAuthenticator(tokens, limits).authenticate(request, true).getPrincipal();
        // One for the request, 10 for 1,400 items, 1 for 4,206 characters.
        assertRemaining(limits, caller, 88, began);
        ContentMeter.add(request, 0, 200_000);
        assertRemaining(limits, caller, 40, began);
    }

    @Test
    void callersAreLimitedSeparately() {
        RateLimits limits = new RateLimits(1, 1, 1, 1, meters);
        exhaust(limits, caller(null, "192.0.2.1"));
        assertThat(isLimited(limits, caller(null, "192.0.2.2"))).isFalse();
        UUID token = UUID.randomUUID();
        assertThat(isLimited(limits, caller(token, "192.0.2.1"))).isFalse();
        exhaust(limits, caller(token, "192.0.2.1"));
        assertThat(isLimited(limits, caller(UUID.randomUUID(), "192.0.2.1"))).isFalse();
    }

    @Test
    void tokenIsOneCallerFromAnyAddress() {
        RateLimits limits = new RateLimits(1, 1, 0, 1, meters);
        UUID token = UUID.randomUUID();
        exhaust(limits, caller(token, "192.0.2.1"));
        assertThat(isLimited(limits, caller(token, "198.51.100.1"))).isTrue();
    }

    @Test
    void ipv6NetworkIsOneCaller() {
        RateLimits limits = new RateLimits(0, 1, 1, 1, meters);
        exhaust(limits, caller(null, "2001:db8:0:1:0:0:0:1"));
        assertThat(isLimited(limits, caller(null, "2001:db8:0:1:ffff:0:0:2"))).isTrue();
        assertThat(isLimited(limits, caller(null, "2001:db8:0:2:0:0:0:1"))).isFalse();
    }

    @Test
    void zeroMeansUnlimited() {
        RateLimits limits = new RateLimits(0, 1, 0, 1, meters);
        Caller anonymous = caller(null, "192.0.2.1");
        Caller token = caller(UUID.randomUUID(), "192.0.2.1");
        for (int i = 0; i < 100; i++) {
            assertThat(isLimited(limits, anonymous)).isFalse();
            assertThat(isLimited(limits, token)).isFalse();
        }
        assertThat(limits.state(anonymous)).isEmpty();
    }

    @Test
    void addressesBehindProxiesAreLimitedOnlyIfConfigured() {
        assertThat(new RateLimitProperties(1, 1, null, 1).addressRequests(true)).isZero();
        assertThat(new RateLimitProperties(1, 1, null, 1).addressRequests(false))
                .isEqualTo(10_000);
        assertThat(new RateLimitProperties(1, 1, 7L, 1).addressRequests(true)).isEqualTo(7);
    }

    @Test
    void negativeLimitIsNamedWithWhatIsExpected() {
        assertThatThrownBy(() -> new RateLimitProperties(-5, 1, null, 1))
                .hasMessage("offsetd.rate-limit.token-requests is -5; expected a number of requests, or 0");
        assertThatThrownBy(() -> new RateLimitProperties(1, 1, -7L, 1))
                .hasMessageStartingWith("offsetd.rate-limit.address-requests is -7; expected ");
    }

    @Test
    void refusalsAreCounted() {
        RateLimits limits = new RateLimits(1, 1, 1, 1, meters);
        Caller caller = caller(null, "192.0.2.1");
        exhaust(limits, caller);
        exhaust(limits, caller);
        assertThat(meters.get("offsetd.rate.limited")
                        .tag("by", "address")
                        .counter()
                        .count())
                .isGreaterThanOrEqualTo(2);
    }
}
