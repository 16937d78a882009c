package dev.offsetd.server.sources.http;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import okhttp3.Interceptor;
import okhttp3.Response;
import okio.AsyncTimeout;
import org.jspecify.annotations.Nullable;

/**
 * Cancels a call whose response headers are not complete in time, connecting included. OkHttp's read timeout restarts with every
 * byte, so a server that sends its headers byte by byte would never reach it.
 */
public record HeadersDeadline(Duration limit) implements Interceptor {

    @Override
    public Response intercept(Chain chain) throws IOException {
        AsyncTimeout watch = new AsyncTimeout() {
            @Override
            protected void timedOut() {
                chain.call().cancel();
            }
        };
        watch.timeout(limit.toNanos(), TimeUnit.NANOSECONDS);
        Response response;
        watch.enter();
        try {
            response = chain.proceed(chain.request());
        } catch (IOException e) {
            throw watch.exit() ? new HeadersTimeoutException(limit, e) : e;
        } catch (RuntimeException e) {
            watch.exit();
            throw e;
        }
        if (watch.exit()) {
            response.close();
            throw new HeadersTimeoutException(limit, null);
        }
        return response;
    }

    /** No complete response headers within the limit. */
    public static final class HeadersTimeoutException extends IOException {

        HeadersTimeoutException(Duration limit, @Nullable IOException cause) {
            super("no response headers within " + limit.toMillis() + " ms", cause);
        }
    }
}
