package dev.offsetd.server.web;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Part of a file as the body of a response. Reads by position, because other clients read the file at the same time. */
public final class FileInput extends InputStream {

    private static final int STEP_BYTES = 1 << 16;

    private final FileChannel file;
    private final long end;
    private long at;

    public FileInput(FileChannel file, long from, long length) {
        this.file = file;
        this.at = from;
        this.end = from + length;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    // Yielding is for carriers, not for a scheduling that the result depends on.
    @SuppressWarnings("ThreadPriorityCheck")
    @Override
    public int read(byte[] into, int offset, int count) throws IOException {
        if (at == end) {
            return -1;
        }
        int wanted = (int) Math.min(Math.min(count, STEP_BYTES), end - at);
        int read = file.read(ByteBuffer.wrap(into, offset, wanted), at);
        if (read < 0) {
            // The file of a local folder was truncated. The client misses the rest.
            throw new IOException("the file ends " + (end - at) + " bytes early");
        }
        at += read;
        // A fast client never lets this thread wait, and a virtual thread that does not leaves its carrier to no other.
        Thread.yield();
        return read;
    }
}
