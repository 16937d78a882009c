package dev.offsetd.server.debuginfod;

import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.sources.FileHeaders;
import dev.offsetd.server.web.ByteRange;
import dev.offsetd.server.web.FileInput;
import dev.offsetd.server.web.PacedOutput;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;

/**
 * A part of a file as the representation of a resource, sent whole or as one range of it (RFC 9110 section 14).
 *
 * @param offset bytes from the start of the file
 * @param etag validator, in quotes
 * @param cacheControl value of {@code Cache-Control}
 */
record SentFile(CachedFile file, long offset, long bytes, String etag, String cacheControl) {

    private static final String SIZE = "X-DEBUGINFOD-SIZE";

    /** Sends the response and returns the number of bytes of its body. */
    long send(HttpServletRequest request, HttpServletResponse response) throws IOException {
        ByteRange sent = ByteRange.begin(request, response, etag, bytes, _ -> DebuginfodProblems.outside(bytes));
        response.setHeader(HttpHeaders.CACHE_CONTROL, cacheControl);
        if (sent == null) {
            return 0;
        }
        response.setContentType(MediaType.APPLICATION_OCTET_STREAM_VALUE);
        response.setHeader(SIZE, Long.toString(bytes));
        set(response, FileHeaders.FILE, file.headers().file());
        set(response, FileHeaders.ARCHIVE, file.headers().archive());
        if (bytes == file.bytes()) {
            // Over the whole file.
            set(response, FileHeaders.IMA_SIGNATURE, file.headers().imaSignature());
        }
        response.setContentLengthLong(sent.length());
        if (HttpMethod.HEAD.matches(request.getMethod())) {
            return 0;
        }
        try (FileChannel channel = FileChannel.open(file.path(), StandardOpenOption.READ)) {
            new FileInput(channel, offset + sent.first(), sent.length())
                    .transferTo(new PacedOutput(response.getOutputStream()));
        }
        return sent.length();
    }

    private static void set(HttpServletResponse response, String name, @Nullable String value) {
        if (value != null) {
            response.setHeader(name, value);
        }
    }
}
