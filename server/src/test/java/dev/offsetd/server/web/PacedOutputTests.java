package dev.offsetd.server.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@ChecklistRow(42)
class PacedOutputTests {

    private static final byte[] BODY = new byte[1 << 20];

    private final Pace pace = new Pace(1_000_000, Duration.ofMillis(500));

    @Test
    void receiverBelowTheRateIsEndedInTheMiddleOfALargeWrite() throws Exception {
        PipedInputStream in = new PipedInputStream(1 << 10);
        try (PipedOutputStream pipe = new PipedOutputStream(in)) {
            Thread receiver = Thread.ofVirtual().start(() -> {
                try {
                    while (in.available() == 0) {
                        Thread.sleep(10);
                    }
                    // A second passes before the first step of the body is through, then none.
                    Thread.sleep(1000);
                    in.transferTo(OutputStream.nullOutputStream());
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            try (PacedOutput out = new PacedOutput(pipe, pace)) {
                assertThatThrownBy(() -> out.write(BODY))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("the client receives less than 1000000 bytes per second");
            }
            receiver.join();
        }
    }

    @Test
    void receiverThatKeepsTheRateGetsAll() throws IOException {
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        // With an allowance that no pause of a busy machine uses up.
        try (PacedOutput out = new PacedOutput(received)) {
            out.write(BODY);
            out.write('.');
        }
        assertThat(received.size()).isEqualTo(BODY.length + 1);
    }
}
