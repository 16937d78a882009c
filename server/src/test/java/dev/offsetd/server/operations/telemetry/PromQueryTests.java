package dev.offsetd.server.operations.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.server.operations.telemetry.PromQuery.Condition;
import dev.offsetd.server.operations.telemetry.PromQuery.Selector;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PromQueryTests {

    private static List<String> meters(String query) {
        return PromQuery.of(query).selectors().stream().map(Selector::meter).toList();
    }

    @Test
    void functionsOperatorsNumbersAndDurationsAreNotMeters() {
        assertThat(
                        meters(
                                "histogram_quantile(0.99, sum by (le) (rate(a_bucket[5m] offset 1h))) > bool 14.4e3 or vector(0)"))
                .containsExactly("a_bucket");
        assertThat(meters("sum(a) without (x) / on (y) group_left (z) sum by (y) (b) and c unless d"))
                .containsExactly("a", "b", "c", "d");
        assertThat(meters("job:errors:ratio5m # by_hand{x=\"y\"}\n * -1")).containsExactly("job:errors:ratio5m");
    }

    @Test
    void conditionsAreReadWithTheirOperators() {
        assertThat(PromQuery.of("a{x=\"1, }\", y=~'b|c', z!=\"\",} + b{}").selectors())
                .containsExactly(
                        new Selector(
                                "a",
                                List.of(
                                        new Condition("x", "=", "1, }"),
                                        new Condition("y", "=~", "b|c"),
                                        new Condition("z", "!=", ""))),
                        new Selector("b", List.of()));
    }

    @Test
    void groupingLabelsAreCollected() {
        assertThat(PromQuery.of("sum by (a, b) (m) / on (c) group_right (d) n").grouping())
                .containsExactlyInAnyOrder("a", "b", "c", "d");
    }

    @Test
    void selectorHoldsOnlyForLabelsThatAreSo() {
        Selector selector = PromQuery.of("m{a=\"1\", b=~\"5..\", c!=\"x\", d!~\"y.*\"}")
                .selectors()
                .getFirst();
        assertThat(selector.selects(Map.of("a", "1", "b", "503"))).isTrue();
        assertThat(selector.selects(Map.of("a", "2", "b", "503"))).isFalse();
        assertThat(selector.selects(Map.of("a", "1", "b", "1503"))).isFalse();
        assertThat(selector.selects(Map.of("a", "1", "b", "503", "c", "x"))).isFalse();
        assertThat(selector.selects(Map.of("a", "1", "b", "503", "d", "yes"))).isFalse();
    }

    @Test
    void malformedQueryIsRefused() {
        assertThatThrownBy(() -> PromQuery.of("a ? b")).hasMessageStartingWith("no token at 2");
        assertThatThrownBy(() -> PromQuery.of("sum({job=\"a\"})")).hasMessageStartingWith("labels without the name");
    }
}
