package dev.offsetd.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import java.security.SecureRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Recognition of tokens by their format and checksum. */
@ChecklistRow(22)
class TokenTextTests {

    private static final SecureRandom RANDOM = new SecureRandom();

    @Test
    void tokenHasPrefix256BitsAndChecksum() {
        assertThat(TokenText.random(RANDOM)).matches("offsetd_[A-Za-z0-9_-]{43}[A-Za-z0-9_-]{6}");
        assertThat(TokenText.random(RANDOM)).isNotEqualTo(TokenText.random(RANDOM));
    }

    @Test
    void hashIsTheSha256OfTheText() {
        String text = TokenText.random(RANDOM);
        assertThat(TokenText.hash(text)).contains(TokenHash.of(text));
        assertThat(TokenHash.ofBytes(TokenHash.of(text).toBytes())).isEqualTo(TokenHash.of(text));
        // "abc", FIPS 180-4 appendix B.1.
        assertThat(TokenHash.of("abc").toBytes())
                .asHexString()
                .isEqualTo("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD");
    }

    @Test
    void wrongCharacterIsDetected() {
        String text = TokenText.random(RANDOM);
        for (int at = TokenText.PREFIX.length(); at < text.length(); at++) {
            // The last character of each part has unused bits. The text is compared, so these count too.
            char other = text.charAt(at) == 'A' ? 'B' : 'A';
            assertThat(TokenText.hash(text.substring(0, at) + other + text.substring(at + 1)))
                    .as("character %d", at)
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "offsetd_", "a token", "offsetd_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
    void otherTextIsNotAToken(String text) {
        assertThat(TokenText.hash(text)).isEmpty();
    }

    @Test
    void tokenWithinOtherTextIsNotAToken() {
        String text = TokenText.random(RANDOM);
        assertThat(TokenText.hash(text + "A")).isEmpty();
        assertThat(TokenText.hash(text + "\n")).isEmpty();
        assertThat(TokenText.hash("x" + text)).isEmpty();
    }
}
