package dev.offsetd.server.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/**
 * An archive of Debian packages with the suite {@code stable}, and beside it a repository of RPM packages, signed by a key made
 * for it, and served over HTTP.
 */
public final class SignedArchive implements AutoCloseable {

    private static final String INDEX = "main/binary-amd64/Packages";

    /** Environment variable that names the folder of keys. */
    private static final String HOME = "GNUPGHOME";

    private final Path folder;
    private final Path home;
    private final RequiredTool gpg;
    private final String certificate;
    private final HttpServer http;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<String> packages = new ArrayList<>();
    private final Map<String, Integer> requests = new ConcurrentHashMap<>();
    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch hanging = new CountDownLatch(1);
    private volatile @Nullable String hangAt;
    private volatile @Nullable String cutOff;
    private ZonedDateTime date = ZonedDateTime.now(ZoneOffset.UTC).minusMinutes(10);

    private SignedArchive(Path folder, Path home, HttpServer http) throws IOException {
        this.folder = folder;
        this.home = home;
        this.http = http;
        this.gpg = RequiredTool.require("gpg").with(HOME, home);
        gpg.output(
                "--batch",
                "--quiet",
                "--passphrase",
                "",
                "--quick-generate-key",
                "archive",
                "ed25519",
                "sign",
                "never");
        this.certificate = gpg.output("--armor", "--export");
    }

    /** Creates an archive without packages. */
    public static SignedArchive create(Path folder) throws IOException {
        Files.createDirectories(folder.resolve("pool"));
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        // Sockets of the agent are in it, whose paths must be short.
        SignedArchive archive = new SignedArchive(folder, Files.createTempDirectory("gpg"), http);
        http.setExecutor(archive.threads);
        http.createContext("/", archive::serve);
        http.start();
        return archive;
    }

    public String url() {
        return "http://127.0.0.1:" + http.getAddress().getPort() + "/debian";
    }

    /** Returns a URL at which every path redirects to {@link #url()}, under another name of the host. */
    public String redirectingUrl() {
        return "http://127.0.0.1:" + http.getAddress().getPort() + "/redirect";
    }

    /** Returns the certificate of the key in ASCII armour. */
    public String certificate() {
        return certificate;
    }

    /** Adds a package with the debug file of a build; {@link #publish} makes it known. */
    public void add(String name, String version, SmallRuby ruby) throws IOException {
        String file = name + "_" + version + "_amd64.deb";
        Path deb = ruby.debugPackage(folder.resolve("pool").resolve(file));
        packages.add("""
                Package: %s
                Version: %s
                Architecture: amd64
                Build-Ids: %s
                Filename: pool/%s
                Size: %d
                SHA256: %s

                """.formatted(
                name, version, ruby.buildId(), file, Files.size(deb), DigestUtils.sha256Hex(Files.readAllBytes(deb))));
    }

    /** Removes a package; {@link #publish} makes that known. */
    public void remove(String file) {
        packages.removeIf(stanza -> stanza.contains("Filename: pool/" + file + "\n"));
    }

    /** Adds lines to the index. */
    public void addLines(String lines) {
        packages.add(lines);
    }

    /** Changes a byte of a package that is published. */
    public void damage(String file) throws IOException {
        Path deb = folder.resolve("pool").resolve(file);
        byte[] bytes = Files.readAllBytes(deb);
        bytes[bytes.length / 2] ^= 1;
        Files.write(deb, bytes);
    }

    /** Lets the next index be of an earlier time, as one that is replayed. */
    public void goBack(Duration time) {
        date = date.minus(time);
    }

    /** Writes and signs the indexes. */
    public void publish() throws IOException {
        date = date.plusMinutes(1);
        Path suite = Files.createDirectories(folder.resolve("dists/stable"));
        Path index = suite.resolve(INDEX);
        Files.createDirectories(index.getParent());
        Files.writeString(index, String.join("", packages));
        Path packed = suite.resolve(INDEX + ".xz");
        Files.deleteIfExists(packed);
        RequiredTool.require("xz").output("--keep", index);
        StringBuilder release = new StringBuilder(
                """
                Origin: offsetd
                Suite: stable
                Codename: stable
                Date: %s
                Architectures: amd64
                Components: main
                Acquire-By-Hash: yes
                SHA256:
                """.formatted(DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'UTC'", java.util.Locale.ROOT)
                        .format(date)));
        for (String name : List.of(INDEX, INDEX + ".xz")) {
            byte[] bytes = Files.readAllBytes(suite.resolve(name));
            String hash = DigestUtils.sha256Hex(bytes);
            Path byHash = suite.resolve(INDEX).resolveSibling("by-hash/SHA256").resolve(hash);
            Files.createDirectories(byHash.getParent());
            Files.write(byHash, bytes);
            release.append(" %s %d %s%n".formatted(hash, bytes.length, name));
        }
        Path plain = Files.writeString(suite.resolve("Release"), release);
        Path signed = suite.resolve("InRelease");
        Files.deleteIfExists(signed);
        gpg.output("--batch", "--quiet", "--clearsign", "--output", signed, plain);
    }

    /** Returns the URL of the repository of RPM packages. */
    public String rpmUrl() {
        return url() + "/rpm";
    }

    /** Adds an RPM package with the debug file of a build; {@link #publishRpm} makes it known. */
    public void addRpm(String name, String version, SmallRuby ruby) throws IOException {
        String id = ruby.buildId();
        Path top = Files.createTempDirectory("rpm");
        Path spec = Files.writeString(top.resolve(name + ".spec"), """
                Name: %1$s
                Version: %2$s
                Release: 1
                Summary: Test
                License: Apache-2.0
                AutoReqProv: no
                Provides: debuginfo(build-id) = %3$s
                %%global debug_package %%{nil}
                %%global __os_install_post %%{nil}
                %%description
                Test.
                %%install
                install -D %4$s %%{buildroot}/usr/lib/debug/.build-id/%5$s/%6$s.debug
                %%files
                /usr/lib/debug
                """.formatted(
                        name, version, id, ruby.debugFile(), id.substring(0, 2), id.substring(2)));
        RequiredTool.require("rpmbuild")
                .output("-bb", "--quiet", "--target", "x86_64", "--define", "_topdir " + top, spec);
        String file = name + "-" + version + "-1.x86_64.rpm";
        Files.copy(
                top.resolve("RPMS/x86_64").resolve(file),
                Files.createDirectories(folder.resolve("rpm")).resolve(file));
        FileSystemUtils.deleteRecursively(top);
    }

    /** Writes and signs the indexes of RPM packages. */
    public void publishRpm() throws IOException {
        RequiredTool.require("createrepo_c").output("--quiet", folder.resolve("rpm"));
        Path index = folder.resolve("rpm/repodata/repomd.xml");
        Files.deleteIfExists(index.resolveSibling("repomd.xml.asc"));
        gpg.output("--batch", "--quiet", "--armor", "--detach-sign", index);
    }

    /** Returns how often a package was requested. */
    public int requests(String file) {
        return requests.getOrDefault(file, 0);
    }

    /**
     * Lets the next request for a package wait until {@link #release}, or for ever.
     *
     * @return is counted down when the request waits
     */
    public CountDownLatch hangOnce(String file) {
        hangAt = file;
        return hanging;
    }

    /** Closes the connection in the middle of each answer with a package. */
    public void cutOff(String file) {
        cutOff = file;
    }

    public void release() {
        released.countDown();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            if (path.startsWith("/redirect/")) {
                String elsewhere = url().replace("127.0.0.1", "localhost");
                exchange.getResponseHeaders().add("Location", elsewhere + path.substring("/redirect".length()));
                exchange.sendResponseHeaders(302, -1);
                return;
            }
            Path file = folder.resolve(path.substring("/debian/".length())).normalize();
            String name = file.getFileName().toString();
            requests.merge(name, 1, Integer::sum);
            if (name.equals(hangAt)) {
                hangAt = null;
                hanging.countDown();
                released.await();
            }
            if (!file.startsWith(folder) || !Files.isRegularFile(file)) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            byte[] bytes = Files.readAllBytes(file);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes, 0, name.equals(cutOff) ? bytes.length / 2 : bytes.length);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        release();
        http.stop(0);
        threads.shutdownNow();
        try {
            // The agent of the folder would outlive the tests.
            RequiredTool.require("gpgconf").with(HOME, home).output("--kill", "all");
            boolean deleted = false;
            while (!deleted) {
                try {
                    FileSystemUtils.deleteRecursively(home);
                    deleted = true;
                } catch (NoSuchFileException e) {
                    // The agent deletes its sockets while it ends.
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
