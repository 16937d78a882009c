package dev.offsetd.packages.repositories;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.Sha256;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.extractor.testkit.FreePort;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.packages.Archives;
import dev.offsetd.packages.repositories.RepositoryDescription.Kind;
import dev.offsetd.packages.repositories.RepositoryException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Repositories that the usual programs make: a docker-registry, RPM packages and createrepo_c. */
class RepositoriesIntegrationTests {

    private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    private static final String INDEX = "application/vnd.oci.image.index.v1+json";

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();
    private final List<String> urls = new ArrayList<>();
    private final Map<Integer, byte[]> layers = new TreeMap<>();

    private static BuildId id(int number) {
        byte[] bytes = new byte[20];
        Arrays.fill(bytes, (byte) number);
        return BuildId.of(bytes);
    }

    private static byte[] elf(int number) {
        return new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .buildId(id(number).toBytes())
                .section(".data", new byte[3000])
                .toBytes();
    }

    /** HTTP without rules for addresses. */
    private Web.Response get(Web.Request request) throws IOException {
        urls.add(request.uri().getPath());
        HttpRequest.Builder builder = HttpRequest.newBuilder(request.uri());
        request.headers().forEach(builder::header);
        HttpResponse<InputStream> response;
        try {
            response = client.send(builder.build(), BodyHandlers.ofInputStream());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
        return new Web.Response() {
            @Override
            public int status() {
                return response.statusCode();
            }

            @Override
            public Optional<String> header(String name) {
                return response.headers().firstValue(name);
            }

            @Override
            public InputStream body() {
                return response.body();
            }

            @Override
            public void close() throws IOException {
                response.body().close();
            }
        };
    }

    private static List<BuildId> builds(List<PackageFile> files) {
        return files.stream().map(PackageFile::buildId).toList();
    }

    // A registry.

    private Process startRegistry(int port) throws Exception {
        Path configuration =
                Files.writeString(folder.resolve("registry.yml"), """
                version: 0.1
                storage: {filesystem: {rootdirectory: %s}}
                http: {addr: "127.0.0.1:%d"}
                """.formatted(folder.resolve("data"), port));
        Process process = new ProcessBuilder(
                        RequiredTool.require("docker-registry").path().toString(), "serve", configuration.toString())
                .redirectErrorStream(true)
                .start();
        // It writes a line when it listens.
        for (String line : (Iterable<String>) process.inputReader().lines()::iterator) {
            if (line.contains("listening on")) {
                break;
            }
        }
        Thread.ofVirtual().start(() -> process.inputReader().lines().forEach(_ -> {}));
        return process;
    }

    private String pushBlob(URI image, byte[] content) throws Exception {
        HttpResponse<Void> started = client.send(
                HttpRequest.newBuilder(image.resolve("blobs/uploads/"))
                        .POST(BodyPublishers.noBody())
                        .build(),
                BodyHandlers.discarding());
        String digest = "sha256:" + Sha256.hex(content);
        String location = started.headers().firstValue("Location").orElseThrow();
        send(
                URI.create(location + (location.contains("?") ? "&" : "?") + "digest=" + digest),
                "application/octet-stream",
                content);
        return digest;
    }

    private void send(URI url, String type, byte[] content) throws Exception {
        HttpResponse<String> response = client.send(
                HttpRequest.newBuilder(url)
                        .header("Content-Type", type)
                        .PUT(BodyPublishers.ofByteArray(content))
                        .build(),
                BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
    }

    /** Pushes an image of one platform with these layers, and returns its manifest. */
    private String pushSingle(URI image, String tag, String architecture, byte[]... layers) throws Exception {
        List<String> described = new ArrayList<>();
        for (byte[] layer : layers) {
            described.add("""
                    {"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "digest": "%s", "size": %d}""".formatted(pushBlob(image, layer), layer.length));
        }
        byte[] config = """
                {"architecture": "%s", "os": "linux", "rootfs": {"type": "layers", "diff_ids": []}}""".formatted(architecture).getBytes(StandardCharsets.UTF_8);
        String manifest = """
                {"schemaVersion": 2, "mediaType": "%s", "config": {"mediaType": "application/vnd.oci.image.config.v1+json",
                 "digest": "%s", "size": %d}, "layers": [%s]}""".formatted(MANIFEST, pushBlob(image, config), config.length, String.join(",", described));
        send(image.resolve("manifests/" + tag), MANIFEST, manifest.getBytes(StandardCharsets.UTF_8));
        return manifest;
    }

    private void pushIndex(URI image, String tag, String amd64, String arm64) throws Exception {
        List<String> described = new ArrayList<>();
        for (Map.Entry<String, String> platform :
                Map.of("amd64", amd64, "arm64", arm64).entrySet()) {
            described.add("""
                    {"mediaType": "%s", "digest": "sha256:%s", "size": %d,
                     "platform": {"os": "linux", "architecture": "%s"}}""".formatted(
                    MANIFEST, Hash.of(platform.getValue()), platform.getValue().length(), platform.getKey()));
        }
        send(image.resolve("manifests/" + tag), INDEX, """
                {"schemaVersion": 2, "mediaType": "%s", "manifests": [%s]}""".formatted(INDEX, String.join(",", described))
                .getBytes(StandardCharsets.UTF_8));
    }

    /** Archives have the time at which they are made. */
    private byte[] layer(int number) throws IOException {
        byte[] known = layers.get(number);
        if (known == null) {
            known = Archives.gzip(Archives.tar(Map.of("usr/lib/lib.so", elf(number))));
            layers.put(number, known);
        }
        return known;
    }

    @Test
    void newAndMovedTagsListOnlyTheirLayersAndMissingPlatformsWarn() throws Exception {
        int port = FreePort.any();
        Process registry = startRegistry(port);
        try {
            URI image = URI.create("http://127.0.0.1:" + port + "/v2/library/ruby/");
            String amd64 = pushSingle(image, "of-amd64", "amd64", layer(1), layer(2));
            String arm64 = pushSingle(image, "of-arm64", "arm64", layer(1), layer(3));
            pushIndex(image, "3.4-slim", amd64, arm64);
            pushSingle(image, "3.3-slim", "amd64", layer(2));
            Repository repository = new RepositoryDescription(
                            Kind.OCI,
                            "http://127.0.0.1:" + port + "/library/ruby",
                            null,
                            List.of(),
                            List.of(),
                            List.of("3.*-slim"),
                            List.of(),
                            null)
                    .repository(this::get, folder);

            Listing first = repository.list(null);

            // A layer is listed once, whatever the number of its images.
            assertThat(first.entries()).hasSize(3);
            assertThat(first.warnings()).singleElement().asString().endsWith("3.3-slim has no platform linux/arm64");
            List<BuildId> found = new ArrayList<>();
            for (RepositoryEntry entry : first.entries()) {
                found.addAll(builds(repository.open(entry, Files.createTempDirectory(folder, "copies"))));
            }
            assertThat(found).containsExactlyInAnyOrder(id(1), id(2), id(3));

            urls.clear();
            Listing second = repository.list(first.state());
            assertThat(second.unchanged()).isTrue();
            assertThat(urls).filteredOn(url -> url.contains("sha256")).isEmpty();

            pushSingle(image, "3.5-slim", "amd64", layer(1), layer(4));
            pushSingle(image, "3.3-slim", "amd64", layer(5));
            Listing third = repository.list(second.state());
            assertThat(third.entries())
                    .extracting(RepositoryEntry::version)
                    .containsExactly("3.3-slim", "3.5-slim", "3.5-slim");
            assertThat(third.entries().get(1).key())
                    .isIn(first.entries().stream().map(RepositoryEntry::key).toList());
        } finally {
            registry.destroy();
        }
    }

    // RPM packages.

    private Path rpm(String name, BuildId buildId, int number) throws Exception {
        Path library = Files.write(folder.resolve(name + ".debug"), elf(number));
        Path spec = Files.writeString(
                folder.resolve(name + ".spec"), """
                Name: %1$s
                Version: 1.0
                Release: 1
                Summary: Test
                License: Apache-2.0
                AutoReqProv: no
                Provides: debuginfo(build-id) = %2$s
                %%global debug_package %%{nil}
                %%global __os_install_post %%{nil}
                %%description
                Test.
                %%install
                install -D %3$s %%{buildroot}/usr/lib/debug/%4$s
                %%files
                /usr/lib/debug
                """.formatted(name, buildId, library, buildId.debugFilePath()));
        RequiredTool.require("rpmbuild")
                .output("-bb", "--quiet", "--target", "x86_64", "--define", "_topdir " + folder.resolve("rpm"), spec);
        return folder.resolve("rpm/RPMS/x86_64/" + name + "-1.0-1.x86_64.rpm");
    }

    private PublishedFiles publish(Path repository, Signer signer) throws Exception {
        RequiredTool.require("createrepo_c").output("--quiet", repository);
        PublishedFiles web = new PublishedFiles();
        try (Stream<Path> files = Files.walk(repository)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                web.put("https://rpm.example/" + repository.relativize(file), Files.readAllBytes(file));
            }
        }
        byte[] repomd = Files.readAllBytes(repository.resolve("repodata/repomd.xml"));
        return web.put("https://rpm.example/repodata/repomd.xml.asc", signer.signature(repomd));
    }

    private Repository repository(PublishedFiles web, Signer signer) throws Exception {
        return new RepositoryDescription(
                        Kind.RPM,
                        "https://rpm.example",
                        null,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        signer.keyring())
                .repository(web, folder);
    }

    @Test
    void packagesOfASignedRepositoryAreListedAndOpened() throws Exception {
        Signer signer = new Signer();
        Path packages = Files.createDirectory(folder.resolve("repository"));
        Files.copy(rpm("one-debuginfo", id(1), 1), packages.resolve("one.rpm"));
        Files.copy(rpm("two-debuginfo", id(2), 3), packages.resolve("two.rpm"));
        PublishedFiles web = publish(packages, signer);
        Repository repository = repository(web, signer);

        Listing listing = repository.list(null);

        assertThat(listing.entries())
                .extracting(RepositoryEntry::name, RepositoryEntry::version, RepositoryEntry::buildIds)
                .containsExactlyInAnyOrder(
                        tuple("one-debuginfo", "1.0-1", List.of(id(1))),
                        tuple("two-debuginfo", "1.0-1", List.of(id(2))));
        Path copies = Files.createDirectory(folder.resolve("copies"));
        for (RepositoryEntry entry : listing.entries()) {
            if (entry.name().startsWith("one")) {
                assertThat(builds(repository.open(entry, copies))).containsExactly(id(1));
            } else {
                assertReason(Reason.BUILD_ID, () -> repository.open(entry, copies));
            }
        }
        assertThat(repository.list(listing.state()).unchanged()).isTrue();
        for (String damaged : List.of("", "1784000000", "x y")) {
            assertThat(repository.list(damaged).entries()).as(damaged).hasSize(2);
        }
        assertReason(Reason.REPLAYED, () -> repository.list("99999999999 " + "0".repeat(64)));
        VerifiedBefore newest = new VerifiedBefore(Instant.EPOCH);
        repository.list(null, newest);
        assertThat(newest.time()).isAfter(Instant.EPOCH);
        newest.verified(newest.time().plusSeconds(1));
        assertReason(Reason.REPLAYED, () -> repository.list(listing.state(), newest));
    }

    @Test
    void repositoryThatAnotherKeySignedIsRefused() throws Exception {
        Path packages = Files.createDirectory(folder.resolve("repository"));
        PublishedFiles web = publish(packages, new Signer());

        assertReason(Reason.SIGNATURE, () -> repository(web, new Signer()).list(null));
    }

    private static void assertReason(Reason reason, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RepositoryException.class,
                        e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason));
    }
}
