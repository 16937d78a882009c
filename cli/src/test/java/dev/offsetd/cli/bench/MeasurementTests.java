package dev.offsetd.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class MeasurementTests {

    @Test
    void medianOfAnOddNumberIsTheRunInTheMiddle() {
        Measurement measurement = Measurement.of("x", new long[] {9_000_000, 1_000_000, 2_000_000}, 4_000_000, 5, 6);

        assertThat(measurement).isEqualTo(new Measurement("x", 3, 1.0, 2.0, 9.0, OptionalDouble.of(2000.0), 5, 6));
    }

    @Test
    void medianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle() {
        Measurement measurement =
                Measurement.of("x", new long[] {4_000_000, 1_000_000, 100_000_000, 2_000_000}, 3_000_000, 5, 6);

        assertThat(measurement.medianMillis()).isEqualTo(3.0);
        assertThat(measurement.megabytesPerSecond()).hasValue(1000.0);
    }

    @Test
    void whatStopsBeforeTheEndHasNoRate() {
        Measurement measurement = Measurement.of("x", new long[] {4_000_000}, Measurement.NOT_READ_WHOLE, 5, 6);

        assertThat(measurement.megabytesPerSecond()).isEmpty();
    }
}
