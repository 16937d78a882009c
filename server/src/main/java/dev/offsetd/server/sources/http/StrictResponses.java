package dev.offsetd.server.sources.http;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import java.io.IOException;
import java.net.ProtocolException;
import java.util.List;
import java.util.Objects;
import okhttp3.Interceptor;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.ForwardingSource;
import okio.Okio;

/**
 * Checks of each response that OkHttp omits: numbers in headers, which it parses without validation, and the bytes between two
 * parts of the body. A network interceptor, because it must run once for each exchange.
 */
final class StrictResponses implements Interceptor {

    private static final String CONTENT_LENGTH = "Content-Length";

    /** RFC 9110 section 8.6. */
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");

    private final BoundedSockets connections;

    StrictResponses(BoundedSockets connections) {
        this.connections = connections;
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        Framing framing =
                connections.framing(Objects.requireNonNull(chain.connection()).socket());
        framing.reset();
        Response response = chain.proceed(chain.request());
        // The body is not closed: closing a body of negative length throws. After the exception, OkHttp drops the
        // connection.
        requireLength(response.headers(CONTENT_LENGTH));
        ResponseBody body = response.body();
        ForwardingSource counted = new ForwardingSource(body.source()) {
            @Override
            public long read(Buffer sink, long byteCount) throws IOException {
                long read = super.read(sink, byteCount);
                if (read > 0) {
                    framing.reset();
                }
                return read;
            }
        };
        return RetryAfter.shortened(response)
                .newBuilder()
                .body(ResponseBody.create(Okio.buffer(counted), body.contentType(), body.contentLength()))
                .build();
    }

    /** Requires one valid length: otherwise the end of the body is undefined (RFC 9112 section 6.3). */
    private static void requireLength(List<String> lengths) throws ProtocolException {
        for (String length : lengths) {
            if (!LENGTH.matcher(length).matches() || !length.equals(lengths.getFirst())) {
                throw new ProtocolException(CONTENT_LENGTH + " is " + HostileText.quote(String.join(", ", lengths))
                        + "; expected one number of bytes");
            }
        }
    }
}
