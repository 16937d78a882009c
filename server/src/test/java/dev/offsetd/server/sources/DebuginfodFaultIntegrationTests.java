package dev.offsetd.server.sources;

import static dev.offsetd.server.sources.UpstreamFixture.ID;
import static dev.offsetd.server.sources.UpstreamFixture.OTHER_ID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import dev.offsetd.server.sources.http.Timeouts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import okhttp3.HttpUrl;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.apache.commons.codec.digest.DigestUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every fault of {@link FaultServer}, through the real HTTP client. */
class DebuginfodFaultIntegrationTests {

    private static final byte[] FILE = TestElf.of(ID);

    /** Bytes of an endless response that the kernel may buffer after the client has read tens of kilobytes. */
    private static final long MAX_UNREAD_BYTES = 8 << 20;

    private static FaultServer server;

    @TempDir
    private Path folder;

    private UpstreamFixture upstreams;

    @BeforeAll
    static void start() {
        server = FaultServer.serving(FILE, TestElf.of(OTHER_ID));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() throws IOException {
        upstreams = new UpstreamFixture(folder);
    }

    @AfterEach
    void close() throws IOException {
        upstreams.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ok", "nolength", "chunked", "chunked_tiny", "gzip", "early_hints", "redir", "redir3"})
    void completeFileOfTheBuildIsFetchedOnce(String mode) throws Exception {
        try (CachedFile file = UpstreamFixture.fetched(ask(mode, 1))) {
            assertThat(file.path()).hasBinaryContent(FILE);
            assertThat(file.bytes()).isEqualTo(FILE.length);
            assertThat(file.sha256()).isEqualTo(DigestUtils.sha256Hex(Files.readAllBytes(file.path())));
            assertThat(file.source()).isEqualTo(server.url(mode));
            assertThat(file.verified()).isEqualTo("build-id note");
            assertThat(file.elf().buildId()).isEqualTo(ID);
            assertThat(Files.getPosixFilePermissions(file.path())).hasToString("[OWNER_READ]");
        }
        upstreams.assertNoTemporaryFiles();
    }

    @Test
    void status404IsNotFoundButNotTheLastWord() throws Exception {
        assertThat(ask("404", 1)).isEqualTo(new FetchOutcome.NotFound(FetchOutcome.Finality.MAY_HIDE_A_FAILURE));
        upstreams.assertNoFiles();
    }

    @ChecklistRow(19)
    @Test
    void upstreamThatKnowsAllItHasMeansIts404() throws Exception {
        UpstreamPolicy policy = new UpstreamPolicy(
                HttpUrl.get(server.url("404")),
                true,
                UpstreamKind.AUTHORITATIVE,
                List.of(),
                UpstreamFixture.PATIENT,
                false);
        assertThat(upstreams.source(policy).fetch(ID, FetchProgress.NONE))
                .isEqualTo(new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL));
    }

    @ChecklistRow(19)
    @Test
    void upstreamThatPreparesFilesHasItTheSecondTime() throws Exception {
        UpstreamPolicy policy = new UpstreamPolicy(
                HttpUrl.get(server.url("404_then_ok")),
                true,
                UpstreamKind.ON_DEMAND,
                List.of(),
                UpstreamFixture.PATIENT,
                false);
        CachedSource source = upstreams.source(policy);
        assertThat(source.fetch(ID, FetchProgress.NONE))
                .isEqualTo(new FetchOutcome.NotFound(FetchOutcome.Finality.MAY_COME_LATER));
        UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE)).close();
    }

    @Test
    void status410IsNotFoundForGood() throws Exception {
        assertThat(ask("410", 1)).isEqualTo(new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL));
        upstreams.assertNoFiles();
    }

    @ChecklistRow(6)
    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 429, 451, 500, 502, 503, 504})
    void otherErrorStatusIsRefusedAndNeverNotFound(int status) throws Exception {
        assertThat(ask(String.valueOf(status), 1))
                .isEqualTo(new FetchOutcome.Refused(status, Duration.ofSeconds(1), "HTTP status " + status));
        upstreams.assertNoFiles();
    }

    @ChecklistRow({6, 7, 8})
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "206 | HTTP status 206; expected 200",
                "304 | HTTP status 304; expected 200",
                "trunc_cl | failed after %h bytes of the body: \"java.net.ProtocolException: unexpected end of stream\"",
                "trunc_nocl | body of %h bytes; X-DEBUGINFOD-SIZE is %n",
                "trunc_bare | file: elf header",
                "gzip_cut | java.io.EOFException",
                "chunked_cut | unexpected end of stream",
                "closed | failed after 0 bytes of the body: \"java.io.IOException: unexpected end of stream on http://127.0.0.1",
                "reset | failed after 0 bytes of the body",
                "reset_body | failed after",
                "wrongmachine | elf header: machine s390x, 64-bit, little-endian; there is no such processor",
                "wrongid | NT_GNU_BUILD_ID is ffffffffffffffffffffffffffffffffffffffff; expected 0123456789abcdef",
                "noid | no NT_GNU_BUILD_ID note; expected 0123456789abcdef",
                "text200 | file: elf header",
                "empty200 | HTTP status 200 with an empty body",
                "badsize | X-DEBUGINFOD-SIZE is \"many\"; expected a number of bytes",
                "badcoding | Content-Encoding is \"br\"; expected gzip or none",
                "notgzip | failed after 0 bytes of the body: \"java.io.IOException: ID1ID2",
                "garbage | java.net.ProtocolException: Unexpected status line: SSH-2.0-OpenSSH\\u001b[31m",
                "headerflood | bytes; expected at most 16384",
                "headerflood_huge | ProtocolException: more than 24576 bytes without a byte of the body",
                "chunk_extension_endless | ProtocolException: more than 24576 bytes without a byte of the body",
                "gzip_name_endless | ProtocolException: more than 24576 bytes without a byte of the body",
                "length_negative | expected one number of bytes",
                "length_twice | expected one number of bytes",
                "status_negative | code < 0: -12",
                "redir_bracket | redirect to \"http://[::1\"; expected an http or https URL",
                "redir_file | redirect to \"file:///etc/passwd\"; expected an http or https URL",
                "redir_nowhere | redirect without a Location header",
            })
    void invalidResponseIsBrokenAndNamesTheReason(String mode, String detail) throws Exception {
        FetchOutcome outcome = ask(mode, 1);
        assertThat(outcome).returns("broken", FetchOutcome::word);
        assertThat(((FetchOutcome.Failed) outcome).detail())
                .contains(detail.replace("%h", String.valueOf(FILE.length / 2))
                        .replace("%n", String.valueOf(FILE.length)))
                .doesNotContainPattern("\\p{Cntrl}");
        upstreams.assertNoFiles();
    }

    /** Every response has a typed outcome, and a failed request is counted as such. */
    @ChecklistRow({3, 6, 7, 8, 9, 10})
    @ParameterizedTest
    @EnumSource
    void everyFaultHasItsOutcomeAndTheNextFileIsFetched(Fault fault) throws Exception {
        boolean impatient = fault.taken() == Fault.Taken.TIMED_OUT;
        Optional<FetchOutcome> next = nextAfter(fault, "upstream_" + fault.mode());
        // On a busy machine the next file may come too late for the short timeouts.
        for (int again = 1; again <= 3 && impatient && next.isPresent() && isTimedOut(next.get()); again++) {
            next = nextAfter(fault, "upstream_" + again + fault.mode());
        }
        if (next.isPresent()) {
            UpstreamFixture.fetched(next.get()).close();
        }
    }

    private static boolean isTimedOut(FetchOutcome outcome) {
        return outcome.word().equals("timed_out");
    }

    /** Returns what the same source fetches after the fault, or empty if the upstream asks for a pause. */
    private Optional<FetchOutcome> nextAfter(Fault fault, String upstream) throws Exception {
        Timeouts timeouts =
                fault.taken() == Fault.Taken.TIMED_OUT ? UpstreamFixture.IMPATIENT : UpstreamFixture.PATIENT;
        server.script(upstream, ID, fault);
        UpstreamPolicy policy = UpstreamFixture.policy(server.url(upstream), timeouts);
        UpstreamGate gate = UpstreamFixture.gate(policy, UpstreamFixture.upstreams());
        CachedSource source = upstreams.source(
                policy, policy.http(UpstreamFixture.clients(UpstreamFixture.upstreams())), new Semaphore(1), gate);

        FetchOutcome outcome = source.fetch(ID, FetchProgress.NONE);
        assertThat(taken(outcome)).as("%s", outcome).isEqualTo(fault.taken());
        UpstreamHealth health = gate.health();
        assertThat(health.requests()).isEqualTo(1);
        assertThat(health.failures()).isEqualTo(isFailure(fault) ? 1 : 0);
        if (isFailure(fault)) {
            assertThat(health.lastFailure())
                    .isNotBlank()
                    .doesNotContainPattern("\\p{Cntrl}")
                    .hasSizeLessThan(1000);
        }
        if (fault.isEndless()) {
            assertThat(server.hits(upstream, ID)).isEqualTo(1);
            assertThat(server.pushed(upstream, ID)).isLessThan(MAX_UNREAD_BYTES);
        }
        upstreams.assertNoFiles();

        if (health.retryAfter().isZero()) {
            server.script(upstream, ID, "ok");
            return Optional.of(source.fetch(ID, FetchProgress.NONE));
        }
        assertThat(health.retryAfter()).isLessThanOrEqualTo(Duration.ofMinutes(5));
        return Optional.empty();
    }

    private static Fault.Taken taken(FetchOutcome outcome) {
        return switch (outcome) {
            case FetchOutcome.Failed failed ->
                switch (failed.cause()) {
                    case UPSTREAM_BROKEN -> Fault.Taken.BROKEN;
                    case UPSTREAM_SILENT -> Fault.Taken.TIMED_OUT;
                    case TOO_LARGE -> Fault.Taken.TOO_LARGE;
                    default -> throw new AssertionError(outcome.toString());
                };
            case FetchOutcome.Refused _ -> Fault.Taken.REFUSED;
            case FetchOutcome.NotFound _ -> Fault.Taken.NOT_FOUND;
            case FetchOutcome.Fetched _, FetchOutcome.Skipped _ ->
                throw new AssertionError("no outcome of a fault: " + outcome);
        };
    }

    private static boolean isFailure(Fault fault) {
        return switch (fault.taken()) {
            case BROKEN, REFUSED, TIMED_OUT -> true;
            case NOT_FOUND, TOO_LARGE -> false;
        };
    }

    /** The bound also applies behind TLS and to its handshake. */
    @ChecklistRow(3)
    @ParameterizedTest
    @EnumSource(names = {"CHUNK_EXTENSION_ENDLESS", "HEADER_ENDLESS", "TRAILER_ENDLESS", "GZIP_NAME_ENDLESS"})
    void framingIsBoundedBehindTls(Fault fault) throws Exception {
        HeldCertificate certificate = new HeldCertificate.Builder()
                .addSubjectAlternativeName("127.0.0.1")
                .build();
        Path trusted = Files.writeString(folder.resolveSibling("ca-" + fault + ".pem"), certificate.certificatePem());
        try (FaultServer tls = FaultServer.over(
                new HandshakeCertificates.Builder()
                        .heldCertificate(certificate)
                        .build()
                        .sslContext()
                        .getServerSocketFactory(),
                FILE)) {
            String url = tls.url(fault).replace("http:", "https:");
            FetchOutcome outcome =
                    upstreams.configured(url, "ca-file=" + trusted).fetch(ID, FetchProgress.NONE);
            assertThat(outcome).returns("broken", FetchOutcome::word);
            assertThat(outcome.toString()).contains("without a byte of the body");
            assertThat(tls.hits(fault.mode())).isEqualTo(1);
            assertThat(tls.pushed(fault.mode())).isLessThan(MAX_UNREAD_BYTES);
            String sound = tls.url("chunked_tiny").replace("http:", "https:");
            UpstreamFixture.fetched(
                            upstreams.configured(sound, "ca-file=" + trusted).fetch(ID, FetchProgress.NONE))
                    .close();
        }
    }

    @ChecklistRow(3)
    @Test
    void endlessHandshakeIsBroken() throws Exception {
        String url = server.url("tls").replace("http:", "https:");
        assertThat(upstreams.configured(url).fetch(ID, FetchProgress.NONE)).returns("broken", FetchOutcome::word);
        assertThat(server.hits("tls")).isPositive();
        assertThat(server.pushed("tls")).isLessThan(MAX_UNREAD_BYTES);
        upstreams.assertNoFiles();
    }

    @ChecklistRow(3)
    @ParameterizedTest
    @CsvSource({"bomb, body goes on after 1000000 bytes", "bomb_nocl, body goes on after 1000000 bytes"})
    void endlessBodyStopsAtTheLimit(String mode, String detail) throws Exception {
        assertThat(ask(mode, 1)).isEqualTo(FetchOutcome.tooLarge(detail));
        upstreams.assertNoFiles();
    }

    @ChecklistRow(3)
    @ParameterizedTest
    @CsvSource({
        "drip, Content-Length is 10000000",
        "sparse, Content-Length is 1100000000",
        "oversize, X-DEBUGINFOD-SIZE is 67108864"
    })
    void bodyAnnouncedOverTheLimitIsNotRead(String mode, String detail) throws Exception {
        assertThat(ask(mode, 1)).isEqualTo(FetchOutcome.tooLarge(detail));
        upstreams.assertNoFiles();
    }

    @ChecklistRow({6, 9})
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hang | no response headers within 700 ms",
                "headerdrip | no response headers within 700 ms",
                "stall | silent after %h bytes of the body",
                "slow | less than 1000 bytes per second",
            })
    void silentOrSlowUpstreamTimesOut(String mode, String detail) throws Exception {
        Duration patient = Duration.ofSeconds(20);
        Timeouts timeouts = detail.startsWith("no response headers")
                ? new Timeouts(patient, Duration.ofMillis(700), patient, patient)
                : new Timeouts(patient, patient, Duration.ofMillis(900), patient);
        FetchOutcome outcome = ask(mode, 1, timeouts);
        assertThat(outcome).returns("timed_out", FetchOutcome::word);
        assertThat(((FetchOutcome.Failed) outcome).detail())
                .startsWith(detail.replace("%h", String.valueOf(FILE.length / 2)));
        upstreams.assertNoFiles();
    }

    @ChecklistRow(42)
    @ParameterizedTest
    @ValueSource(strings = {"slow", "chunk_drip"})
    void upstreamThatSendsFewBytesHoldsARequestForTheStallTimeoutOnly(String mode) throws Exception {
        Timeouts slow = new Timeouts(
                Duration.ofSeconds(20), Duration.ofSeconds(20), Duration.ofMillis(500), Duration.ofDays(1));
        assertThat(ask(mode, 1, slow)).returns("timed_out", FetchOutcome::word);
    }

    @ChecklistRow(9)
    @Test
    void wholeFileMustArriveWithinTheTotalTimeout() throws Exception {
        Timeouts brief = new Timeouts(
                Duration.ofSeconds(20), Duration.ofSeconds(20), Duration.ofSeconds(20), Duration.ofMillis(500));
        assertThat(((FetchOutcome.Failed) ask("slow", 1, brief)).detail()).startsWith("not complete within 500 ms");
    }

    @ChecklistRow(10)
    @ParameterizedTest
    @CsvSource({"loop, 4", "redir4, 1"})
    void fourthRedirectIsNotFollowed(String mode, int hits) throws Exception {
        int before = server.hits("ok");
        assertThat(ask(mode, hits)).isEqualTo(FetchOutcome.broken("more than 3 redirects"));
        assertThat(server.hits("ok")).isEqualTo(before);
        upstreams.assertNoFiles();
    }

    private FetchOutcome ask(String mode, int expectedHits) throws InterruptedException {
        return ask(mode, expectedHits, UpstreamFixture.PATIENT);
    }

    /** Fetches the build, and counts the requests in this mode. */
    private FetchOutcome ask(String mode, int expectedHits, Timeouts timeouts) throws InterruptedException {
        int before = server.hits(mode);
        FetchOutcome outcome =
                upstreams.source(server.url(mode), timeouts, new Semaphore(1)).fetch(ID, FetchProgress.NONE);
        // The client may have given up before a busy server reads the request.
        for (int i = 0; i < 3000 && server.hits(mode) - before < expectedHits; i++) {
            Thread.sleep(10);
        }
        assertThat(server.hits(mode) - before).isEqualTo(expectedHits);
        return outcome;
    }
}
