package dev.offsetd.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.web.ProblemException;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@ChecklistRow(42)
class SharesTests {

    private static final UUID TOKEN = new UUID(0, 1);

    private final Shares shares = new Shares("uploads", 4);

    private static Caller caller(@Nullable UUID token, String address) {
        return new Caller(token == null ? Caller.ANONYMOUS : "ci", token, Set.of(), address);
    }

    private void assertRefused(Caller caller, String detail) {
        assertThatThrownBy(() -> shares.take(caller)).isInstanceOfSatisfying(ProblemException.class, e -> {
            assertThat(e.problem().code()).isEqualTo("busy");
            assertThat(e.problem().detail()).contains(detail);
            assertThat(e.problem().headers()).containsKey("Retry-After");
        });
    }

    @Test
    void tokenHasHalfOfThePlacesFromAllItsAddresses() {
        shares.take(caller(TOKEN, "10.0.0.1"));
        shares.take(caller(TOKEN, "10.0.0.2"));
        assertRefused(caller(TOKEN, "10.0.0.3"), "has its share of the places for uploads: 2 of 4");
        shares.take(caller(new UUID(0, 2), "10.0.0.3"));
    }

    @Test
    void addressHasHalfOfThePlacesWithAllItsTokens() {
        shares.take(caller(TOKEN, "2001:db8::1"));
        shares.take(caller(new UUID(0, 2), "2001:db8::2"));
        assertRefused(caller(new UUID(0, 3), "2001:db8::3"), "share");
        assertRefused(caller(null, "2001:db8::4"), "share");
        shares.take(caller(null, "10.0.0.1"));
    }

    @Test
    void placesAreBoundedAndGivenBackOnce() {
        Shares.Place first = shares.take(caller(null, "10.0.0.1"));
        shares.take(caller(null, "10.0.0.2"));
        shares.take(caller(null, "10.0.0.3"));
        shares.take(caller(null, "10.0.0.4"));
        assertRefused(caller(null, "10.0.0.5"), "all places for uploads are taken: 4");
        first.close();
        first.close();
        shares.take(caller(null, "10.0.0.5"));
        assertRefused(caller(null, "10.0.0.6"), "all places");
    }

    @Test
    void onePlaceIsForEveryone() {
        Shares one = new Shares("imports", 1);
        try (Shares.Place _ = one.take(caller(TOKEN, "10.0.0.1"))) {
            assertThatThrownBy(() -> one.take(caller(TOKEN, "10.0.0.1"))).isInstanceOf(ProblemException.class);
        }
        one.take(caller(TOKEN, "10.0.0.1")).close();
    }
}
