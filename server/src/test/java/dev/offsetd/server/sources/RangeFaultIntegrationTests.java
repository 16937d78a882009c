package dev.offsetd.server.sources;

import static dev.offsetd.server.sources.UpstreamFixture.ID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.SmallDisk;
import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import dev.offsetd.server.sources.http.Timeouts;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.testkit.SmallBuild;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every fault in the middle of fetching the sections of a file by ranges. */
class RangeFaultIntegrationTests {

    /** Requests for the section header table and for the names come first; what follows are the sections. */
    private static final int FIRST_OF_SECTIONS = 3;

    private static final byte[] FILE = SmallBuild.largeDebugFile(ID);

    @TempDir
    private Path folder;

    private RangeUpstream server;
    private UpstreamFixture upstreams;

    @BeforeEach
    void start() throws IOException {
        server = new RangeUpstream();
        server.has(ID, FILE);
        upstreams = new UpstreamFixture(folder.resolve("cache"));
    }

    @AfterEach
    void stop() throws IOException {
        upstreams.close();
        server.close();
    }

    private CachedSource source(Timeouts timeouts) {
        UpstreamPolicy policy = UpstreamFixture.policy(server.url(), timeouts);
        FetchProperties.Upstreams properties = UpstreamFixture.upstreams();
        return upstreams.source(
                policy,
                policy.http(UpstreamFixture.clients(properties)),
                new Semaphore(1),
                UpstreamFixture.gate(policy, properties),
                2L * FILE.length,
                FILE.length / 2);
    }

    private static Timeouts timeouts(RangeFault fault) {
        return fault.taken() == Fault.Taken.TIMED_OUT ? UpstreamFixture.IMPATIENT : UpstreamFixture.PATIENT;
    }

    @ChecklistRow(33)
    @Test
    void sectionsAreASmallPartOfTheFile() throws Exception {
        try (CachedFile sections =
                UpstreamFixture.fetched(source(UpstreamFixture.PATIENT).fetch(ID, FetchProgress.NONE))) {
            Path whole = Files.write(folder.resolve("whole.debug"), FILE);
            Path slim = folder.resolve("slim.debug");
            try (var out = Files.newOutputStream(slim)) {
                DebugInfo.read(whole, new ReadOptions(Limits.DEFAULT, 1), info -> info.writeSlim(out));
            }
            assertThat(sections.path()).hasSameBinaryContentAs(slim);
            assertThat(sections.wireBytes()).isLessThan(FILE.length / 4);
        }
    }

    @ChecklistRow({6, 7, 8, 9, 33})
    @ParameterizedTest
    @EnumSource
    void faultAmongTheSectionsIsAFailureAndLeavesNoFile(RangeFault fault) throws Exception {
        server.script(ID, FIRST_OF_SECTIONS, fault);
        CachedSource source = source(timeouts(fault));

        FetchOutcome outcome = source.fetch(ID, FetchProgress.NONE);

        assertThat(taken(outcome)).as("%s", outcome).isEqualTo(fault.taken());
        upstreams.assertNoFiles();
        // A later attempt is not disturbed.
        try (CachedFile file =
                UpstreamFixture.fetched(source(UpstreamFixture.PATIENT).fetch(ID, FetchProgress.NONE))) {
            assertThat(file.path().toString()).endsWith(".sections");
        }
    }

    /** Sections are first written to a sparse file, whose announced size does not count. */
    @ChecklistRow(16)
    @Test
    void fullDiskWhileSectionsArriveIsALocalFailureThatLeavesNoFile() throws Exception {
        upstreams.close();
        Path cache = Files.createDirectory(folder.resolve("small"));
        try (SmallDisk _ = SmallDisk.over(cache, "size=160k")) {
            upstreams = new UpstreamFixture(cache);
            Path ballast = Files.write(cache.resolve("ballast"), new byte[120 << 10]);

            FetchOutcome outcome = source(UpstreamFixture.PATIENT).fetch(ID, FetchProgress.NONE);

            assertThat(outcome).returns("local_failure", FetchOutcome::word);
            assertThat(outcome.toString()).contains("No space left on device");
            Files.delete(ballast);
            upstreams.assertNoFiles();
            try (CachedFile file =
                    UpstreamFixture.fetched(source(UpstreamFixture.PATIENT).fetch(ID, FetchProgress.NONE))) {
                assertThat(file.path().toString()).endsWith(".sections");
            }
        }
    }

    /** The response with the whole file is still open then. */
    @ChecklistRow(33)
    @ParameterizedTest
    @MethodSource
    void upstreamThatDeliversNoRangesSendsTheWholeFile(RangeFault fault, int number) throws Exception {
        server.script(ID, number, fault);
        try (CachedFile file =
                UpstreamFixture.fetched(source(UpstreamFixture.PATIENT).fetch(ID, FetchProgress.NONE))) {
            assertThat(file.path()).hasBinaryContent(FILE);
            assertThat(file.path().toString()).endsWith(".debug");
        }
        upstreams.assertNoTemporaryFiles();
    }

    static Stream<Arguments> upstreamThatDeliversNoRangesSendsTheWholeFile() {
        return Stream.of(RangeFault.WHOLE_FILE, RangeFault.OTHER_SIZE, RangeFault.OTHER_ETAG, RangeFault.MISS)
                .flatMap(fault -> Stream.of(1, 2).map(number -> Arguments.of(fault, number)));
    }

    @ChecklistRow(33)
    @Test
    void rangesOfAnotherBuildAreNotItsSections() throws Exception {
        byte[] other = SmallBuild.largeDebugFile(UpstreamFixture.OTHER_ID);
        server.has(ID, other);

        FetchOutcome outcome = source(UpstreamFixture.PATIENT).fetch(ID, FetchProgress.NONE);

        assertThat(outcome.toString()).contains("NT_GNU_BUILD_ID is " + UpstreamFixture.OTHER_ID);
        upstreams.assertNoFiles();
    }

    private static Fault.Taken taken(FetchOutcome outcome) {
        return switch (outcome) {
            case FetchOutcome.Failed(Cause cause, String _) ->
                switch (cause) {
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
}
