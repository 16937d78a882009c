package dev.offsetd.server.fetch;

import dev.offsetd.extractor.input.HostileText;
import java.io.IOException;
import java.net.ProtocolException;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import okhttp3.Interceptor;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.ForwardingSource;
import okio.Okio;

/**
 * Reads of each response what OkHttp believes unseen: numbers in headers that it parses without a check, and how much
 * comes between two parts of the body. For a network interceptor, which runs once for each exchange.
 */
final class StrictResponses implements Interceptor {

    private static final String CONTENT_LENGTH = "Content-Length";

    /** RFC 9110 section 8.6. */
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");

    private final BoundedTlsFactory connections;

    StrictResponses(BoundedTlsFactory connections) {
        this.connections = connections;
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        Framing framing =
                connections.framing(Objects.requireNonNull(chain.connection()).socket());
        framing.reset();
        Response response = chain.proceed(chain.request());
        // The body stays open: closing one of negative length throws. OkHttp drops the connection after the exception.
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

    /** RFC 9112 section 6.3: nothing tells where a body with another length would end. */
    private static void requireLength(List<String> lengths) throws ProtocolException {
        for (String length : lengths) {
            if (!LENGTH.matcher(length).matches() || !length.equals(lengths.getFirst())) {
                throw new ProtocolException(CONTENT_LENGTH + " is " + HostileText.quote(String.join(", ", lengths))
                        + "; expected one number of bytes");
            }
        }
    }
}
