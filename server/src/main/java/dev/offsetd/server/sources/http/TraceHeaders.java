package dev.offsetd.server.sources.http;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.RequestReplySenderContext;
import java.io.IOException;
import java.util.Objects;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;

/** Starts a span for each request to an upstream, and sends its id in {@code traceparent}. */
public record TraceHeaders(ObservationRegistry observations) implements Interceptor {

    /** Name of the span, which has no meter. */
    private static final String NAME = "offsetd.upstream.request";

    @Override
    public Response intercept(Chain chain) throws IOException {
        RequestReplySenderContext<Request.Builder, Response> context = new RequestReplySenderContext<>(
                (request, name, value) -> Objects.requireNonNull(request).header(name, value));
        context.setCarrier(chain.request().newBuilder());
        Observation span = Observation.createNotStarted(NAME, () -> context, observations)
                .contextualName("debuginfod " + chain.request().method())
                .highCardinalityKeyValue("server.address", chain.request().url().host())
                .start();
        try (Observation.Scope _ = span.openScope()) {
            Response response =
                    chain.proceed(Objects.requireNonNull(context.getCarrier()).build());
            span.highCardinalityKeyValue("http.response.status_code", Integer.toString(response.code()));
            return response;
        } catch (IOException e) {
            span.error(e);
            throw e;
        } finally {
            span.stop();
        }
    }
}
