package dev.offsetd.server.sources;

import static dev.offsetd.server.sources.UpstreamFixture.ID;
import static dev.offsetd.server.sources.UpstreamFixture.IMPATIENT;
import static dev.offsetd.server.sources.UpstreamFixture.OTHER_ID;
import static dev.offsetd.server.sources.UpstreamFixture.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import dev.offsetd.server.sources.http.Timeouts;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Origin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Cache, limits, interrupts and disk failures of a source. {@link DebuginfodFaultIntegrationTests} covers the outcomes. */
@ExtendWith(OutputCaptureExtension.class)
class CachedSourceIntegrationTests {

    @TempDir
    private Path folder;

    private FaultServer server;
    private UpstreamFixture upstreams;

    @BeforeEach
    void start() throws IOException {
        server = FaultServer.serving(TestElf.of(ID), TestElf.of(OTHER_ID));
        upstreams = new UpstreamFixture(folder);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        upstreams.close();
    }

    @Test
    void cachedFileIsServedWithoutARequest() throws Exception {
        CachedSource first = upstreams.source(server.url("ok"));
        CachedSource second = upstreams.source(server.url("chunked"));
        UpstreamFixture.fetched(first.fetch(ID, FetchProgress.NONE)).close();
        for (DebugFileSource source :
                List.of(first, second, new FetchConfiguration.OfflineCacheSource(upstreams.cache))) {
            assertThat(source.origin()).isEqualTo(Origin.DEBUGINFOD);
            try (CachedFile file = UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE))) {
                assertThat(file.source()).isEqualTo(first.name());
            }
        }
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void offlineServerSendsNoRequests() throws Exception {
        DebugFileSource offline = new FetchConfiguration.OfflineCacheSource(upstreams.cache);
        assertThat(offline.name()).isEqualTo("disk cache");
        assertThat(offline.fetch(ID, FetchProgress.NONE))
                .isEqualTo(new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL));
    }

    @Test
    void editedFileInTheCacheIsFetchedAgain() throws Exception {
        CachedSource source = upstreams.source(server.url("ok"));
        CachedFile file = UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE));
        file.close();
        Files.delete(file.path());
        Files.write(file.path(), TestElf.of(ID, 99));
        try (CachedFile again = UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE))) {
            assertThat(again.path()).hasBinaryContent(TestElf.of(ID));
        }
        assertThat(server.hits("ok")).isEqualTo(2);
    }

    @Test
    void requestHasPathAndUserAgent() throws Exception {
        UpstreamFixture.fetched(upstreams.source(server.url("ok")).fetch(ID, FetchProgress.NONE))
                .close();
        assertThat(server.requests())
                .singleElement()
                .asString()
                .startsWith("GET /ok/buildid/0123456789abcdef0123456789abcdef01234567/debuginfo HTTP/1.1\r\n")
                .contains("\r\nUser-Agent: offsetd/1.2 (+ops@example.org)\r\n")
                .contains("\r\nAccept-Encoding: gzip, identity\r\n");
    }

    @ChecklistRow(4)
    @Test
    void credentialsAreSentToTheUpstreamOnlyAndNeverLogged(CapturedOutput output) throws Exception {
        String url = server.url("redir_host").replace("http://", "http://user:secret@");
        CachedSource source = upstreams.configured(url, "allowed-networks=127.0.0.0/8,::1/128");
        assertThat(source.name()).isEqualTo(server.url("redir_host"));
        UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE)).close();
        String basic = Base64.getEncoder().encodeToString("user:secret".getBytes(StandardCharsets.UTF_8));
        assertThat(server.requests()).hasSize(2);
        assertThat(server.requests().get(0)).contains("\r\nAuthorization: Basic " + basic + "\r\n");
        assertThat(server.requests().get(1)).doesNotContain("Authorization");
        assertThat(output).doesNotContain("secret");
        assertThat(UpstreamFixture.filesIn(folder))
                .filteredOn(path -> path.toString().endsWith(".json"))
                .singleElement()
                .satisfies(sidecar -> assertThat(sidecar).content().doesNotContain("secret"));
    }

    @Test
    void refusedConnectionIsBroken() throws Exception {
        CachedSource source = upstreams.source(server.url("ok"));
        server.close();
        assertThat(source.fetch(ID, FetchProgress.NONE))
                .returns("broken", FetchOutcome::word)
                .isInstanceOfSatisfying(
                        FetchOutcome.Failed.class,
                        broken -> assertThat(broken.detail()).startsWith("no connection: \"Failed to connect to "));
        upstreams.assertNoFiles();
    }

    /** The name is reserved to have no address (RFC 6761 §6.4). */
    @Test
    void hostWithoutAnAddressIsBroken() throws Exception {
        assertThat(upstreams.source("http://debuginfod.invalid/").fetch(ID, FetchProgress.NONE))
                .isEqualTo(FetchOutcome.broken("its host has no address: the name is not known"));
        upstreams.assertNoFiles();
    }

    @Test
    void concurrentRequestsToOneHostAreBounded() throws Exception {
        Semaphore requestsToHost = new Semaphore(0);
        CachedSource impatient = upstreams.source(server.url("ok"), IMPATIENT, requestsToHost);
        assertThat(impatient.fetch(ID, FetchProgress.NONE))
                .isEqualTo(FetchOutcome.timedOut("other requests to this host took all of 2000 ms"));
        assertThat(server.hits("ok")).isZero();
        requestsToHost.release();
        CachedSource source = upstreams.source(server.url("ok"), PATIENT, requestsToHost);
        UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE)).close();
        assertThat(requestsToHost.availablePermits()).isEqualTo(1);
    }

    @Test
    void callersAtOneTimeShareADownloadAndItsFailure() throws Exception {
        // Long enough for both callers to come on a busy machine.
        Duration together = Duration.ofSeconds(4);
        Timeouts timeouts = new Timeouts(together, together, together, together);
        CachedSource source = upstreams.source(server.url("hang"), timeouts, new Semaphore(2));
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<FetchOutcome> one = callers.submit(() -> source.fetch(ID, FetchProgress.NONE));
            Future<FetchOutcome> other = callers.submit(() -> source.fetch(ID, FetchProgress.NONE));
            assertThat(one.get().word()).isEqualTo("timed_out");
            assertThat(other.get()).isEqualTo(one.get());
        }
        assertThat(server.hits("hang")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"hang", "stall"})
    void interruptEndsAFetchAndLeavesNoFile(String mode) throws Exception {
        Semaphore requestsToHost = new Semaphore(1);
        CachedSource source = upstreams.source(server.url(mode), PATIENT, requestsToHost);
        CompletableFuture<String> ending = new CompletableFuture<>();
        Thread caller = Thread.ofPlatform().start(() -> {
            try {
                ending.complete(source.fetch(ID, FetchProgress.NONE).toString());
            } catch (InterruptedException e) {
                ending.complete("interrupted");
            }
        });
        while (server.hits(mode) == 0) {
            Thread.sleep(1);
        }
        caller.interrupt();
        assertThat(ending.get(60, TimeUnit.SECONDS)).isEqualTo("interrupted");
        assertThat(requestsToHost.availablePermits()).isEqualTo(1);
        upstreams.assertNoFiles();
    }

    @Test
    void unwritableDiskIsALocalFailure() throws Exception {
        Path temporary = folder.resolve("tmp");
        Files.delete(temporary);
        Files.createFile(temporary);
        assertThat(upstreams.source(server.url("ok")).fetch(ID, FetchProgress.NONE))
                .returns("local_failure", FetchOutcome::word)
                .isInstanceOfSatisfying(
                        FetchOutcome.Failed.class,
                        failure -> assertThat(failure.detail()).isEqualTo("FileSystemException: Not a directory"));
        Files.delete(temporary);
        Files.createDirectory(temporary);
        UpstreamFixture.fetched(upstreams.source(server.url("ok")).fetch(ID, FetchProgress.NONE))
                .close();
    }

    @ChecklistRow(16)
    @Test
    void failedRenameIsALocalFailure() throws Exception {
        Path inTheWay = Files.createFile(folder.resolve("01"));
        assertThat(upstreams.source(server.url("ok")).fetch(ID, FetchProgress.NONE))
                .returns("local_failure", FetchOutcome::word);
        Files.delete(inTheWay);
        upstreams.assertNoFiles();
        UpstreamFixture.fetched(upstreams.source(server.url("ok")).fetch(ID, FetchProgress.NONE))
                .close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"garbage", "text200", "badcoding", "503", "404", "stall", "bomb"})
    void logLinesHaveNoControlCharacters(String mode, CapturedOutput output) throws Exception {
        upstreams.source(server.url(mode), IMPATIENT, new Semaphore(1)).fetch(ID, FetchProgress.NONE);
        assertThat(output.getAll().lines().filter(line -> line.contains(ID.toString())))
                .singleElement()
                .asString()
                .contains(server.url(mode))
                .doesNotContainPattern("\\p{Cntrl}");
    }

    @ChecklistRow({9, 20})
    @Test
    void silentUpstreamIsSkippedAfterAFewTimeouts() throws Exception {
        UpstreamPolicy policy = UpstreamFixture.policy(server.url("hang"), IMPATIENT);
        FetchProperties.Upstreams configured = UpstreamFixture.upstreams("breaker.failures=2");
        UpstreamGate gate = UpstreamFixture.gate(policy, configured);
        CachedSource source =
                upstreams.source(policy, policy.http(UpstreamFixture.clients(configured)), new Semaphore(1), gate);
        assertThat(source.fetch(ID, FetchProgress.NONE)).returns("timed_out", FetchOutcome::word);
        assertThat(source.fetch(OTHER_ID, FetchProgress.NONE)).returns("timed_out", FetchOutcome::word);
        for (int i = 0; i < 50; i++) {
            assertThat(source.fetch(ID, FetchProgress.NONE))
                    .isInstanceOfSatisfying(
                            FetchOutcome.Skipped.class,
                            skipped -> assertThat(skipped.cause()).isEqualTo(Cause.UPSTREAM_SILENT));
        }
        assertThat(server.hits("hang")).isEqualTo(2);
        assertThat(gate.health().breaker()).isEqualTo(UpstreamHealth.BreakerState.OPEN);
    }

    @ChecklistRow(20)
    @Test
    void cachedFileIsServedWhileTheUpstreamIsSkipped() throws Exception {
        UpstreamFixture.fetched(upstreams.source(server.url("ok")).fetch(ID, FetchProgress.NONE))
                .close();
        CachedSource source = upstreams.configured(server.url("reset"), "breaker.failures=1");
        assertThat(source.fetch(OTHER_ID, FetchProgress.NONE)).returns("broken", FetchOutcome::word);
        assertThat(source.fetch(OTHER_ID, FetchProgress.NONE)).isInstanceOf(FetchOutcome.Skipped.class);
        UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE)).close();
    }

    @ChecklistRow({6, 20})
    @ParameterizedTest
    @ValueSource(strings = {"429", "503"})
    void requestedPauseHoldsForEveryBuildUntilItEnds(String status) throws Exception {
        String mode = status + "_then_ok";
        UpstreamPolicy policy = UpstreamFixture.policy(server.url(mode), PATIENT);
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        UpstreamGate gate = new UpstreamGate(
                policy.name(), true, UpstreamFixture.upstreams().breaker(), new UpstreamFixture.SetClock(now));
        CachedSource source = upstreams.source(
                policy, policy.http(UpstreamFixture.clients(UpstreamFixture.upstreams())), new Semaphore(1), gate);
        assertThat(source.fetch(ID, FetchProgress.NONE)).isInstanceOf(FetchOutcome.Refused.class);
        assertThat(source.fetch(OTHER_ID, FetchProgress.NONE)).isInstanceOf(FetchOutcome.Skipped.class);
        assertThat(server.hits(mode)).isEqualTo(1);
        assertThat(upstreams.meters.get("offsetd.upstream.fetches").tag("upstream", policy.name()).timers().stream()
                        .map(timer -> timer.getId().getTag("outcome")))
                .as("a source that is skipped is not requested")
                .contains("refused", "timed_out")
                .doesNotContain("not_asked");
        now.set(Instant.EPOCH.plusSeconds(1));
        UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE)).close();
    }

    @ChecklistRow(33)
    @Test
    void transferredBytesAreCountedBeforeDecompression() throws Exception {
        try (CachedFile plain =
                UpstreamFixture.fetched(upstreams.source(server.url("ok")).fetch(ID, FetchProgress.NONE))) {
            assertThat(plain.wireBytes()).isEqualTo(plain.bytes());
        }
        try (CachedFile again =
                UpstreamFixture.fetched(upstreams.source(server.url("ok")).fetch(ID, FetchProgress.NONE))) {
            assertThat(again.wireBytes()).isZero();
        }
        Files.delete(BuildIdPath.below(folder, ID));
        try (CachedFile packed =
                UpstreamFixture.fetched(upstreams.source(server.url("gzip")).fetch(ID, FetchProgress.NONE))) {
            assertThat(packed.wireBytes()).isPositive().isLessThan(packed.bytes());
            assertThat(counted("offsetd.upstream.bytes", server.url("gzip"))).isEqualTo((double) packed.wireBytes());
        }
        upstreams.source(server.url("404")).fetch(OTHER_ID, FetchProgress.NONE);
        assertThat(upstreams
                        .meters
                        .get("offsetd.upstream.fetches")
                        .tag("upstream", server.url("404"))
                        .tag("outcome", "not_found")
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    private double counted(String counter, String upstream) {
        return upstreams.meters.get(counter).tag("upstream", upstream).counter().count();
    }
}
