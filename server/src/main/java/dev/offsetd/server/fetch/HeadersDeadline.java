package dev.offsetd.server.fetch;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import okhttp3.Interceptor;
import okhttp3.Response;
import okio.AsyncTimeout;
import org.jspecify.annotations.Nullable;

/**
 * Ends a call whose response headers are not complete in time, counted from before the connection is made. OkHttp's read
 * timeout starts anew with every byte, so a server that sends its headers one byte at a time would never run into it.
 */
final class HeadersDeadline implements Interceptor {

    private final Duration limit;

    HeadersDeadline(Duration limit) {
        this.limit = limit;
    }

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
    static final class HeadersTimeoutException extends IOException {

        private final String detail;

        HeadersTimeoutException(Duration limit, @Nullable IOException cause) {
            super(cause);
            this.detail = "no response headers within " + limit.toMillis() + " ms";
        }

        /** What to say in {@link FetchOutcome#timedOut}. */
        String detail() {
            return detail;
        }
    }
}
