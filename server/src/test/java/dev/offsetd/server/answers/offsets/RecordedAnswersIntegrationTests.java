package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.testkit.Transcript;
import dev.offsetd.server.testkit.Administrator;
import dev.offsetd.server.testkit.Cbor;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Answers stay equal to those recorded in {@code src/test/resources/recorded}. */
@Timeout(300)
class RecordedAnswersIntegrationTests {

    private static final Map<String, String> FIXTURES = Map.of(
            "c", "gcc12-dwarf5-x86_64-el/layout.debug",
            "cxx", "gcc12-dwarf5-cxx-x86_64-el/cxx.debug",
            "btf", "pahole-btf-x86_64-el/layout.debug",
            "i386", "gcc12-dwarf5-i386-el/layout.debug",
            "s390x", "gcc12-dwarf5-s390x-eb/layout.debug",
            "scalars", "gcc12-dwarf5-scalars-el/scalars.debug");

    /** {@code {fixture.label}}: a separate build with the content of the fixture. */
    private static final Pattern BUILD = Pattern.compile("\\{([a-z0-9]+)\\.([a-z]+)}");

    /** Validators of answers, which contain times. */
    private static final Pattern ETAG = Pattern.compile("(\\\\\")[0-9a-f]{64}(?=\\\\\")");

    private static final Pattern RETRY_AFTER = Pattern.compile("(\"retryAfter\":)\\d+");
    private static final Pattern LOCAL_FILE = Pattern.compile("\"p1\":\\{\"origin\":\"local\"[^{}]*}");

    /** Headers of one connection or one moment, and those that all responses have. */
    private static final Set<String> NOT_COMPARED = Set.of(
            "connection",
            "content-length",
            "content-security-policy",
            "date",
            "keep-alive",
            "last-modified",
            "referrer-policy",
            "transfer-encoding",
            "x-content-type-options",
            "x-request-id");

    /** Validators and revisions depend on times and versions, and how long a problem holds does on the clock. */
    private static final Map<String, Pattern> VARYING = Map.of(
            "etag", Pattern.compile("(?<=\")[^\"]+"),
            "location", Pattern.compile("(?<=/r/)[0-9a-f]+"),
            "retry-after", Pattern.compile("\\d+"),
            "ratelimit", Pattern.compile("\\d+"));

    private static final Pattern MAX_AGE = Pattern.compile("(?<=max-age=)\\d+");

    private static final Pattern NOT_IN_URLS = Pattern.compile("[ <>\\[\\]{}|\"^`]");

    private static final String LAST_PIN = "{pin}";
    private static final String LAST_ETAG = "{etag}";

    private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z");
    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static Administrator administrator;

    /** Placeholders of builds, by build-id. */
    private final Map<String, String> builds = new HashMap<>();

    private String pin = "";
    private String etag = "";

    @BeforeAll
    static void start() throws IOException {
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"));
        administrator = Administrator.of(server, "recorder");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @TestFactory
    Stream<DynamicContainer> recordedAnswers() throws IOException {
        return Transcript.tests("recorded", this::answer);
    }

    /** Sends a request given as a method, a path, and then quoted headers or a JSON body. */
    private String answer(String command) {
        List<String> words = Transcript.words(command);
        String method = words.get(0);
        String path = escape(withBuilds(words.get(1)));
        List<String> headers = new ArrayList<>(List.of("X-Request-ID", "recorded"));
        BodyPublisher body = BodyPublishers.noBody();
        for (String word : words.subList(2, words.size())) {
            if (word.startsWith("{") || word.startsWith("[")) {
                body = BodyPublishers.ofString(withBuilds(word));
            } else {
                headers.addAll(Arrays.asList(word.replace(LAST_ETAG, etag).split(": ", 2)));
            }
        }
        String[] all = method.equals("GET")
                ? headers.toArray(String[]::new)
                : administrator.authorized(headers.toArray(String[]::new));
        if (headers.contains("application/cbor")) {
            HttpResponse<byte[]> response = server.cbor(method, path, body, all);
            return head(response) + normalized(Cbor.of(response).toString()) + "\n";
        }
        HttpResponse<String> response = server.send(method, path, body, all);
        if (response.statusCode() == 201) {
            pin = Json.of(response).path("id").asString();
        }
        response.headers().firstValue("ETag").ifPresent(tag -> etag = tag);
        if (path.startsWith("/v1/pins")) {
            server.forgetAnswers();
        }
        return head(response) + normalized(response.body());
    }

    /** Replaces text that differs between runs, and long descriptions of where a file came from. */
    private String normalized(String body) {
        String text = body.replace(folder.toString(), "<folder>");
        text = TIME.matcher(text).replaceAll("<time>");
        text = UUID.matcher(text).replaceAll("<uuid>");
        text = ETAG.matcher(text).replaceAll("$1<etag>");
        text = RETRY_AFTER.matcher(text).replaceAll("$1\"<seconds>\"");
        text = LOCAL_FILE.matcher(text).replaceAll("\"p1\":\"<local file>\"");
        for (Map.Entry<String, String> build : builds.entrySet()) {
            text = text.replace(build.getKey(), build.getValue());
        }
        return text;
    }

    private String head(HttpResponse<?> response) {
        StringBuilder head =
                new StringBuilder("HTTP ").append(response.statusCode()).append('\n');
        response.headers().map().forEach((name, values) -> {
            if (!NOT_COMPARED.contains(name)) {
                values.forEach(value -> head.append(name)
                        .append(": ")
                        .append(normalized(response.statusCode(), name, value))
                        .append('\n'));
            }
        });
        return head.append('\n').toString();
    }

    private String normalized(int status, String header, String value) {
        Pattern varying = status >= 400 && header.equals("cache-control") ? MAX_AGE : VARYING.get(header);
        return normalized(varying == null ? value : varying.matcher(value).replaceAll("<varies>"));
    }

    /** Percent-encodes the characters that a transcript leaves readable. */
    private static String escape(String path) {
        return NOT_IN_URLS
                .matcher(path)
                .replaceAll(c -> "%%%02X".formatted((int) c.group().charAt(0)));
    }

    private String withBuilds(String text) {
        return BUILD.matcher(text.replace(LAST_PIN, pin)).replaceAll(build -> buildId(build.group(1), build.group()));
    }

    /** Returns the build-id, after adding the build to the local folder on first use. */
    private String buildId(String fixture, String name) {
        byte[] id = sha1(name);
        String hex = HexFormat.of().formatHex(id);
        builds.put(hex, name);
        Path target = folder.resolve("debug/.build-id/" + hex.substring(0, 2) + "/" + hex.substring(2) + ".debug");
        if (FIXTURES.containsKey(fixture) && !Files.exists(target)) {
            try {
                Files.createDirectories(target.getParent());
                Files.write(target, withBuildId(resource("/fixtures/" + FIXTURES.get(fixture)), id));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return hex;
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(Transcript.class.getResourceAsStream(name), name)) {
            return in.readAllBytes();
        }
    }

    /** Overwrites the build-id in its note: name size, descriptor size, type 3, "GNU", build-id. */
    private static byte[] withBuildId(byte[] file, byte[] id) {
        String text = new String(file, StandardCharsets.ISO_8859_1);
        int littleEndian = text.indexOf("\24\0\0\0\3\0\0\0GNU\0");
        int start = littleEndian >= 0 ? littleEndian : text.indexOf("\0\0\0\24\0\0\0\3GNU\0");
        System.arraycopy(id, 0, file, start + 12, id.length);
        return file;
    }

    private static byte[] sha1(String text) {
        try {
            return MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
