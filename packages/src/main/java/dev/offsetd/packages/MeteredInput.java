package dev.offsetd.packages;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Stream that counts the bytes read and reports each read to a meter, which may abort it. */
final class MeteredInput extends FilterInputStream {

    private final Meter meter;
    private long count;

    MeteredInput(InputStream in, Meter meter) {
        super(in);
        this.meter = meter;
    }

    @FunctionalInterface
    interface Meter {

        /**
         * Throws to abort the read.
         *
         * @param bytes of this read
         * @param total of all reads
         */
        void read(int bytes, long total) throws IOException;
    }

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
        // Reads, so that skipped bytes count: skipping in a compressed stream decompresses it anyway.
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

    /** No-op: this is a part of another stream, whose owner closes it. */
    @Override
    public void close() {}

    private void add(int bytes) throws IOException {
        count += bytes;
        meter.read(bytes, count);
    }
}
