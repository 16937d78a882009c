package dev.offsetd.server.answers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.web.ETag;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A body is the same bytes wherever it is. */
class SpooledBodyTests {

    private static final int MOST = SpooledBody.MOST_IN_MEMORY;

    @ParameterizedTest
    @CsvSource({
        "0, 1",
        "5000, 1",
        "5000, 300",
        "65536, 300",
        "65537, 70000",
        "100000, 40000",
        "2097152, 1000",
        "2097153, 1000",
        "5000000, 7777",
        "5000000, 2000000"
    })
    @ChecklistRow(2)
    void bytesAndTheirValidatorAreThoseThatWereWritten(int size, int step) throws IOException {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        SpooledBody body = SpooledBody.of(out -> {
            for (int at = 0; at < size; at += step) {
                out.write(bytes, at, Math.min(step, size - at));
            }
        });

        assertThat(body.isInMemory()).isEqualTo(size <= MOST);
        assertThat(body.length()).isEqualTo(size);
        assertThat(body.etag()).isEqualTo(ETag.of(bytes));
        for (int reading = 0; reading < 2; reading++) {
            assertThat(body.read().readAllBytes()).isEqualTo(bytes);
            ByteArrayOutputStream written = new ByteArrayOutputStream();
            body.writeTo(written);
            assertThat(written.toByteArray()).isEqualTo(bytes);
        }
    }
}
