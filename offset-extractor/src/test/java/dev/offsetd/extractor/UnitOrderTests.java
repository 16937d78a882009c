package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

class UnitOrderTests {

    private final List<String> joined = new ArrayList<>();
    private final UnitOrder<String> order = new UnitOrder<>(joined::add);

    private static MalformedInputException fault(int number) {
        return new MalformedInputException(".debug_info", number, "unit " + number);
    }

    @Test
    void resultsAreJoinedInTheOrderOfTheirNumbers() throws ExtractionException {
        assertThat(List.of(order.take(), order.take(), order.take())).containsExactly(0, 1, 2);
        order.join(2, "c");
        assertThat(joined).isEmpty();
        order.join(0, "a");
        order.join(1, "b");
        assertThat(joined).containsExactly("a", "b", "c");
        order.requireNoFailure();
    }

    @Test
    void errorOfTheLowestNumberWinsAndNoHigherNumberIsTaken() {
        int first = order.take();
        int second = order.take();
        order.fail(second, fault(second));
        order.fail(first, fault(first));
        assertThat(order.take()).isEqualTo(UnitOrder.NONE);
        assertThatThrownBy(order::requireNoFailure).hasMessageContaining("unit 0");
    }

    @Test
    void interruptedThreadTakesNoNumberAndEndsWithAnError() {
        Thread.currentThread().interrupt();
        assertThat(order.take()).isEqualTo(UnitOrder.NONE);
        assertThatThrownBy(order::requireNoFailure).isInstanceOf(CancellationException.class);
        assertThat(Thread.interrupted()).isTrue();
    }
}
