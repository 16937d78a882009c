package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The image that {@code packaging/image} makes, read by skopeo and umoci. A small folder stands in for a release; {@code
 * packaging/try-release} starts the image of a real one.
 */
class ReleaseImageIntegrationTests {

    private static final Path IMAGE =
            Path.of("..", "packaging", "image").toAbsolutePath().normalize();

    @TempDir
    private Path folder;

    private String run(Object... command) throws Exception {
        Path text = Files.createTempFile(folder, "out", ".txt");
        ProcessBuilder builder = new ProcessBuilder(
                        Arrays.stream(command).map(Object::toString).toList())
                .redirectErrorStream(true)
                .redirectOutput(text.toFile());
        builder.environment().put("SOURCE_DATE_EPOCH", "1700000000");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment()
                .put("JIB", Path.of("target", "jib").toAbsolutePath().toString());
        int code = builder.start().waitFor();
        assertThat(code).as(command[0] + ": " + Files.readString(text)).isZero();
        return Files.readString(text);
    }

    /** Makes an image of a release whose files have this time. */
    private Path image(String name, Instant time) throws Exception {
        Path release = folder.resolve(name);
        for (String file : List.of(
                "runtime/bin/java",
                "postgresql/bin/postgres",
                "lib/a.jar",
                "cli/lib/b.jar",
                "cli/offsetd-cli.jar",
                "offsetd")) {
            Path path = release.resolve(file);
            Files.createDirectories(path.getParent());
            Files.writeString(path, file);
            Files.setLastModifiedTime(path, FileTime.from(time));
        }
        Files.setPosixFilePermissions(release.resolve("offsetd"), PosixFilePermissions.fromString("rwxr-xr-x"));
        Path base = folder.resolve(name + "-base.tar");
        run(IMAGE.resolve("base"), "amd64", base);
        Path image = folder.resolve(name + ".tar");
        run(IMAGE.resolve("make"), base, release, image, "amd64", "1.2.3", "c0ffee", "");
        return image;
    }

    @Test
    void imageIsUnprivilegedAndEqualInputsMakeEqualBytes() throws Exception {
        Path skopeo = RequiredTool.require("skopeo").path();
        Path umoci = RequiredTool.require("umoci").path();
        Path image = image("first", Instant.EPOCH);

        assertThat(image("second", Instant.parse("2026-01-01T00:00:00Z"))).hasSameBinaryContentAs(image);

        JsonNode config = JsonMapper.shared().readTree(run(skopeo, "inspect", "--config", "oci-archive:" + image));
        assertThat(config.path("architecture").asString()).isEqualTo("amd64");
        assertThat(config.path("created").asString()).isEqualTo("2023-11-14T22:13:20Z");
        assertThat(config.path("config").path("User").asString()).isEqualTo("10001:10001");
        assertThat(config.path("config").path("Volumes").has("/var/lib/offsetd"))
                .isTrue();
        assertThat(config.path("config")
                        .path("Labels")
                        .path("org.opencontainers.image.revision")
                        .asString())
                .isEqualTo("c0ffee");
        assertThat(config.path("config").path("Labels").has("org.opencontainers.image.licenses"))
                .as("a licence that nobody has decided")
                .isFalse();

        Path layout = Files.createDirectories(folder.resolve("layout"));
        run("tar", "-C", layout, "-xf", image);
        assertThat(run(umoci, "ls", "--layout", layout)).isEqualTo("1.2.3\n");
        Path bundle = folder.resolve("bundle");
        run(umoci, "unpack", "--rootless", "--image", layout + ":1.2.3", bundle);
        Path root = bundle.resolve("rootfs");
        assertThat(root.resolve("opt/offsetd/cli/lib/b.jar")).hasContent("cli/lib/b.jar");
        assertThat(root.resolve("opt/offsetd/postgresql/bin/postgres")).exists();
        assertThat(Files.isExecutable(root.resolve("opt/offsetd/offsetd"))).isTrue();
        assertThat(modeOf(root.resolve("var/lib/offsetd"))).isEqualTo("rwx------");
        assertThat(run("tar", "-tvf", layerOfTheData(layout), "--numeric-owner"))
                .contains("10001/10001");
        assertThat(root.resolve("usr/lib/x86_64-linux-gnu/libstdc++.so.6")).exists();
        assertThat(Files.readSymbolicLink(root.resolve("lib"))).isEqualTo(Path.of("usr/lib"));
    }

    private static String modeOf(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    /** The last layer, which is the data folder alone. */
    private static Path layerOfTheData(Path layout) throws IOException {
        JsonMapper json = JsonMapper.shared();
        JsonNode index = json.readTree(Files.readString(layout.resolve("index.json")));
        JsonNode manifest = json.readTree(Files.readString(
                blob(layout, index.path("manifests").path(0).path("digest").asString())));
        List<JsonNode> layers = new ArrayList<>();
        manifest.path("layers").forEach(layers::add);
        return blob(layout, layers.getLast().path("digest").asString());
    }

    private static Path blob(Path layout, String digest) {
        return layout.resolve("blobs").resolve(digest.replace(':', '/'));
    }
}
