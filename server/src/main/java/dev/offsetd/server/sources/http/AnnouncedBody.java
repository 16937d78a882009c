package dev.offsetd.server.sources.http;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import java.util.Locale;
import java.util.Optional;
import okhttp3.Headers;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Size and content coding of a body, as its response headers announce them.
 *
 * @param contentLength bytes of the body as transferred; -1 if unknown
 * @param fileBytes bytes of the decompressed body; -1 if unknown
 */
public record AnnouncedBody(boolean gzip, long contentLength, long fileBytes) {

    private static final long UNKNOWN = -1;

    /** Set by debuginfod: the decompressed size, whatever proxies do to the body. */
    private static final String SIZE_HEADER = "X-DEBUGINFOD-SIZE";

    private static final Pattern SIZE = Pattern.compile("[0-9]{1,18}");

    /**
     * Reads the headers.
     *
     * @throws BadResponseException if a size is not a number, or the content coding is neither gzip nor identity
     */
    public static AnnouncedBody of(Response response) throws BadResponseException {
        return new AnnouncedBody(
                isGzip(response.headers()), response.body().contentLength(), fileBytes(response.headers()));
    }

    private static boolean isGzip(Headers headers) throws BadResponseException {
        String coding = headers.get("Content-Encoding");
        if (coding == null) {
            return false;
        }
        return switch (coding.toLowerCase(Locale.ROOT)) {
            case "identity" -> false;
            case "gzip", "x-gzip" -> true;
            default ->
                throw new BadResponseException(
                        "Content-Encoding is " + HostileText.quote(coding) + "; expected gzip or none");
        };
    }

    private static long fileBytes(Headers headers) throws BadResponseException {
        String size = headers.get(SIZE_HEADER);
        if (size == null) {
            return UNKNOWN;
        }
        if (!SIZE.matcher(size).matches()) {
            throw new BadResponseException(
                    SIZE_HEADER + " is " + HostileText.quote(size) + "; expected a number of bytes");
        }
        return Long.parseLong(size);
    }

    /** Returns the size of the file, if either header tells it. */
    public @Nullable Long size() {
        if (fileBytes != UNKNOWN) {
            return fileBytes;
        }
        return gzip || contentLength == UNKNOWN ? null : contentLength;
    }

    /** Returns the header that announces a larger file than allowed, with its value; empty if none does. */
    public Optional<String> excess(long maxFileBytes) {
        if (fileBytes > maxFileBytes) {
            return Optional.of(SIZE_HEADER + " is " + fileBytes);
        }
        return gzip || contentLength <= maxFileBytes
                ? Optional.empty()
                : Optional.of("Content-Length is " + contentLength);
    }

    /**
     * Returns what is wrong with the size of the received body; empty if nothing is.
     *
     * @param wireBytes bytes received, before decompression
     * @param received bytes received, after decompression
     */
    public Optional<String> mismatch(long wireBytes, long received) {
        if (contentLength != UNKNOWN && wireBytes != contentLength) {
            return Optional.of("body of " + wireBytes + " bytes; Content-Length is " + contentLength);
        }
        if (fileBytes != UNKNOWN && received != fileBytes) {
            return Optional.of("body of " + received + " bytes; " + SIZE_HEADER + " is " + fileBytes);
        }
        return Optional.empty();
    }
}
