package dev.offsetd.server.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.FreePort;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A docker-registry on loopback, with images that umoci makes and skopeo pushes. */
public final class LoopbackRegistry implements AutoCloseable {

    private static final String INDEX = "application/vnd.oci.image.index.v1+json";
    private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";

    private final HttpClient http = HttpClient.newHttpClient();
    private final Path folder;
    private final int port;
    private final Process process;

    private LoopbackRegistry(Path folder, int port, Process process) {
        this.folder = folder;
        this.port = port;
        this.process = process;
    }

    /** Starts a registry with its data in a folder, which anybody may read and write. */
    public static LoopbackRegistry start(Path folder) throws Exception {
        return start(folder, "");
    }

    /** Starts another registry on the same data, which asks for a name and a password. */
    public LoopbackRegistry restricted(String user, String password) throws Exception {
        Path passwords = Files.writeString(
                folder.resolve("htpasswd"), user + ":" + new BCryptPasswordEncoder(4).encode(password) + "\n");
        return start(folder, "auth: {htpasswd: {realm: registry, path: %s}}".formatted(passwords));
    }

    private static LoopbackRegistry start(Path folder, String access) throws Exception {
        Files.createDirectories(folder);
        int port = FreePort.any();
        Path configuration = Files.writeString(
                folder.resolve("registry-" + port + ".yml"), """
                version: 0.1
                storage: {filesystem: {rootdirectory: %s}}
                http: {addr: "127.0.0.1:%d"}
                %s
                """.formatted(folder.resolve("data"), port, access));
        Process process = new ProcessBuilder(
                        RequiredTool.require("docker-registry").path().toString(), "serve", configuration.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("registry-" + port + ".log").toFile())
                .start();
        LoopbackRegistry registry = new LoopbackRegistry(folder, port, process);
        registry.awaitAnswer();
        return registry;
    }

    private void awaitAnswer() throws Exception {
        for (int attempt = 0; attempt < 200; attempt++) {
            try {
                http.send(HttpRequest.newBuilder(uri("")).build(), BodyHandlers.discarding());
                return;
            } catch (IOException notYet) {
                Thread.sleep(50);
            }
        }
        throw new IOException("no answer: " + Files.readString(log()));
    }

    private Path log() {
        return folder.resolve("registry-" + port + ".log");
    }

    /** Returns how many layers and configurations were downloaded so far. */
    public long downloads() throws IOException {
        try (Stream<String> lines = Files.lines(log())) {
            return lines.filter(line -> line.contains("response completed")
                            && line.contains("http.request.method=GET")
                            && line.contains("/blobs/"))
                    .count();
        }
    }

    private URI uri(String path) {
        return URI.create("http://" + host() + "/v2/" + path);
    }

    /** Returns the host and port, as in names of images. */
    public String host() {
        return "127.0.0.1:" + port;
    }

    /** Pushes an image that has for each architecture one file, at this path. */
    public void push(String repository, String tag, String path, Map<String, Path> files) throws Exception {
        JsonMapper json = JsonMapper.shared();
        ObjectNode index = json.createObjectNode().put("schemaVersion", 2).put("mediaType", INDEX);
        for (Map.Entry<String, Path> file : new TreeMap<>(files).entrySet()) {
            String architecture = file.getKey();
            String single = "of-" + architecture + "-" + tag;
            pushSingle(repository, single, architecture, path, file.getValue());
            byte[] manifest = manifest(repository, single, MANIFEST);
            ObjectNode entry = index.withArray("manifests")
                    .addObject()
                    .put("mediaType", MANIFEST)
                    .put("digest", "sha256:" + sha256(manifest))
                    .put("size", manifest.length);
            entry.putObject("platform").put("architecture", architecture).put("os", "linux");
        }
        put(repository, tag, index.toString());
    }

    /** Gives an image with several architectures another tag. */
    public void tag(String repository, String tag, String... others) throws Exception {
        String index = new String(manifest(repository, tag, INDEX), StandardCharsets.UTF_8);
        for (String other : others) {
            put(repository, other, index);
        }
    }

    private byte[] manifest(String repository, String tag, String type) throws Exception {
        return http.send(
                        HttpRequest.newBuilder(uri(repository + "/manifests/" + tag))
                                .header("Accept", type)
                                .build(),
                        BodyHandlers.ofByteArray())
                .body();
    }

    private void put(String repository, String tag, String index) throws Exception {
        int status = http.send(
                        HttpRequest.newBuilder(uri(repository + "/manifests/" + tag))
                                .header("Content-Type", INDEX)
                                .PUT(BodyPublishers.ofString(index))
                                .build(),
                        BodyHandlers.discarding())
                .statusCode();
        assertThat(status).isEqualTo(HttpURLConnection.HTTP_CREATED);
    }

    /** Pushes an image of one architecture, as tools without an index do. */
    public void pushSingle(String repository, String tag, String architecture, String path, Path file)
            throws Exception {
        RequiredTool umoci = RequiredTool.require("umoci");
        Path layout = folder.resolve(repository.replace('/', '-') + "-" + tag);
        String image = layout + ":" + tag;
        umoci.output("init", "--layout", layout);
        umoci.output("new", "--image", image);
        umoci.output("config", "--image", image, "--architecture", architecture, "--os", "linux");
        umoci.output("insert", "--rootless", "--image", image, file, path);
        RequiredTool.require("skopeo")
                .output(
                        "copy",
                        "--quiet",
                        "--dest-tls-verify=false",
                        "oci:" + image,
                        "docker://" + host() + "/" + repository + ":" + tag);
    }

    private static String sha256(byte[] content) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    }

    @Override
    public void close() {
        process.destroy();
    }
}
