package dev.offsetd.packages.repositories;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Files by URL, as a web server publishes them, and the requests for them. A redirect to another host is refused. */
public final class PublishedFiles implements Web {

    private final Map<String, Published> files = new TreeMap<>();
    private final Map<String, String> challenges = new TreeMap<>();
    private final List<Request> requests = new ArrayList<>();
    private boolean redirectsPermitted;

    @SuppressWarnings("ArrayRecordComponent")
    private record Published(int status, Map<String, String> headers, byte[] bytes) implements Response {

        @Override
        public Optional<String> header(String name) {
            return Optional.ofNullable(headers.get(name));
        }

        @Override
        public InputStream body() {
            return new ByteArrayInputStream(bytes);
        }

        @Override
        public void close() {}
    }

    public PublishedFiles put(String url, byte[] body) {
        files.put(url, new Published(200, Map.of(), body));
        return this;
    }

    public PublishedFiles put(String url, String body) {
        return put(url, body.getBytes(StandardCharsets.UTF_8));
    }

    public PublishedFiles putStatus(String url, int status, Map<String, String> headers) {
        files.put(url, new Published(status, headers, new byte[0]));
        return this;
    }

    public PublishedFiles putWithHeaders(String url, Map<String, String> headers, String body) {
        files.put(url, new Published(200, headers, body.getBytes(StandardCharsets.UTF_8)));
        return this;
    }

    /** Answers requests without an {@code Authorization} with 401 and this challenge. */
    public PublishedFiles protect(String url, String challenge) {
        challenges.put(url, challenge);
        return this;
    }

    /** Permits requests whose URL another host chose, as to a public address. */
    public PublishedFiles permitRedirects() {
        redirectsPermitted = true;
        return this;
    }

    public List<Request> requests() {
        return List.copyOf(requests);
    }

    public List<String> urls() {
        return requests.stream().map(request -> request.uri().toString()).toList();
    }

    @Override
    public Response get(Request request) throws IOException {
        requests.add(request);
        if (request.redirected() && !redirectsPermitted) {
            throw new IOException(request.uri().getHost() + " is not a public address");
        }
        URI uri = request.uri();
        String challenge = challenges.get(uri.toString());
        if (challenge != null && !request.headers().containsKey("Authorization")) {
            return new Published(401, Map.of("WWW-Authenticate", challenge), new byte[0]);
        }
        return files.getOrDefault(uri.toString(), new Published(404, Map.of(), new byte[0]));
    }
}
