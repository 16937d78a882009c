package dev.offsetd.cli.packages;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A stream that counts what is read of it, and asks somebody about each count. */
final class MeteredInput extends FilterInputStream {

    private final Meter meter;
    private long count;

    MeteredInput(InputStream in, Meter meter) {
        super(in);
        this.meter = meter;
    }

    /** Told of what was read. */
    @FunctionalInterface
    interface Meter {

        /**
         * Returns if the reading may go on.
         *
         * @param bytes read just now
         * @param total read so far
         */
        void read(int bytes, long total) throws IOException;
    }

    /** Bytes read so far. */
    long count() {
        return count;
    }

    @Override
    public int read() throws IOException {
        int value = super.read();
        if (value >= 0) {
            add(1);
        }
        return value;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int got = super.read(target, offset, length);
        if (got > 0) {
            add(got);
        }
        return got;
    }

    @Override
    public long skip(long bytes) throws IOException {
        // Read, so that it counts; what is skipped of a compressed stream is decompressed all the same.
        byte[] scratch = new byte[Math.clamp(bytes, 0, 1 << 13)];
        long left = bytes;
        while (left > 0) {
            int got = read(scratch, 0, (int) Math.min(left, scratch.length));
            if (got < 0) {
                break;
            }
            left -= got;
        }
        return bytes - Math.max(left, 0);
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    /** Does nothing: the stream is a part of another, and is closed by whoever opened that. */
    @Override
    public void close() {}

    private void add(int bytes) throws IOException {
        count += bytes;
        meter.read(bytes, count);
    }
}
