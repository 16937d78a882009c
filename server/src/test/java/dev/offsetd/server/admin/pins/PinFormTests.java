package dev.offsetd.server.admin.pins;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.pins.PinDraft;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.validation.BeanPropertyBindingResult;
import org.springframework.validation.Errors;
import org.springframework.validation.FieldError;

class PinFormTests {

    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final String BUILD = "00000000000000000000000000000000000000aa";

    @Test
    void numbersAreDecimalOrHex() {
        assertThat(value(member("48", "0x8", "", ""))).isEqualTo(new PinnedValue.OfMember(48, 8, null, null));
        assertThat(wrong(member("-1", "eight", "", ""))).containsExactly("offset", "size");
        assertThat(wrong(member("9223372036854775807", "9223372036854775808", "", "")))
                .containsExactly("size");
        assertThat(wrong(member("٣", "0x8000000000000000", "", ""))).containsExactly("offset", "size");
    }

    @Test
    void offsetAndSizeOfABitFieldFollowFromItsBits() {
        assertThat(value(member("", "", "1030", "4")))
                .isEqualTo(new PinnedValue.OfMember(128, 2, new PinnedValue.Bits(1030, 4), null));
        assertThat(wrong(member("", "", "1030", ""))).containsExactly("bitSize");
    }

    @Test
    void membersSurviveARoundTrip() {
        PinnedValue.OfType type = new PinnedValue.OfType(
                16,
                Map.of(
                        "pc", new PinnedValue.OfMember(0, 8, null, "const VALUE *"),
                        "flag", new PinnedValue.OfMember(8, 1, new PinnedValue.Bits(67, 3), null)));

        assertThat(value(PinForm.ofNew(BUILD, "frame", PinForm.WHOLE_TYPE, type)))
                .isEqualTo(type);
    }

    @Test
    void expiryIsANumberOfDaysOrADate() {
        assertThat(draft(expiring("7", ""))).extracting(PinDraft::expiresAt).isEqualTo(NOW.plusSeconds(7 * 86_400));
        assertThat(draft(expiring("date", "2026-01-31")))
                .extracting(PinDraft::expiresAt)
                .isEqualTo(Instant.parse("2026-02-01T00:00:00Z"));
        assertThat(wrong(expiring("date", "soon"))).containsExactly("until");
        assertThat(wrong(expiring("999", ""))).containsExactly("expiry");
        assertThat(wrong(expiring("never", "2026-01-31")))
                .as("a last day of a pin that never expires")
                .containsExactly("expiry");
    }

    @Test
    void fieldToTypeInIsTheFirstWithAnErrorElseTheFirstThatIsEmpty() {
        assertThat(focus(PinForm.ofNew("", "", PinForm.ONE_MEMBER, null))).isEqualTo("build");
        assertThat(focus(PinForm.ofNew(BUILD, "", PinForm.ONE_MEMBER, null))).isEqualTo("item");
        assertThat(focus(PinForm.ofNew(BUILD, "T.m", PinForm.ONE_MEMBER, null))).isEqualTo("offset");
        assertThat(focus(PinForm.ofNew(BUILD, "T", PinForm.WHOLE_TYPE, null))).isEqualTo("size");
        assertThat(focus(PinForm.ofNew(BUILD, "T.m", "", new PinnedValue.OfMember(0, 8, null, null))))
                .isEqualTo("reason");
        PinForm wrong = member("0", "eight", "", "");
        Errors errors = errors(wrong);
        wrong.draft(null, NOW, errors);
        assertThat(wrong.focus(errors)).isEqualTo("size");
    }

    private static PinForm expiring(String expiry, String until) {
        return new PinForm("", "", "", BUILD, "T.m", "member", "0", "8", "", "", "", "", "why", expiry, until);
    }

    private static PinForm member(String offset, String size, String bitOffset, String bitSize) {
        return new PinForm(
                "", "", "", BUILD, "T.m", "member", offset, size, bitOffset, bitSize, "", "", "why", "never", "");
    }

    private static Errors errors(PinForm form) {
        return new BeanPropertyBindingResult(form, "form");
    }

    private static String focus(PinForm form) {
        return form.focus(errors(form));
    }

    private static PinDraft draft(PinForm form) {
        return Objects.requireNonNull(form.draft(null, NOW, errors(form)));
    }

    private static PinnedValue value(PinForm form) {
        return draft(form).value();
    }

    private static List<String> wrong(PinForm form) {
        Errors errors = errors(form);
        assertThat(form.draft(null, NOW, errors)).isNull();
        return errors.getFieldErrors().stream().map(FieldError::getField).toList();
    }
}
