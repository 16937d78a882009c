package dev.offsetd.server.exports;

import dev.offsetd.server.web.FileInput;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;

/**
 * A rendered export, open for one reader. It stays readable when it is evicted meanwhile.
 *
 * @param etag strong validator of its bytes, in quotes
 * @param omitted types and symbols that the format cannot express
 */
record ExportFile(FileChannel channel, String etag, long length, long omitted) implements AutoCloseable {

    void writeTo(OutputStream out, long from, long count) throws IOException {
        new FileInput(channel, from, count).transferTo(out);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
