package dev.offsetd.server.answers.offsets;

import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;
import okio.ByteString;

/** Proxy in front of a server: records requests and statuses, and answers in place of the server if a test wants that. */
final class ServerProxy implements AutoCloseable {

    private final MockWebServer proxy = new MockWebServer();
    private final Queue<MockResponse> instead = new ConcurrentLinkedQueue<>();
    private final Queue<Integer> statuses = new ConcurrentLinkedQueue<>();
    private volatile boolean away;

    ServerProxy(TestServer server) throws IOException {
        proxy.setDispatcher(new Dispatcher() {
            @Override
            public MockResponse dispatch(RecordedRequest request) {
                if (away) {
                    return new MockResponse.Builder()
                            .onResponseStart(new SocketEffect.CloseSocket())
                            .build();
                }
                MockResponse other = instead.poll();
                MockResponse response = other != null ? other : forwarded(server, request);
                statuses.add(response.getCode());
                return response;
            }
        });
        proxy.start();
    }

    private static MockResponse forwarded(TestServer server, RecordedRequest request) {
        List<String> headers = new ArrayList<>();
        for (String name : List.of("If-None-Match", "Prefer", "Accept", "Authorization", "Content-Type")) {
            String value = request.getHeaders().get(name);
            if (value != null) {
                headers.addAll(List.of(name, value));
            }
        }
        ByteString body = request.getBody();
        HttpResponse<String> response = server.send(
                request.getMethod(),
                request.getTarget(),
                body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body.toByteArray()),
                headers.toArray(String[]::new));
        MockResponse.Builder builder =
                new MockResponse.Builder().code(response.statusCode()).body(response.body());
        for (String name : List.of("ETag", "Retry-After")) {
            response.headers().firstValue(name).ifPresent(value -> builder.setHeader(name, value));
        }
        return builder.build();
    }

    String url() {
        return "http://127.0.0.1:" + proxy.getPort();
    }

    /** Answers the next request in place of the server. */
    void answer(MockResponse response) {
        instead.add(response);
    }

    /** Closes connections from now on. */
    void goAway() {
        away = true;
    }

    Queue<Integer> statuses() {
        return statuses;
    }

    /** Returns the oldest request that was not taken yet. */
    RecordedRequest takeRequest() throws InterruptedException {
        return proxy.takeRequest();
    }

    @Override
    public void close() {
        proxy.close();
    }
}
