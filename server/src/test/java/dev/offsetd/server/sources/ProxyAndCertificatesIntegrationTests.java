package dev.offsetd.server.sources;

import static dev.offsetd.server.sources.UpstreamFixture.ID;
import static dev.offsetd.server.sources.UpstreamFixture.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okhttp3.Credentials;
import okhttp3.Dns;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import okio.Buffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Company networks: an HTTP proxy and a private certificate authority. */
class ProxyAndCertificatesIntegrationTests {

    @TempDir
    private Path folder;

    private MockWebServer server;
    private UpstreamFixture upstreams;
    private HeldCertificate authority;
    private Path caFile;

    @BeforeEach
    void open() throws IOException {
        upstreams = new UpstreamFixture(folder.resolve("cache"));
        server = new MockWebServer();
        authority = new HeldCertificate.Builder().certificateAuthority(0).build();
        caFile = Files.writeString(folder.resolve("ca.pem"), authority.certificatePem());
    }

    @AfterEach
    void close() throws IOException {
        upstreams.close();
        server.close();
    }

    private void serveTls(String... names) throws IOException {
        HeldCertificate.Builder certificate = new HeldCertificate.Builder().signedBy(authority);
        for (String name : names) {
            certificate.addSubjectAlternativeName(name);
        }
        server.useHttps(new HandshakeCertificates.Builder()
                .heldCertificate(certificate.build())
                .build()
                .sslSocketFactory());
        server.start();
    }

    private static MockResponse file() {
        return new MockResponse.Builder()
                .body(new Buffer().write(TestElf.of(ID)))
                .build();
    }

    private static MockResponse redirect(String target) {
        return new MockResponse.Builder()
                .code(301)
                .addHeader("Location", target)
                .build();
    }

    private CachedSource source(UpstreamPolicy policy, Dns dns, String... properties) {
        FetchProperties.Upstreams upstream = UpstreamFixture.upstreams(properties);
        return upstreams.source(
                policy,
                policy.http(UpstreamFixture.clients(upstream, dns)),
                new Semaphore(1),
                UpstreamFixture.gate(policy, upstream));
    }

    private static Dns local() {
        return name -> List.of(InetAddress.ofLiteral("127.0.0.1"));
    }

    @Test
    void certificateOfAConfiguredAuthorityIsTrusted() throws Exception {
        serveTls("localhost");
        server.enqueue(file());
        String url = "https://localhost:" + server.getPort() + "/";
        UpstreamFixture.fetched(upstreams.configured(url, "ca-file=" + caFile).fetch(ID, FetchProgress.NONE))
                .close();
    }

    @Test
    void certificateOfAnotherAuthorityIsNotTrusted() throws Exception {
        serveTls("localhost");
        String url = "https://localhost:" + server.getPort() + "/";
        assertThat(upstreams.configured(url).fetch(ID, FetchProgress.NONE))
                .returns("broken", FetchOutcome::word)
                .isInstanceOfSatisfying(
                        FetchOutcome.Failed.class,
                        broken -> assertThat(broken.detail()).contains("SSLHandshakeException"));
        assertThat(server.getRequestCount()).isZero();
    }

    @ChecklistRow(4)
    @Test
    void httpsUpstreamMayNotRedirectToHttp() throws Exception {
        serveTls("localhost");
        try (FaultServer plain = FaultServer.serving(TestElf.of(ID), new byte[0])) {
            server.enqueue(redirect(plain.url("ok")));
            String url = "https://localhost:" + server.getPort() + "/";
            assertThat(upstreams
                            .configured(url, "ca-file=" + caFile, "allowed-networks=127.0.0.0/8")
                            .fetch(ID, FetchProgress.NONE))
                    .isEqualTo(FetchOutcome.broken(
                            "redirect from https to \"http://127.0.0.1:" + plain.port() + "/...\""));
            assertThat(plain.requests()).isEmpty();
        }
    }

    /** HTTP/2 would share one connection between hosts with the same address and certificate. */
    @ChecklistRow(4)
    @Test
    void connectionToAConfiguredUpstreamIsNotReusedForOthers() throws Exception {
        serveTls("a.test", "b.test");
        server.enqueue(redirect("https://b.test:" + server.getPort() + "/"));
        server.enqueue(file());
        UpstreamPolicy policy = UpstreamFixture.policy("https://a.test:" + server.getPort() + "/", PATIENT);
        assertThat(source(policy, local(), "ca-file=" + caFile).fetch(ID, FetchProgress.NONE))
                .returns("broken", FetchOutcome::word)
                .isInstanceOfSatisfying(
                        FetchOutcome.Failed.class,
                        broken -> assertThat(broken.detail()).startsWith("leads to the address 127.0.0.1"));
        assertThat(server.getRequestCount()).isEqualTo(1);
    }

    @Test
    void caFileWithoutCertificatesStopsTheStart() throws Exception {
        Path empty = Files.createFile(folder.resolve("empty.pem"));
        Path text = Files.writeString(folder.resolve("text.pem"), "-----BEGIN CERTIFICATE-----\nno\n");
        for (Path file : List.of(empty, text, folder.resolve("absent.pem"))) {
            assertThatThrownBy(() -> UpstreamFixture.clients(UpstreamFixture.upstreams("ca-file=" + file)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("offsetd.upstreams.ca-file is " + file)
                    .hasMessageEndingWith("; expected a file of certificates in PEM");
        }
    }

    @Test
    void upstreamIsQueriedThroughTheProxyThatResolvesItsName() throws Exception {
        server.start();
        server.enqueue(file());
        CachedSource source =
                upstreams.configured("http://debuginfod.invalid/", "proxy=http://127.0.0.1:" + server.getPort());
        UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE)).close();
        assertThat(server.takeRequest().getUrl()).hasToString("http://debuginfod.invalid/buildid/" + ID + "/debuginfo");
    }

    @Test
    void encryptedUpstreamIsReachedThroughATunnel() throws Exception {
        serveTls("debuginfod.invalid");
        server.enqueue(new MockResponse.Builder().inTunnel().build());
        server.enqueue(file());
        CachedSource source = upstreams.configured(
                "https://debuginfod.invalid/", "proxy=http://127.0.0.1:" + server.getPort(), "ca-file=" + caFile);
        UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE)).close();
        assertThat(server.takeRequest().getRequestLine()).startsWith("CONNECT debuginfod.invalid:443 ");
    }

    @Test
    void proxyGetsItsCredentialsAndTheUpstreamDoesNot() throws Exception {
        serveTls("debuginfod.invalid");
        server.enqueue(new MockResponse.Builder().inTunnel().build());
        server.enqueue(file());
        CachedSource source = upstreams.configured(
                "https://debuginfod.invalid/",
                "proxy=http://user:secret@127.0.0.1:" + server.getPort(),
                "ca-file=" + caFile);
        UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE)).close();
        RecordedRequest tunnel = server.takeRequest();
        RecordedRequest request = server.takeRequest();
        assertThat(tunnel.getHeaders().get("Proxy-Authorization")).isEqualTo(Credentials.basic("user", "secret"));
        assertThat(request.getHeaders().get("Proxy-Authorization")).isNull();
    }

    @Test
    void rejectedProxyCredentialsAreSentOnce() throws Exception {
        server.start();
        for (int i = 0; i < 3; i++) {
            server.enqueue(new MockResponse.Builder()
                    .code(407)
                    .addHeader("Proxy-Authenticate", "Basic realm=\"proxy\"")
                    .build());
        }
        CachedSource source = upstreams.configured(
                "http://debuginfod.invalid/", "proxy=http://user:secret@127.0.0.1:" + server.getPort());
        assertThat(source.fetch(ID, FetchProgress.NONE)).isInstanceOf(FetchOutcome.Refused.class);
        assertThat(server.getRequestCount()).isEqualTo(2);
    }

    @ChecklistRow(4)
    @Test
    void forbiddenAddressIsNotRequestedFromTheProxy() throws Exception {
        server.start();
        for (String host : List.of("169.254.169.254", "[::1]", "2130706433", "0x7f.1", "localhost")) {
            server.enqueue(redirect("http://" + host + "/"));
            CachedSource source =
                    upstreams.configured("http://debuginfod.invalid/", "proxy=http://127.0.0.1:" + server.getPort());
            int before = server.getRequestCount();
            assertThat(source.fetch(ID, FetchProgress.NONE))
                    .returns("broken", FetchOutcome::word)
                    .isInstanceOfSatisfying(
                            FetchOutcome.Failed.class,
                            broken -> assertThat(broken.detail()).startsWith("leads to the address "));
            assertThat(server.getRequestCount() - before).isEqualTo(1);
        }
    }

    @Test
    void redirectToAnotherServerGoesThroughTheProxyToo() throws Exception {
        server.start();
        server.enqueue(redirect("http://mirror.invalid/file"));
        server.enqueue(file());
        CachedSource source =
                upstreams.configured("http://debuginfod.invalid/", "proxy=http://127.0.0.1:" + server.getPort());
        UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE)).close();
        server.takeRequest();
        assertThat(server.takeRequest().getUrl()).hasToString("http://mirror.invalid/file");
    }

    @Test
    void upstreamMayBypassTheProxy() throws Exception {
        server.start();
        try (FaultServer upstream = FaultServer.serving(TestElf.of(ID), new byte[0])) {
            UpstreamPolicy usual = UpstreamFixture.policy(upstream.url("ok"), PATIENT);
            UpstreamPolicy direct =
                    new UpstreamPolicy(usual.base(), true, usual.kind(), List.of(), usual.timeouts(), true);
            UpstreamFixture.fetched(source(direct, Dns.SYSTEM, "proxy=http://127.0.0.1:" + server.getPort())
                            .fetch(ID, FetchProgress.NONE))
                    .close();
        }
        assertThat(server.getRequestCount()).isZero();
    }

    @Test
    void invalidProxyStopsTheStart() {
        for (String proxy :
                List.of("socks5://127.0.0.1:1080", "https://user:secret@127.0.0.1:3128/", "127.0.0.1:3128")) {
            assertThatThrownBy(() -> UpstreamFixture.clients(UpstreamFixture.upstreams("proxy=" + proxy)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("offsetd.upstreams.proxy is \"")
                    .hasMessageEndingWith("; expected an http URL")
                    .hasMessageNotContaining("secret");
        }
    }
}
