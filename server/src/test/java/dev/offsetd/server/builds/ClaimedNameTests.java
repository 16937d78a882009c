package dev.offsetd.server.builds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.builds.ClaimedName.By;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimedNameTests {

    private static String name(String path) {
        return ClaimedName.of(path, By.CLIENT).orElseThrow().name();
    }

    @Test
    void longPathKeepsItsLastComponents() {
        String last = "x".repeat(150) + "/libpoint.so.1";
        assertThat(name("/opt/" + "a".repeat(30) + "/b/" + last)).isEqualTo("a".repeat(30) + "/b/" + last);
        assertThat(name("/opt/" + "a".repeat(60) + "/b/" + last)).isEqualTo("b/" + last);
        assertThat(name("y".repeat(60) + "_1.0-1_amd64.deb!" + last)).isEqualTo(last);
        assertThat(name("C:\\" + "a".repeat(60) + "\\" + "x".repeat(150))).isEqualTo("x".repeat(150));
    }

    @Test
    void longNameKeepsItsEnd() {
        assertThat(name("a" + "\ud83d\ude80".repeat(200))).isEqualTo("\ud83d\ude80".repeat(200));
        assertThat(name("/" + "x".repeat(300) + "/")).isEqualTo("x".repeat(199) + "/");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\n"})
    void blankNameIsNone(String path) {
        assertThat(ClaimedName.of(path, By.PUSH)).isEmpty();
    }

    @Test
    void charactersThatChangeTheTextAroundThemAreSpaces() {
        assertThat(name("/bin/\u202egpj.sh\u0007\u2028x\u200b")).isEqualTo("/bin/ gpj.sh  x");
    }

    @Test
    void tokenIsTakenOutBeforeANameIsCut() {
        String token = "offsetd_" + "A".repeat(43);
        assertThat(name("/t/" + token + "/" + "x".repeat(191))).isEqualTo("t/hidden/" + "x".repeat(191));
    }

    @ParameterizedTest
    @CsvSource(nullValues = "none", textBlock = """
            debs/libruby3.4_3.4.5-1_amd64.deb!./usr/lib/libruby.so.3.4, libruby3.4 3.4.5-1
            libruby3.4-dbgsym_3.4.5-1_amd64.deb,                        libruby3.4 3.4.5-1
            /tmp/php-8.3.2-1.fc40.x86_64.rpm!./usr/bin/php,             php 8.3.2-1.fc40
            /usr/bin/ruby,                                              none
            """)
    void packageIsThatOfTheArchiveInTheName(String path, String expected) {
        assertThat(ClaimedName.of(path, By.PREWARM).orElseThrow().packageName())
                .isEqualTo(Optional.ofNullable(expected));
    }
}
