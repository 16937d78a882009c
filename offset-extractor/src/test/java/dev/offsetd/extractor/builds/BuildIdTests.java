package dev.offsetd.extractor.builds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BuildIdTests {

    private static final String GO =
            "F7xTZ0Lq1eQHmWn9yK2A~8bJcV-3rPuXsDgEfGhI~QwErTyUiOpAsDfGhJkLz~ZxCvBnMqWeRtYuIoP_1d";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0123456789abcdef",
                "htl:caf6e5907166ac76eef618e5f7f59cd9",
                "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                "go:" + GO,
                "go:x"
            })
    void keyIsReadFromItsTextAndItsStoredBytes(String key) {
        BuildId id = BuildId.parseKey(key);

        assertThat(id).hasToString(key);
        assertThat(BuildId.of(id.toBytes())).isEqualTo(id).hasToString(key);
        assertThat(id.isGnu()).isEqualTo(!key.contains(":"));
    }

    @Test
    void hexDigitsOfAKeyAreLowerCase() {
        assertThat(BuildId.parseKey("htl:CAF6E5907166AC76EEF618E5F7F59CD9"))
                .hasToString("htl:caf6e5907166ac76eef618e5f7f59cd9");
    }

    @Test
    void aliasKeyHasNeverTheBytesOfAGnuBuildId() {
        assertThat(List.of("go:x", "htl:caf6e5907166ac76eef618e5f7f59cd9"))
                .allSatisfy(key ->
                        assertThat(BuildId.parseKey(key).toBytes().length).isGreaterThan(BuildId.MAX_BYTES));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            htl:caf6                                 | 4 characters after htl:; expected 32 hex digits
            htl:caf6e5907166ac76eef618e5f7f59cdz     | 32 characters after htl:; expected 32 hex digits
            sha256:9f86d081884c7d659a2feaa0c55ad015  | 32 characters after sha256:; expected 64 hex digits
            go:                                      | 0 characters after go:; expected 1 to 200 letters, digits or _ - . = + ~
            go:a/b                                   | 3 characters after go:; expected 1 to 200 letters, digits or _ - . = + ~
            md5:caf6e5907166ac76                     | character 1 is not a hex digit; expected 16 to 128 hex digits
            HTL:caf6e5907166ac76eef618e5f7f59cd9     | character 1 is not a hex digit; expected 16 to 128 hex digits
            """)
    void malformedKeyIsRefused(String key, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BuildId.parseKey(key))
                .withMessage(message);
    }

    @Test
    void aliasKeyIsNoGnuBuildId() {
        assertThatIllegalArgumentException().isThrownBy(() -> BuildId.parse("htl:caf6e5907166ac76eef618e5f7f59cd9"));
    }

    @Test
    void slashesOfAGoBuildIdBecomeTildes() {
        assertThat(BuildId.ofGo(GO.replace('~', '/')).orElseThrow()).hasToString("go:" + GO);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a~b", "a b", "a\0", "\u00e9"})
    void goBuildIdThatAPathCannotHaveIsNoKey(String goBuildId) {
        assertThat(BuildId.ofGo(goBuildId)).isEmpty();
    }

    @Test
    void goBuildIdMayHaveTwoHundredCharacters() {
        String longest = "a".repeat(200);
        assertThat(BuildId.ofGo(longest)).isPresent();
        assertThat(BuildId.ofGo(longest + "a")).isEmpty();
    }

    @Test
    void keysOfBazelsGoProgramsAreShared() {
        assertThat(BuildId.ofGo("redacted").orElseThrow().isShared()).isTrue();
        assertThat(BuildId.parse("498919aff001d8366249403a2544fba2d833084f").isShared())
                .isTrue();
        assertThat(BuildId.parse("0123456789abcdef").isShared()).isFalse();
    }

    @Test
    void storedBytesOfEveryLengthThatNoKeyHasAreRefused() {
        assertThat(IntStream.of(0, 7, 65, 300))
                .allSatisfy(
                        length -> assertThatIllegalArgumentException().isThrownBy(() -> BuildId.of(new byte[length])));
    }
}
