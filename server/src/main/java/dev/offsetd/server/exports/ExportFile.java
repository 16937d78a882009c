package dev.offsetd.server.exports;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A rendered export, open for one reader. It stays readable when it is evicted meanwhile.
 *
 * @param etag strong validator of its bytes, in quotes
 * @param omitted types and symbols that the format cannot express
 */
record ExportFile(FileChannel channel, String etag, long length, long omitted) implements AutoCloseable {

    private static final int STEP_BYTES = 1 << 16;

    /** Writes a range of the bytes. */
    // Yielding is for carriers, not for a scheduling that the result depends on.
    @SuppressWarnings("ThreadPriorityCheck")
    void writeTo(OutputStream out, long from, long count) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(STEP_BYTES, count));
        for (long at = from; at < from + count; at += buffer.limit()) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), from + count - at));
            while (buffer.hasRemaining()) {
                if (channel.read(buffer, at + buffer.position()) < 0) {
                    throw new IOException("the file ends at byte " + (at + buffer.position()) + " of " + length);
                }
            }
            out.write(buffer.array(), 0, buffer.limit());
            // A fast client never lets this thread wait, and a virtual thread that does not leaves its carrier to no
            // other.
            Thread.yield();
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
