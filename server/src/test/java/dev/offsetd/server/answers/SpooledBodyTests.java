package dev.offsetd.server.answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.web.ETag;
import dev.offsetd.server.web.ProblemException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A body is the same bytes wherever it is. */
class SpooledBodyTests {

    private static final int MOST = SpooledBody.MOST_IN_MEMORY;

    /** Length of a body that is in memory. */
    private static final int SIZE = Math.min(MOST, 100_000);

    private static final int SMALL = 1_000;

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

    @Test
    void bodiesThatAreHeldShareAnEighthOfTheHeapAndOthersAreMovedToFiles() throws IOException {
        byte[] expected = new byte[SIZE];
        try (HeldBodies held = new HeldBodies()) {
            assertThat(held.bytes()).isLessThanOrEqualTo(SpooledBody.MOST_HELD);

            SpooledBody sent = HeldBodies.body(SIZE);
            ByteArrayOutputStream written = new ByteArrayOutputStream();
            sent.writeTo(written);
            assertThat(sent.isInMemory()).isFalse();
            assertThat(sent.etag()).isEqualTo(ETag.of(expected));
            assertThat(written.toByteArray()).isEqualTo(expected);
            assertThat(sent.read().readAllBytes()).isEqualTo(expected);

            SpooledBody small = HeldBodies.body(SMALL);
            assertThatThrownBy(small::hold).isInstanceOfSatisfying(ProblemException.class, e -> {
                assertThat(e.problem().status().value()).isEqualTo(503);
                assertThat(e.problem().detail()).contains(Long.toString(SpooledBody.MOST_HELD));
            });
        }
        SpooledBody sent = HeldBodies.body(SIZE);
        sent.writeTo(OutputStream.nullOutputStream());
        assertThat(sent.isInMemory()).isTrue();
    }

    @Test
    void bodyCountsOnceWhileSeveralClientsReceiveIt() throws IOException {
        SpooledBody body = HeldBodies.body(SIZE);
        AtomicLong most = new AtomicLong();
        long before = SpooledBody.heldBytes();
        body.writeTo(new OutputStream() {
            @Override
            public void write(int value) {
                throw new AssertionError("bytes are written in arrays");
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                most.accumulateAndGet(SpooledBody.heldBytes() - before, Math::max);
                body.writeTo(OutputStream.nullOutputStream());
            }
        });

        assertThat(most).hasValue(SIZE);
        assertThat(SpooledBody.heldBytes()).isEqualTo(before);
    }
}
