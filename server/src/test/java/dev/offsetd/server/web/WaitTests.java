package dev.offsetd.server.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

class WaitTests {

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            value = {
                "wait=5 -> 5",
                "wait=0 -> 0",
                "wait=30 -> 30",
                "respond-async, wait=7 -> 7",
                "WAIT = 7 -> 7",
                "wait=\"7\" -> 7",
                "wait=7; x=y -> 7",
                "wait=7, wait=9 -> 7"
            })
    void preferenceIsTheWait(String header, int seconds) {
        Wait wait = Wait.of(List.of(header));
        assertThat(wait.time()).isEqualTo(Duration.ofSeconds(seconds));
        assertThat(wait.applied()).hasValue("wait=" + seconds);
    }

    @Test
    void tooLongAWaitIsCutAndSaidToBe() {
        assertThat(Wait.of(List.of("wait=31")).applied()).hasValue("wait=30");
        assertThat(Wait.of(List.of("wait=999999999")).time()).isEqualTo(Wait.MAX);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "wait", "wait=", "wait=-1", "wait=x", "wait=1.5", "await=3", "wait=12345678901234567890"})
    void unreadablePreferenceIsAsGoodAsNone(String header) {
        Wait wait = Wait.of(List.of(header));
        assertThat(wait.time()).isEqualTo(Wait.DEFAULT);
        assertThat(wait.applied()).isEmpty();
    }

    @Test
    void preferenceMayBeInAnyOfSeveralHeaders() {
        assertThat(Wait.of(List.of("respond-async", "wait=4")).time()).isEqualTo(Duration.ofSeconds(4));
    }

    @Test
    void crowdedServerLetsClientsWaitForASecond() {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setAttribute(Wait.CROWDED, true);
        assertThat(Wait.of(request)).isEqualTo(new Wait(Wait.SHORT, false));
        request.addHeader("Prefer", "wait=20");
        assertThat(Wait.of(request).applied()).hasValue("wait=1");
        request.removeHeader("Prefer");
        request.addHeader("Prefer", "wait=0");
        assertThat(Wait.of(request).time()).isZero();
        assertThat(new Wait(Wait.MAX, false).permittedTo(request)).isEqualTo(new Wait(Wait.SHORT, false));
    }

    /** Counts how often a character is looked at. */
    private static final class Counted implements CharSequence {

        private final String text;
        private long looks;

        Counted(String text) {
            this.text = text;
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            looks++;
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.subSequence(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private static long looksAt(String preference) {
        Counted counted = new Counted(preference);
        var _ = Wait.of(counted);
        return counted.looks;
    }

    /** The longest that a header can be, and half of that. */
    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '^',
            value = {
                "^^ -> ^ ^ -> ^^",
                "wait -> ^ ^ -> x",
                "wait= -> ^ ^ -> x",
                "wait=7 -> ^ ^ -> x",
                "wait=\"7\" -> ^\t^ -> x",
                "wait=7; -> ; -> ^\n^",
                "wait= -> 7 -> ^^",
                "wait=7 -> ^ \t^ -> ;",
            })
    @ChecklistRow(39)
    void preferenceIsReadInLinearTime(String begin, String repeated, String end) {
        int most = 32 * 1024 / repeated.length();
        long half = looksAt(begin + repeated.repeat(most / 2) + end);
        long whole = looksAt(begin + repeated.repeat(most) + end);
        assertThat(whole).isLessThanOrEqualTo(2 * half + 100).isLessThanOrEqualTo(10L * 32 * 1024);
    }
}
