package dev.offsetd.extractor.checklist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RisksTests {

    @Test
    void risksAreNumberedWithoutGaps() {
        assertThat(Risks.ALL)
                .extracting(Risk::number)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, Risks.ALL.size()).boxed().toList());
    }

    @Test
    void titlesDiffer() {
        assertThat(Risks.ALL).extracting(Risk::title).doesNotHaveDuplicates();
    }
}
