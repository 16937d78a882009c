package dev.offsetd.server.web;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/** Body of a response whose file or memory is held until the client has received it. Fails if the client is too slow. */
public final class PacedOutput extends FilterOutputStream {

    private static final Duration ALLOWANCE = Duration.ofSeconds(30);

    /** Bytes of one write, so that the rate is known before a large one ends. */
    private static final int STEP_BYTES = 8 << 10;

    private final Pace pace;

    public PacedOutput(OutputStream out) {
        this(out, new Pace(Pace.BYTES_PER_SECOND, ALLOWANCE));
    }

    PacedOutput(OutputStream out, Pace pace) {
        super(out);
        this.pace = pace;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        for (int done = 0; done < length; done += STEP_BYTES) {
            int step = Math.min(STEP_BYTES, length - done);
            long start = System.nanoTime();
            out.write(bytes, from + done, step);
            if (!pace.keeps(step, System.nanoTime() - start)) {
                throw new IOException("the client receives less than " + pace);
            }
        }
    }
}
