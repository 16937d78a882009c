package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.Fixture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadProgressTests {

    @Test
    void everyUnitReportsTheBytesBeforeIt() throws Exception {
        Path file = Fixture.named("gcc12-dwarf5-x86_64-el").folder().resolve("layout.debug");
        List<Long> bytes = new ArrayList<>();
        List<Long> totals = new ArrayList<>();

        ReadOptions options = new ReadOptions(Limits.DEFAULT, 1).withProgress((read, total) -> {
            bytes.add(read);
            totals.add(total);
        });
        ExtractionReport report = DebugInfo.read(file, options, DebugInfo::extractAll);

        assertThat(bytes).hasSize(2).startsWith(0L).isSorted().doesNotHaveDuplicates();
        assertThat(totals).containsOnly(report.debugInfoBytes());
        assertThat(bytes.getLast()).isLessThan(report.debugInfoBytes());
    }
}
