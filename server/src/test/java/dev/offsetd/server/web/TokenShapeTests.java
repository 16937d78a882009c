package dev.offsetd.server.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.testkit.ChecklistRow;
import java.util.HexFormat;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@ChecklistRow(44)
class TokenShapeTests {

    private static final String SECRET = "Ab0_-".repeat(10).substring(1);
    private static final String TOKEN = TokenShape.PREFIX + SECRET;

    private static Stream<String> spellings() {
        UnaryOperator<String> escaped = text -> text.chars()
                .mapToObj(c -> "%" + HexFormat.of().toHexDigits((byte) c))
                .collect(Collectors.joining());
        return Stream.of(
                TOKEN,
                escaped.apply(TOKEN),
                escaped.apply(TOKEN).toUpperCase(java.util.Locale.ROOT),
                escaped.apply(TOKEN).replace("%", "%25"),
                escaped.apply(TOKEN).replace("%", "%252525"),
                TOKEN.replace("_", "%5f").replace("-", "%2D"),
                "%6f" + TOKEN.substring(1),
                TOKEN + TOKEN,
                // Cut off, as messages are.
                TOKEN.substring(0, TokenShape.PREFIX.length() + 16));
    }

    @ParameterizedTest
    @MethodSource("spellings")
    void everySpellingOfATokenIsRedactedInEachPlace(String token) {
        for (String around : Stream.of(
                        "/t//%s/v1",
                        "/T/%s",
                        "/%%74/%s",
                        "/t/%s/t/%s",
                        "/x/../t/%s",
                        "?token=%s&a=b",
                        "Bearer %s",
                        "http://u:%s@h/",
                        "%%%s",
                        "%%25%s",
                        "o%s")
                .toList()) {
            String text = around.replace("%%", "\0").replace("%s", token).replace("\0", "%");
            assertThat(TokenShape.redact(text))
                    .as(text)
                    .isEqualTo(around.replace("%%", "\0")
                            .replace("%s", TokenShape.HIDDEN)
                            .replace("\0", "%"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "%",
                "%6",
                "offsetd_",
                "offsetd_session",
                "offsetd_%zz",
                "Offsetd_answers_given_total",
                "/v1/offsets/d0578622d5b0b2d1ba5ca3cd3ce72b6b2d9e5bd0?types=offset%64"
            })
    void otherTextIsTheSameInstance(String text) {
        assertThat(TokenShape.redact(text)).isSameAs(text);
    }

    @Test
    void noCutOfAMessageRevealsMostOfAToken() {
        for (int before = 0; before < 130; before++) {
            String logged = TokenShape.redact(HostileText.quote("/".repeat(before) + TOKEN));
            assertThat(logged).doesNotContain(TOKEN.substring(0, TokenShape.PREFIX.length() + 16));
        }
    }

    @Test
    void costIsLinear() {
        for (String unit : Stream.of("%25", "offsetd/", "o%2525252525252525", "offsetd_aaaaaaaaaaaaaaa/")
                .toList()) {
            String text = unit.repeat(200_000);
            assertThat(TokenShape.redact(text)).isSameAs(text);
        }
    }
}
