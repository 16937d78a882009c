package dev.offsetd.server.sources;

import static dev.offsetd.server.sources.UpstreamFixture.ID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.TlsAccess;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.sources.outcome.Cause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parts of an executable that an upstream delivers by ranges, compared with the whole one. */
class ProgramPartsIntegrationTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);

    /** Smaller than the executable, so that it is not fetched whole. */
    private static final long LIMIT = 10_000;

    @TempDir
    private Path folder;

    private RangeUpstream server;
    private UpstreamFixture upstreams;
    private Path executable;

    @BeforeEach
    void start() throws IOException {
        Path source = Files.writeString(folder.resolve("library.c"), """
                __thread int first = 1;
                __thread long second[3] = {2};
                static __thread int third;
                char filling[300000] = {1};
                int *one(void) { return &first; }
                long *two(void) { return second; }
                int *three(void) { return &third; }
                """);
        executable = folder.resolve("library.so");
        RequiredTool.require("gcc")
                .output("-g", "-fPIC", "-shared", "-Wl,--build-id=0x" + ID, source, "-o", executable);
        server = new RangeUpstream();
        server.hasExecutable(ID, Files.readAllBytes(executable));
        upstreams = new UpstreamFixture(folder.resolve("cache"));
    }

    @AfterEach
    void stop() throws IOException {
        upstreams.close();
        server.close();
    }

    private FetchOutcome fetch(long maxBytes) throws InterruptedException {
        return fetch(maxBytes, gate());
    }

    /** Returns a gate that one failure closes. */
    private UpstreamGate gate() {
        return UpstreamFixture.gate(
                UpstreamFixture.policy(server.url(), UpstreamFixture.PATIENT),
                UpstreamFixture.upstreams("breaker.failures=1"));
    }

    private FetchOutcome fetch(long maxBytes, UpstreamGate gate) throws InterruptedException {
        UpstreamPolicy policy = UpstreamFixture.policy(server.url(), UpstreamFixture.PATIENT);
        FetchProperties.Upstreams properties = UpstreamFixture.upstreams();
        return upstreams
                .source(policy, policy.http(UpstreamFixture.clients(properties)), new Semaphore(1), gate)
                .fetch(FileRequest.of(ID, FileKind.PROGRAM, maxBytes, ForwardedFor.NONE));
    }

    /** Facts in an executable. */
    private record Facts(List<FileOffsets.Segment> segments, Optional<TlsAccess> tls) {}

    private static Facts facts(Path file) throws IOException, ExtractionException {
        return DebugInfo.read(
                file, OPTIONS, info -> new Facts(info.fileOffsets().segments(), info.tlsAccess()));
    }

    @Test
    void partsSayWhatTheWholeExecutableSays() throws Exception {
        Facts expected = facts(executable);
        assertThat(expected.segments()).isNotEmpty();
        assertThat(expected.tls()).isNotNull();
        Path place;
        try (CachedFile parts = UpstreamFixture.fetched(fetch(LIMIT))) {
            place = parts.path();
            assertThat(facts(place)).isEqualTo(expected);
            assertThat(parts.wireBytes()).isPositive().isLessThan(Files.size(executable) / 10);
            assertThat(parts.bytes()).isEqualTo(Files.size(executable));
        }
        assertThat(place).doesNotExist();
        assertThat(server.ranges())
                .startsWith("bytes=0-4095")
                .doesNotContain("")
                .hasSizeLessThan(8);
        upstreams.assertNoFiles();
    }

    @Test
    void executableOfAnUpstreamWithoutRangesIsFetchedWhole() throws Exception {
        server.ignoreRanges();
        assertThat(fetch(LIMIT))
                .isInstanceOfSatisfying(
                        FetchOutcome.Failed.class,
                        failed -> assertThat(failed.cause()).isEqualTo(Cause.TOO_LARGE));
        try (CachedFile whole = UpstreamFixture.fetched(fetch(UpstreamFixture.MAX_FILE_BYTES))) {
            assertThat(whole.path()).hasSameBinaryContentAs(executable);
            assertThat(whole.path().toString()).endsWith(".executable");
        }
        int requests = server.ranges().size();
        UpstreamFixture.fetched(fetch(LIMIT)).close();
        assertThat(server.ranges()).as("it is in the disk cache").hasSize(requests);
    }

    @ParameterizedTest
    @CsvSource({"WHOLE_FILE,2", "OTHER_SIZE,2", "OTHER_ETAG,2", "WHOLE_FILE,3", "MISS,3"})
    void executableOfWhichAPartIsNotDeliveredIsFetchedWhole(RangeFault fault, int number) throws Exception {
        server.script(ID, number, fault);
        UpstreamGate gate = gate();
        try (CachedFile whole = UpstreamFixture.fetched(fetch(UpstreamFixture.MAX_FILE_BYTES, gate))) {
            assertThat(whole.path()).hasSameBinaryContentAs(executable);
        }
        upstreams.assertNoTemporaryFiles();
        assertThat(gate.closedBecause()).isEmpty();
        assertThat((long)
                        upstreams.meters.get("offsetd.upstream.bytes").counter().count())
                .isGreaterThanOrEqualTo(Files.size(executable) + ProgramDownload.START.bytes());
    }

    @Test
    void brokenTransferOfTheWholeExecutableCountsForTheBreaker() throws Exception {
        server.script(ID, 2, RangeFault.WHOLE_FILE);
        server.cutWholeFiles();
        UpstreamGate gate = gate();
        assertThat(fetch(UpstreamFixture.MAX_FILE_BYTES, gate)).isInstanceOf(FetchOutcome.Failed.class);
        assertThat(gate.closedBecause()).isPresent();
    }

    @Test
    void debugFileInPlaceOfTheExecutableSaysNothing() throws Exception {
        for (String command : new String[] {"objcopy", "eu-strip"}) {
            Path debugFile = folder.resolve(command + ".debug");
            if (command.equals("objcopy")) {
                RequiredTool.require(command).output("--only-keep-debug", executable, debugFile);
            } else {
                RequiredTool.require(command).output("-f", debugFile, "-o", folder.resolve("rest"), executable);
            }
            server.hasExecutable(ID, Files.readAllBytes(debugFile));
            try (CachedFile parts = UpstreamFixture.fetched(fetch(LIMIT))) {
                assertThat(facts(parts.path())).isEqualTo(facts(debugFile));
                assertThat(facts(parts.path()).segments()).isEmpty();
            }
        }
    }

    @Test
    void partsOfAnotherBuildAreRefused() throws Exception {
        Path other = folder.resolve("other.so");
        RequiredTool.require("gcc")
                .output(
                        "-fPIC",
                        "-shared",
                        "-Wl,--build-id=0x" + UpstreamFixture.OTHER_ID,
                        folder.resolve("library.c"),
                        "-o",
                        other);
        server.hasExecutable(ID, Files.readAllBytes(other));
        assertThat(fetch(LIMIT).toString()).contains("NT_GNU_BUILD_ID is " + UpstreamFixture.OTHER_ID);
        upstreams.assertNoFiles();
    }

    @Test
    void executableThatNobodyHasIsNotFound() throws Exception {
        server.close();
        server = new RangeUpstream();
        assertThat(fetch(LIMIT)).isInstanceOf(FetchOutcome.NotFound.class);
    }
}
