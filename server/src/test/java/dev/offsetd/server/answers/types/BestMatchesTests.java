package dev.offsetd.server.answers.types;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.answers.types.BestMatches.Rank;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BestMatchesTests {

    private static final List<String> RANKED = List.of(
            "frame",
            "Frame",
            "frame_t",
            "frames_of_all",
            "A<frame>",
            "my_frame",
            "StackFrame",
            "rb_control_frame_t",
            "xframe",
            "keyframex");

    @ParameterizedTest
    @CsvSource({
        "frame, frame, EXACT",
        "FRAME, frame, EXACT",
        "frame_t, frame, PREFIX",
        "rb_control_frame_struct, frame, WORD",
        "StackFrame, frame, WORD",
        "xframe_frame, frame, WORD",
        "list<frame>, frame, WORD",
        "keyframe, frame, SUBSTRING",
        "IFRAME, frame, SUBSTRING",
        "\u0130_frame, frame, WORD"
    })
    void wordStartsBehindPunctuationOrWithACapital(String name, String part, Rank rank) {
        assertThat(BestMatches.rank(name, part)).contains(rank);
    }

    @Test
    void namesThatMatchBetterComeFirstThenShorterOnes() {
        List<String> names = new ArrayList<>(RANKED);
        names.add("other");
        Collections.shuffle(names, new Random(7));
        TypeNamePage page = BestMatches.read(source(names), "frame", 50);
        assertThat(page.names()).containsExactlyElementsOf(RANKED);
        assertThat(page.more()).isFalse();
        assertThat(page.next()).isNull();
    }

    @Test
    void bestMatchIsFoundWhereverItSorts() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            names.add("a_frame" + i);
        }
        names.add("frame");
        TypeNamePage page = BestMatches.read(source(names), "frame", 2);
        assertThat(page.names()).containsExactly("frame", "a_frame0");
        assertThat(page.more()).isTrue();
    }

    @Test
    void searchEndsWhenItHasTakenItsSteps() {
        List<String> seen = new ArrayList<>();
        TypeNamePage page = BestMatches.read(
                (from, goOn) -> source(List.of("frame1", "frame2", "x".repeat(100_000), "frame3"))
                        .forEachTypeName(from, name -> seen.add(name) && goOn.test(name)),
                "frame",
                10,
                100);
        assertThat(page.names()).containsExactly("frame1", "frame2");
        assertThat(page.more()).isTrue();
        assertThat(seen).hasSize(3);
    }

    @Test
    void longNamesAreLeftOutForBetterOnes() {
        String half = "frame" + "x".repeat(TypeNamePage.MAX_CHARACTERS / 2);
        TypeNamePage page = BestMatches.read(source(List.of(half + 1, half + 2, "frame")), "frame", 10);
        assertThat(page.names()).containsExactly("frame", half + 1);
        assertThat(page.more()).isTrue();
    }

    private static TypeNamePage.NameSource source(List<String> names) {
        return (from, goOn) -> {
            for (String name : names) {
                if (!goOn.test(name)) {
                    return;
                }
            }
        };
    }
}
