package dev.offsetd.server.admin.pins;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.admin.shell.FormFields;
import dev.offsetd.server.pins.PinDraft;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PinFormTests {

    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final String BUILD = "00000000000000000000000000000000000000aa";

    @Test
    void numbersAreDecimalOrHex() {
        assertThat(value(member("48", "0x8", "", ""))).isEqualTo(new PinnedValue.OfMember(48, 8, null, null));
        assertThat(errors(member("-1", "eight", "", ""))).containsOnlyKeys("offset", "size");
    }

    @Test
    void offsetAndSizeOfABitFieldFollowFromItsBits() {
        assertThat(value(member("", "", "1030", "4")))
                .isEqualTo(new PinnedValue.OfMember(128, 2, new PinnedValue.Bits(1030, 4), null));
        assertThat(errors(member("", "", "1030", ""))).containsOnlyKeys("bitSize");
    }

    @Test
    void membersSurviveARoundTrip() {
        PinnedValue.OfType type = new PinnedValue.OfType(
                16,
                Map.of(
                        "pc", new PinnedValue.OfMember(0, 8, null, "const VALUE *"),
                        "flag", new PinnedValue.OfMember(8, 1, new PinnedValue.Bits(67, 3), null)));

        PinForm form = PinForm.ofNew(BUILD, "frame", PinForm.WHOLE_TYPE, Optional.of(type))
                .with(Map.of("reason", "why"));

        assertThat(value(form)).isEqualTo(type);
    }

    @Test
    void expiryIsANumberOfDaysOrADate() {
        assertThat(expiring("7", "").draft()).extracting(PinDraft::expiresAt).isEqualTo(NOW.plusSeconds(7 * 86_400));
        assertThat(expiring("date", "2026-01-31").draft())
                .extracting(PinDraft::expiresAt)
                .isEqualTo(Instant.parse("2026-02-01T00:00:00Z"));
        assertThat(expiring("date", "soon").errors()).containsOnlyKeys("until");
        assertThat(expiring("999", "").errors()).containsOnlyKeys("expiry");
    }

    private static PinForm.Parsed expiring(String expiry, String until) {
        return member("0", "8", "", "")
                .with(Map.of("expiry", expiry, "until", until))
                .parse(null, NOW);
    }

    private static PinForm member(String offset, String size, String bitOffset, String bitSize) {
        return new PinForm(FormFields.of(Map.of(
                "build", BUILD,
                "item", "T.m",
                "what", "member",
                "offset", offset,
                "size", size,
                "bitOffset", bitOffset,
                "bitSize", bitSize,
                "reason", "why",
                "expiry", "never")));
    }

    private static PinnedValue value(PinForm form) {
        PinForm.Parsed read = form.parse(null, NOW);
        assertThat(read.errors()).isEmpty();
        return Objects.requireNonNull(read.draft()).value();
    }

    private static Map<String, String> errors(PinForm form) {
        return form.parse(null, NOW).errors();
    }
}
