package dev.offsetd.extractor.corpus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ExpectedDefinition;
import dev.offsetd.extractor.testkit.ExpectedDefinition.ExpectedMember;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ComparisonTests {

    private static ExpectedDefinition definition(long dieOffset, long size) {
        ExpectedMember member = new ExpectedMember("m", false, 0L, null, size, null);
        return new ExpectedDefinition(".debug_info", dieOffset, "a.c", "struct", "s", size, List.of(member), List.of());
    }

    private static Comparison.Result compare(List<ExpectedDefinition> ours, List<ExpectedDefinition> theirs) {
        Comparison comparison = new Comparison(theirs.iterator());
        ours.forEach(comparison::add);
        return comparison.finish();
    }

    @Test
    void equalDefinitionsAreCountedWithTheirMembers() {
        List<ExpectedDefinition> both = List.of(definition(1, 4), definition(9, 8));
        Comparison.Result result = compare(both, both);
        assertThat(result.definitions()).isEqualTo(2);
        assertThat(result.parts()).isEqualTo(2);
        assertThat(result.differenceCount()).isZero();
    }

    @Test
    void definitionThatOneSideLacksIsADifference() {
        Comparison.Result result =
                compare(List.of(definition(1, 4), definition(5, 4)), List.of(definition(5, 4), definition(7, 4)));
        assertThat(result.definitions()).isEqualTo(3);
        assertThat(result.differences())
                .containsExactly(
                        new Comparison.Difference(definition(1, 4), null),
                        new Comparison.Difference(null, definition(7, 4)));
    }

    @Test
    void differenceShowsOnlyWhatIsNotTheSame() {
        Comparison.Result result = compare(List.of(definition(26, 4)), List.of(definition(26, 8)));
        assertThat(result.differenceCount()).isEqualTo(1);
        assertThat(result.differences().getFirst().toString())
                .startsWith("  .debug_info+0x1a struct s in a.c\n    ours   4\n    theirs 8\n")
                .doesNotContain("nothing");
    }

    @Test
    void allDifferencesAreCountedAndTheFirstKept() {
        List<ExpectedDefinition> ours = Stream.iterate(1L, at -> at + 1)
                .limit(500)
                .map(at -> definition(at, 4))
                .toList();
        Comparison.Result result = compare(ours, List.of());
        assertThat(result.differenceCount()).isEqualTo(500);
        assertThat(result.differences()).hasSize(100);
    }

    @Test
    void definitionsOfTheReaderOutOfOrderAreRefused() {
        Comparison comparison = new Comparison(List.<ExpectedDefinition>of().iterator());
        comparison.add(definition(9, 4));
        assertThatThrownBy(() -> comparison.add(definition(5, 4))).hasMessageContaining("not in order");
    }
}
