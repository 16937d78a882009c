package dev.offsetd.server.builds.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.CostGrowth;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SearchWordTests {

    @Test
    void wordsAreBetweenPunctuationInLowerCaseAndOnce() {
        assertThat(SearchWord.words("GNU C17 (Debian 14.2.0-19) [x]; c17, \"a\\b\"\t\u007f|d"))
                .containsExactly("gnu", "c17", "debian", "14.2.0-19", "x", "a", "b", "d");
        assertThat(SearchWord.words("  ")).isEmpty();
    }

    @Test
    void wordOfAPathIsItsLastComponentWithoutTheDashesOfAnOption() {
        assertThat(SearchWord.words("/usr/lib/libx.so.1 --with-y /opt/z/// // - a/-b/--c"))
                .containsExactly("libx.so.1", "with-y", "z", "c");
        assertThat(SearchWord.words("é" + "a".repeat(100))).containsExactly("é" + "a".repeat(63));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a ", "/", "a/", "-", "- ", "aé-"})
    @ChecklistRow(39)
    void costOfWordsGrowsWithTheText(String piece) throws IOException {
        CostGrowth.requireLinear("words of " + piece, 100_000, size -> {
            String text = piece.repeat(size / piece.length());
            return new CostGrowth.Input(size, stages -> stages.measure("words", () -> SearchWord.words(text)));
        });
    }
}
