package dev.offsetd.server.commandline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.CommandLine;
import dev.offsetd.server.testkit.CommandLine.Run;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.commons.codec.digest.DigestUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers of a registry that no registry should give: the script of CI uses none of them and says so. */
@Timeout(120)
class HostileRegistryIntegrationTests {

    private static final String INDEX = "application/vnd.oci.image.index.v1+json";
    private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    private static final String CONFIGURATION =
            "{\"architecture\":\"amd64\",\"os\":\"linux\",\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[]}}";
    /** First byte of a connection with TLS. */
    private static final int TLS_HANDSHAKE = 0x16;

    private static final String LAYER = "sha256:" + DigestUtils.sha256Hex("the layer");

    @TempDir
    private static Path folder;

    private static ServerSocket registry;
    private static Path offsetd;

    private static String contentType = "";
    private static String manifest = "";
    private static String tags = "";

    @BeforeAll
    static void start() throws IOException {
        RequiredTool.require("skopeo");
        RequiredTool.require("jq");
        registry = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));
        Thread.ofPlatform().daemon().start(HostileRegistryIntegrationTests::serve);
        offsetd = Files.writeString(folder.resolve("offsetd"), "#!/bin/sh\ntouch '" + folder.resolve("used") + "'\n");
        CommandLine.executable(offsetd);
    }

    @AfterAll
    static void stop() throws IOException {
        registry.close();
    }

    private static void serve() {
        while (!registry.isClosed()) {
            try (Socket caller = registry.accept()) {
                InputStream in = caller.getInputStream();
                int first = in.read();
                // skopeo tries TLS first, and waits for long if it is not refused.
                if (first == TLS_HANDSHAKE) {
                    continue;
                }
                StringBuilder head = new StringBuilder().append((char) first);
                while (head.indexOf("\r\n\r\n") < 0) {
                    int value = in.read();
                    if (value < 0) {
                        throw new IOException("closed");
                    }
                    head.append((char) value);
                }
                String[] request = head.toString().split(" ", 3);
                caller.getOutputStream().write(answer(request[0], request[1]));
            } catch (IOException e) {
                // The caller has gone, or the tests have ended.
            }
        }
    }

    private static byte[] answer(String method, String path) {
        String type = "application/json";
        String body = "{}";
        if (path.contains("/manifests/")) {
            type = contentType;
            body = manifest;
        } else if (path.endsWith("/tags/list")) {
            body = tags;
        } else if (path.contains("/blobs/")) {
            body = path.endsWith(DigestUtils.sha256Hex(CONFIGURATION)) ? CONFIGURATION : "other bytes";
        }
        String head = "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nContent-Length: " + body.length()
                + "\r\nConnection: close\r\n\r\n";
        return (method.equals("HEAD") ? head : head + body).getBytes(StandardCharsets.US_ASCII);
    }

    private static Run script(String... arguments) throws Exception {
        Map<String, String> environment = new HashMap<>(Map.of(
                "OFFSETD_URL", "http://127.0.0.1:1",
                "OFFSETD", offsetd.toString(),
                "REGISTRY", "127.0.0.1:" + registry.getLocalPort() + "/library",
                "REGISTRY_TLS", "false",
                "ENGINE", offsetd.toString(),
                "VARIANTS", "default",
                "ARCHITECTURES", "amd64"));
        String[] command = new String[arguments.length + 1];
        command[0] = Path.of("..", "examples", "ci", "prewarm-interpreters.sh")
                .toAbsolutePath()
                .toString();
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        return CommandLine.run(folder, environment, command);
    }

    private static String manifestOf(String layer, long size) {
        return """
                {"schemaVersion": 2, "mediaType": "%s",
                 "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": "sha256:%s", "size": %d},
                 "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar", "digest": "%s", "size": %d}]}
                """.formatted(MANIFEST, DigestUtils.sha256Hex(CONFIGURATION), CONFIGURATION.length(), layer, size);
    }

    private static String indexOf(String digest) {
        return """
                {"schemaVersion": 2, "mediaType": "%s", "manifests": [{"mediaType": "%s", "digest": "%s", "size": 100,
                 "platform": {"architecture": "amd64", "os": "linux"}}]}
                """.formatted(INDEX, INDEX, digest);
    }

    @ParameterizedTest
    @CsvSource({
        "html, the registry answers <html>sign in</html>; expected a manifest",
        "truncated, ; expected a manifest",
        "deep, ; expected a manifest",
        "loop, does not match provided manifest digest",
        "other type, unsupported schema version",
        "negative size, Digest did not match",
        "huge size, Digest did not match",
        "other bytes, Digest did not match",
        "path as digest, Invalid digest specification"
    })
    void imageIsNotChecked(String what, String message) throws Exception {
        tags = "{\"name\": \"library/ruby\", \"tags\": [\"3.4\"]}";
        contentType = MANIFEST;
        manifest = manifestOf(LAYER, 9);
        switch (what) {
            case "html" -> {
                contentType = "text/html";
                manifest = "<html>sign in</html>";
            }
            case "truncated" -> manifest = manifest.substring(0, 60);
            case "deep" -> manifest = "[".repeat(100_000);
            case "loop" -> {
                // An index with its own hash cannot be made; every request gets the same one.
                contentType = INDEX;
                manifest = indexOf("sha256:" + "0".repeat(64));
            }
            case "other type" -> {
                contentType = "application/json";
                manifest = "{\"schemaVersion\": 2, \"mediaType\": \"application/x-other\"}";
            }
            case "negative size" -> manifest = manifestOf(LAYER, -5);
            case "huge size" -> manifest = manifestOf(LAYER, 1L << 62);
            case "path as digest" -> manifest = manifestOf("sha256:../../../../etc/passwd", 5);
            default -> assertThat(what).isEqualTo("other bytes");
        }

        Run run = script("ruby", "3.4");

        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(1);
        assertThat(run.out()).containsPattern("(?m)^ruby:3.4 +(?:amd64|-) +not checked$");
        assertThat(run.err()).contains(message);
        assertThat(folder.resolve("used")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            quoteCharacter = '`',
            value = {
                "<html>sign in</html> -> invalid character '<'",
                "{\"name\": \"library/ruby\", \"tags\": [\"3.4\" -> unexpected EOF",
                "{\"name\": \"library/ruby\", \"tags\": [{\"3.4\": 1}]} -> cannot unmarshal",
                "{\"name\": \"library/ruby\", \"tags\": []} -> has no tag of a supported version",
                "{\"name\": \"library/ruby\", \"tags\": [\"3.4;touch used\", \"$(touch used)\", \"3.4\\n;touch used\"]} -> has no tag"
            })
    void versionsAreNotListed(String list, String message) throws Exception {
        tags = list;

        for (String[] arguments : new String[][] {{"versions", "ruby"}, {"ruby"}}) {
            Run run = script(arguments);
            assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(1);
            assertThat(run.out()).isEmpty();
            assertThat(run.err()).contains(message);
        }
        assertThat(folder.resolve("used")).doesNotExist();
    }

    @Test
    void otherTagsAreLeftOut() throws Exception {
        tags =
                "{\"name\": \"library/ruby\", \"tags\": [\"3.10\", \"3.4\", \"latest\", \"3.4;touch used\", \"2.7\", \"-1.0\"]}";

        Run run = script("versions", "ruby");

        assertThat(run.out()).as(run.err()).isEqualTo("[\"3.4\",\"3.10\"]\n");
        assertThat(folder.resolve("used")).doesNotExist();
    }
}
