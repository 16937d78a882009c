package dev.offsetd.packages.repositories;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.Sha256;
import dev.offsetd.packages.CopyOutput;
import dev.offsetd.packages.repositories.RepositoryException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Requests to one repository. It follows redirects by hand, because servers choose their targets, and bounds or verifies
 * contents. If the repository asks for a token (Distribution, "Token Authentication"), it gets one, and shows it to the host of
 * the repository only.
 */
final class Http {

    private static final JsonMapper JSON = new JsonMapper();
    private static final Pattern PARAMETER = Pattern.compile("([a-z]+)=\"([^\"]*)\"");
    private static final String BEARER = "Bearer ";

    static final String IF_NONE_MATCH = "If-None-Match";
    static final int MAX_JSON_BYTES = 4 << 20;

    private static final int MAX_REDIRECTS = 3;
    private static final int BUFFER_BYTES = 1 << 16;

    private final URI base;
    private final Web web;

    /** Null until the repository asks for one. */
    private @Nullable String token;

    /** @param base URL of the repository */
    Http(URI base, Web web) {
        this.base = base;
        this.web = web;
    }

    /** A response with its contents, which are empty unless its status is 200. It is never compared. */
    @SuppressWarnings("ArrayRecordComponent")
    record Answer(
            int status,
            byte[] body,
            @Nullable String etag,
            @Nullable String link) {

        private static Answer of(Web.Response response, byte[] body) {
            return new Answer(
                    response.status(),
                    body,
                    response.header("ETag").orElse(null),
                    response.header("Link").orElse(null));
        }
    }

    /**
     * Returns a response that fits in memory, whose status is 200, or 304 to {@code If-None-Match}.
     *
     * @throws RepositoryException if it has another status, or exceeds the limit
     */
    Answer get(URI uri, Map<String, String> headers, int maxBytes) throws IOException {
        try (Web.Response response = send(uri, headers)) {
            boolean unchanged = response.status() == 304 && headers.containsKey(IF_NONE_MATCH);
            return Answer.of(response, unchanged ? new byte[0] : body(uri, response, maxBytes));
        }
    }

    private static byte[] body(URI uri, Web.Response response, int maxBytes) throws IOException {
        requireOk(uri, response);
        try (InputStream in = response.body()) {
            byte[] body = in.readNBytes(maxBytes + 1);
            if (body.length > maxBytes) {
                throw tooLarge(uri, maxBytes);
            }
            return body;
        }
    }

    /**
     * Downloads a file and verifies it.
     *
     * @param hash SHA-256 in hex
     * @throws RepositoryException if the file has another size or hash
     */
    void download(URI uri, String hash, long size, Path target) throws IOException {
        try (Web.Response response = send(uri, Map.of())) {
            requireOk(uri, response);
            MessageDigest digest = Sha256.digest();
            long bytes = 0;
            try (InputStream in = response.body();
                    OutputStream out = new CopyOutput(target)) {
                byte[] buffer = new byte[BUFFER_BYTES];
                for (int got = in.read(buffer); got >= 0; got = in.read(buffer)) {
                    bytes += got;
                    if (bytes > size) {
                        break;
                    }
                    digest.update(buffer, 0, got);
                    out.write(buffer, 0, got);
                }
            }
            if (bytes != size) {
                throw new RepositoryException(
                        Reason.HASH,
                        Web.shown(uri) + " has " + (bytes > size ? "more" : bytes) + " bytes; expected " + size);
            }
            String actual = Hash.hex(digest.digest());
            if (!actual.equals(hash)) {
                throw new RepositoryException(
                        Reason.HASH, Web.shown(uri) + " has the SHA-256 " + actual + "; expected " + hash);
            }
        }
    }

    /** Returns a response with JSON. */
    JsonNode json(URI uri, byte[] body) throws RepositoryException {
        try {
            return JSON.readTree(body);
        } catch (JacksonException e) {
            throw new RepositoryException(
                    Reason.MALFORMED, Web.shown(uri) + " is not JSON: " + HostileText.quote(e.getOriginalMessage()));
        }
    }

    private Web.Response send(URI uri, Map<String, String> headers) throws IOException {
        Web.Response response = follow(uri, headers);
        String challenge = response.header("WWW-Authenticate").orElse("");
        if (response.status() != 401 || !challenge.startsWith(BEARER)) {
            return response;
        }
        response.close();
        token = newToken(challenge);
        return follow(uri, headers);
    }

    private Web.Response follow(URI uri, Map<String, String> headers) throws IOException {
        URI target = uri;
        boolean elsewhere = !isSameHost(base, uri);
        for (int redirects = 0; ; redirects++) {
            Map<String, String> sent = new TreeMap<>(headers);
            if (token != null && !elsewhere) {
                sent.put("Authorization", BEARER + token);
            }
            Web.Response response = web.get(new Web.Request(target, sent, elsewhere, null));
            if (!isRedirect(response.status())) {
                return response;
            }
            try (response) {
                if (redirects == MAX_REDIRECTS) {
                    throw new RepositoryException(
                            Reason.REDIRECT, Web.shown(uri) + " redirects more than " + MAX_REDIRECTS + " times");
                }
                target = target(target, response.header("Location").orElse(""));
                // Stays so for the rest of the chain, which the other host chooses.
                elsewhere |= !isSameHost(base, target);
            }
        }
    }

    private String newToken(String challenge) throws IOException {
        Map<String, String> parameters = new TreeMap<>();
        Matcher matcher = PARAMETER.matcher(challenge);
        while (matcher.find()) {
            parameters.put(matcher.group(1), matcher.group(2));
        }
        String realm = parameters.getOrDefault("realm", "");
        URI service = target(
                base,
                realm + (realm.contains("?") ? "&" : "?") + "service="
                        + encoded(parameters.getOrDefault("service", "")) + "&scope="
                        + encoded(parameters.getOrDefault("scope", "")));
        Web.Request request = new Web.Request(service, Map.of(), !isSameHost(base, service), base.getHost());
        try (Web.Response response = web.get(request)) {
            JsonNode answer = json(service, body(service, response, MAX_JSON_BYTES));
            String given = answer.path("token").asString("");
            return given.isEmpty() ? answer.path("access_token").asString("") : given;
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static boolean isRedirect(int status) {
        return switch (status) {
            case 301, 302, 303, 307, 308 -> true;
            default -> false;
        };
    }

    /** Returns the URL that a server chose. */
    private static URI target(URI from, String text) throws RepositoryException {
        try {
            URI target = from.resolve(text);
            boolean permitted = "https".equalsIgnoreCase(target.getScheme())
                    || ("http".equalsIgnoreCase(target.getScheme()) && "http".equalsIgnoreCase(from.getScheme()));
            if (permitted && target.getHost() != null) {
                return target;
            }
        } catch (IllegalArgumentException notAUri) {
            // Refused below.
        }
        throw new RepositoryException(
                Reason.REDIRECT,
                Web.shown(from) + " leads to " + HostileText.quote(text) + "; expected "
                        + ("https".equalsIgnoreCase(from.getScheme()) ? "an https URL" : "an http or https URL"));
    }

    /** Returns whether both have the same scheme, host and port. */
    static boolean isSameHost(URI one, URI other) {
        return (one.getScheme() + "://" + one.getAuthority())
                .equalsIgnoreCase(other.getScheme() + "://" + other.getAuthority());
    }

    private static void requireOk(URI uri, Web.Response response) throws RepositoryException {
        if (response.status() != 200) {
            throw new RepositoryException(
                    response.status() == 429 || response.status() >= 500 ? Reason.STATUS : Reason.MISSING,
                    Web.shown(uri) + " was answered with status " + response.status()
                            + (response.status() == 401 ? ", because it requires credentials" : "") + "; expected 200");
        }
    }

    static RepositoryException tooLarge(URI uri, long maxBytes) {
        return new RepositoryException(Reason.LIMIT, Web.shown(uri) + " exceeds the limit of " + maxBytes + " bytes");
    }
}
