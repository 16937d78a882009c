package dev.offsetd.server.sources;

import static dev.offsetd.server.sources.UpstreamFixture.ID;
import static dev.offsetd.server.sources.UpstreamFixture.OTHER_ID;
import static dev.offsetd.server.sources.UpstreamFixture.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import dev.offsetd.server.sources.http.AddressRules;
import dev.offsetd.server.sources.http.UpstreamClients;
import dev.offsetd.server.sources.http.UpstreamHttp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Dns;
import okhttp3.HttpUrl;
import okhttp3.Request;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Addresses that an upstream must not reach through this server: no connection is made to them in any spelling. */
@ChecklistRow(4)
class ForbiddenAddressIntegrationTests {

    /** Listens at every address of this machine to detect connections. */
    private static ServerSocket canary;

    private static final AtomicInteger CONNECTIONS = new AtomicInteger();

    @TempDir
    private Path folder;

    private FaultServer server;
    private UpstreamFixture upstreams;

    @BeforeAll
    static void listen() throws IOException {
        canary = new ServerSocket(0);
        Thread.ofVirtual().start(() -> {
            while (true) {
                try {
                    Socket connection = canary.accept();
                    // Counted before it is closed, so that a client that sees the end finds it counted.
                    CONNECTIONS.incrementAndGet();
                    connection.close();
                } catch (IOException closed) {
                    return;
                }
            }
        });
    }

    @AfterAll
    static void stopListening() throws IOException {
        canary.close();
    }

    @BeforeEach
    void start() throws IOException {
        server = FaultServer.serving(TestElf.of(ID), TestElf.of(OTHER_ID));
        upstreams = new UpstreamFixture(folder);
        CONNECTIONS.set(0);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        upstreams.close();
    }

    static List<String> targets() {
        return List.of(
                "127.0.0.1",
                "127.1",
                "127.8.9.10",
                "2130706433",
                "0x7f000001",
                "0177.0.0.1",
                "localhost",
                "localhost.",
                "0.0.0.0",
                "0",
                "[::]",
                "[::1]",
                "[::ffff:127.0.0.1]",
                "[::127.0.0.1]",
                "[64:ff9b::127.0.0.1]",
                "[2002:7f00:1::1]",
                "10.0.0.1",
                "172.16.0.1",
                "192.168.0.1",
                "100.64.0.1",
                "169.254.169.254",
                "[fe80::1]",
                "[fd00::1]",
                "198.18.0.1",
                "192.0.2.1",
                "224.0.0.1",
                "255.255.255.255",
                "rebound.test");
    }

    private static String url(String host) {
        return "http://" + host + ":" + canary.getLocalPort() + "/";
    }

    /** A host name of this machine in addition to those of the system. */
    private static List<InetAddress> resolve(String name) throws UnknownHostException {
        return name.equals("rebound.test") ? List.of(InetAddress.ofLiteral("127.0.0.1")) : Dns.SYSTEM.lookup(name);
    }

    private UpstreamHttp http(String base, Dns dns, String... properties) {
        return UpstreamFixture.policy(base, PATIENT)
                .http(UpstreamFixture.clients(UpstreamFixture.upstreams(properties), dns));
    }

    private CachedSource source(String base, Dns dns, String... properties) {
        UpstreamPolicy policy = UpstreamFixture.policy(base, PATIENT);
        return upstreams.source(
                policy,
                http(base, dns, properties),
                new Semaphore(1),
                UpstreamFixture.gate(policy, UpstreamFixture.upstreams()));
    }

    @ParameterizedTest
    @MethodSource("targets")
    void targetIsRefusedByRedirect(String host) throws Exception {
        String base = server.url(server.redirectingTo(url(host)));
        assertThat(source(base, ForbiddenAddressIntegrationTests::resolve).fetch(ID, FetchProgress.NONE))
                .returns("broken", FetchOutcome::word)
                .isInstanceOfSatisfying(
                        FetchOutcome.Failed.class,
                        broken -> assertThat(broken.detail())
                                .contains("neither public nor in offsetd.upstreams.allowed-networks"));
        assertThat(server.requests()).hasSize(1);
        assertThat(CONNECTIONS).hasValue(0);
        upstreams.assertNoFiles();
    }

    @ParameterizedTest
    @MethodSource("targets")
    void targetIsRefusedDirectlyUnlessItIsConfigured(String host) {
        Request request = new Request.Builder().url(url(host)).build();
        UpstreamHttp http = http("http://configured.test/", ForbiddenAddressIntegrationTests::resolve);
        assertThatThrownBy(() -> http.newCall(request).execute().close())
                .isInstanceOf(AddressRules.ForbiddenAddressException.class);
        // The socket refuses the address, too, whatever check was made before.
        assertThatThrownBy(() -> http.elsewhere().newCall(request).execute().close())
                .isInstanceOf(IOException.class);
        assertThat(CONNECTIONS).hasValue(0);
    }

    @Test
    void operatorMayConfigureAnyAddress() throws Exception {
        UpstreamFixture.fetched(source(server.url("ok"), Dns.SYSTEM).fetch(ID, FetchProgress.NONE))
                .close();
    }

    @Test
    void localUpstreamMayNotRedirectToAnotherLocalPort() throws Exception {
        try (FaultServer other = FaultServer.serving(TestElf.of(ID), TestElf.of(OTHER_ID))) {
            String base = server.url(server.redirectingTo(other.url("ok")));
            assertThat(source(base, Dns.SYSTEM).fetch(ID, FetchProgress.NONE)).returns("broken", FetchOutcome::word);
            assertThat(other.requests()).isEmpty();
        }
    }

    @Test
    void upstreamMayNotRedirectToAnotherPrivateUpstream() throws Exception {
        try (FaultServer other = FaultServer.serving(TestElf.of(ID), TestElf.of(OTHER_ID))) {
            UpstreamClients clients = UpstreamFixture.clients(UpstreamFixture.upstreams());
            UpstreamHttp first =
                    UpstreamFixture.policy(server.url("ok"), PATIENT).http(clients);
            UpstreamHttp second =
                    UpstreamFixture.policy(other.url("ok"), PATIENT).http(clients);
            Request request = new Request.Builder().url(other.url("ok")).build();
            second.newCall(request).execute().close();
            assertThatThrownBy(() -> first.newCall(request).execute().close())
                    .isInstanceOf(AddressRules.ForbiddenAddressException.class);
            assertThat(other.requests()).hasSize(1);
        }
    }

    @Test
    void upstreamMayRedirectToAnAllowedNetwork() throws Exception {
        try (FaultServer other = FaultServer.serving(TestElf.of(ID), TestElf.of(OTHER_ID))) {
            String base = server.url(server.redirectingTo(other.url("ok")));
            UpstreamFixture.fetched(source(base, Dns.SYSTEM, "allowed-networks=127.0.0.1/32")
                            .fetch(ID, FetchProgress.NONE))
                    .close();
            assertThat(other.hits("ok")).isEqualTo(1);
        }
    }

    /** 127.0.0.2 takes the part of the public address to which the name resolves at first. */
    @Test
    void nameThatResolvesToAForbiddenAddressTheSecondTimeIsRefused() throws Exception {
        AtomicInteger lookups = new AtomicInteger();
        Dns rebinding =
                name -> List.of(InetAddress.ofLiteral(lookups.getAndIncrement() == 0 ? "127.0.0.2" : "127.0.0.1"));
        UpstreamHttp http = http("http://configured.test/", rebinding, "allowed-networks=127.0.0.2/32");
        Request request = new Request.Builder().url(url("rebound.test")).build();
        assertThatThrownBy(() -> http.newCall(request).execute().close())
                .as("let through, and closed by the canary")
                .isNotInstanceOf(AddressRules.ForbiddenAddressException.class);
        int letThrough = CONNECTIONS.get();
        assertThat(letThrough).isPositive();
        assertThatThrownBy(() -> http.newCall(request).execute().close())
                .isInstanceOf(AddressRules.ForbiddenAddressException.class);
        assertThat(CONNECTIONS).hasValue(letThrough);
    }

    @Test
    void forbiddenRedirectDoesNotCountAsFailureOfTheUpstream() throws Exception {
        String base = server.url(server.redirectingTo(url("169.254.169.254")));
        CachedSource source = source(base, Dns.SYSTEM);
        for (int i = 0; i < 6; i++) {
            assertThat(source.fetch(ID, FetchProgress.NONE)).returns("broken", FetchOutcome::word);
        }
    }

    @Test
    void configuredMeansSchemeHostAndPort() {
        UpstreamHttp http = http("http://configured.test:8002/x/", Dns.SYSTEM);
        assertThat(http.isConfigured(HttpUrl.get("http://CONFIGURED.test:8002/y")))
                .isTrue();
        assertThat(http.isConfigured(HttpUrl.get("https://configured.test:8002/x/")))
                .isFalse();
        assertThat(http.isConfigured(HttpUrl.get("http://configured.test/x/"))).isFalse();
        assertThat(http.isConfigured(HttpUrl.get("http://configured.test.:8002/x/")))
                .isFalse();
    }
}
