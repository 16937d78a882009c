package dev.offsetd.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteProgressTests {

    @Test
    void shortWorkShowsNoProgress() {
        StringWriter err;
        long began;
        do {
            err = new StringWriter();
            Console console = new Console(new StringWriter(), new PrintWriter(err), true);
            began = System.nanoTime();
            new ByteProgress(console, "reading").update(1, 2);
            // Repeats what a busy machine has made long.
        } while (System.nanoTime() - began >= TimeUnit.SECONDS.toNanos(1));

        assertThat(err.toString()).isEmpty();
    }

    @Test
    void workOfMoreThanASecondShowsPercentBytesAndAnEstimate() throws InterruptedException {
        StringWriter err = new StringWriter();
        ByteProgress progress =
                new ByteProgress(new Console(new StringWriter(), new PrintWriter(err), true), "reading");

        Thread.sleep(1_010);
        progress.update(5 << 20, 20 << 20);

        assertThat(err.toString()).matches("\r\033\\[Kreading: 25%, 5\\.0 MiB of 20\\.0 MiB, \\d+ s left");
    }

    @ParameterizedTest
    @CsvSource({"1,4,', 3 s left'", "1,1000,', 16 min left'", "0,4,''", "4,4,''"})
    void restTakesAsLongPerByteAsBefore(long bytes, long total, String text) {
        assertThat(ByteProgress.estimate(bytes, total, 1_000_000_000)).isEqualTo(text);
    }
}
