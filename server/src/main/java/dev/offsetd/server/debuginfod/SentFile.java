package dev.offsetd.server.debuginfod;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.sources.FileHeaders;
import dev.offsetd.server.web.PacedOutput;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ETag;
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

    /** One range. A server may ignore the header, and sends everything to clients that ask for several ranges. */
    private static final Pattern RANGE = Pattern.compile("bytes=(?:([0-9]{1,18})-([0-9]{0,18})|-([0-9]{1,18}))");

    private record Range(long first, long length) {}

    /** Sends the response and returns the number of bytes of its body. */
    long send(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean unchanged = matches(request.getHeaders(HttpHeaders.IF_NONE_MATCH));
        Optional<Range> wanted = unchanged ? Optional.empty() : range(request);
        if (wanted.isPresent() && wanted.get().length() <= 0) {
            throw new ProblemException(DebuginfodProblems.outside(bytes));
        }
        response.setHeader(HttpHeaders.ETAG, etag);
        response.setHeader(HttpHeaders.CACHE_CONTROL, cacheControl);
        response.setHeader(HttpHeaders.ACCEPT_RANGES, "bytes");
        if (unchanged) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
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
        Range sent = wanted.orElse(new Range(0, bytes));
        if (wanted.isPresent()) {
            response.setStatus(HttpServletResponse.SC_PARTIAL_CONTENT);
            response.setHeader(
                    HttpHeaders.CONTENT_RANGE,
                    "bytes " + sent.first() + "-" + (sent.first() + sent.length() - 1) + "/" + bytes);
        }
        response.setContentLengthLong(sent.length());
        if (HttpMethod.HEAD.matches(request.getMethod())) {
            return 0;
        }
        copy(offset + sent.first(), sent.length(), new PacedOutput(response.getOutputStream()));
        return sent.length();
    }

    private static void set(HttpServletResponse response, String name, @Nullable String value) {
        if (value != null) {
            response.setHeader(name, value);
        }
    }

    private boolean matches(java.util.Enumeration<String> headers) {
        return Collections.list(headers).stream()
                .flatMap(header -> ETag.parse(header).stream())
                .anyMatch(tag -> tag.isWildcard() || etag.equals('"' + tag.tag() + '"'));
    }

    /** Returns the requested range; empty for the whole. A range without bytes cannot be satisfied. */
    private Optional<Range> range(HttpServletRequest request) {
        List<String> headers = Collections.list(request.getHeaders(HttpHeaders.RANGE));
        String condition = request.getHeader(HttpHeaders.IF_RANGE);
        if (headers.size() != 1
                || !HttpMethod.GET.matches(request.getMethod())
                || (condition != null && !condition.equals(etag))) {
            return Optional.empty();
        }
        Matcher matcher =
                RANGE.matcher(Objects.requireNonNull(headers.getFirst()).strip());
        if (!matcher.matches()) {
            return Optional.empty();
        }
        if (matcher.group(3) != null) {
            long last = Math.min(bytes, Long.parseLong(matcher.group(3)));
            return Optional.of(new Range(bytes - last, last));
        }
        long first = Long.parseLong(matcher.group(1));
        long last = matcher.group(2).isEmpty() ? bytes - 1 : Long.parseLong(matcher.group(2));
        if (last < first && !matcher.group(2).isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Range(first, Math.min(last, bytes - 1) - first + 1));
    }

    private void copy(long from, long length, OutputStream out) throws IOException {
        try (FileChannel channel = FileChannel.open(file.path(), StandardOpenOption.READ)) {
            var target = Channels.newChannel(out);
            long done = 0;
            while (done < length) {
                long copied = channel.transferTo(from + done, length - done, target);
                if (copied <= 0) {
                    // The end of a file in a local folder that was truncated. The client misses the rest.
                    throw new IOException(file.path() + " ends " + (length - done) + " bytes early");
                }
                done += copied;
            }
        }
    }
}
