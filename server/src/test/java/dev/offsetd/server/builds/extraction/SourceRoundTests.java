package dev.offsetd.server.builds.extraction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.offsetd.extractor.SupplementaryLink;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.EarlyBuild;
import dev.offsetd.server.builds.EarlyContent;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.Upload;
import dev.offsetd.server.builds.lease.WorkProgress;
import dev.offsetd.server.operations.compute.HeapShares;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.sources.DebugFileSource;
import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import dev.offsetd.server.sources.FetchOutcome;
import dev.offsetd.server.sources.FileHeaders;
import dev.offsetd.server.sources.FileRequest;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.testkit.SmallBuild;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class SourceRoundTests {

    private static final BuildId ID = BuildId.parse("0123456789abcdef0123456789abcdef01234567");

    private static final ExtractionProperties.Retry RETRY_TIMES = new ExtractionProperties.Retry(
            List.of(Duration.ofMinutes(10)),
            List.of(Duration.ofMinutes(2)),
            List.of(Duration.ofMinutes(2)),
            Duration.ofSeconds(30),
            Duration.ofHours(24),
            Duration.ofSeconds(2),
            Duration.ofMinutes(1));

    /** A source with a fixed answer. */
    private record Stub(String name, Origin origin, Supplier<FetchOutcome> answer) implements DebugFileSource {
        @Override
        public FetchOutcome fetch(BuildId id, FetchProgress progress) {
            return answer.get();
        }

        @Override
        public FetchOutcome fetch(FileRequest request) {
            return answer.get();
        }
    }

    private static AttemptResult.Without run(DebugFileSource... sources) throws InterruptedException {
        return (AttemptResult.Without) run(mock(DebugFileReader.class), EarlyConsumer.none(), sources);
    }

    private static AttemptResult run(
            DebugFileReader reader, EarlyConsumer<EarlyBuild> early, DebugFileSource... sources)
            throws InterruptedException {
        return new SourceRound(List.of(sources), reader, RETRY_TIMES, 0)
                .run(build(BuildState.FAILED, null), true, mock(WorkProgress.class), early);
    }

    private static Build build(BuildState state, @Nullable StoredFile file) {
        return new Build(
                ID,
                state,
                true,
                false,
                false,
                0,
                file,
                null,
                null,
                null,
                new PartVersions(0, 0),
                Duration.ZERO,
                0,
                List.of());
    }

    private static CachedFile file(Path path, String sha256) {
        CachedFile file = mock(CachedFile.class);
        when(file.path()).thenReturn(path);
        when(file.sha256()).thenReturn(sha256);
        when(file.source()).thenReturn("source");
        when(file.origin()).thenReturn(Origin.LOCAL);
        when(file.verified()).thenReturn("build-id note");
        when(file.names()).thenReturn(Identity.UNKNOWN);
        when(file.headers()).thenReturn(new FileHeaders(null, null, null));
        return file;
    }

    /** A second turn would have to wait, and its failure would make the file unusable. */
    @Test
    @Timeout(60)
    void fileOfASourceIsReadInOneTurn(@TempDir Path folder) throws Exception {
        HeapShares shares = new HeapShares(1, 1 << 20);
        CountDownLatch ended = new CountDownLatch(1);
        Thread next = Thread.ofPlatform().unstarted(() -> holdHeap(shares, ended));
        EarlyConsumer<EarlyBuild> nextQueues = new EarlyConsumer<>(EarlyContent.Wanted.NONE, _ -> {
            next.start();
            while (next.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
        });
        CachedFile file = file(Files.write(folder.resolve("small.debug"), SmallBuild.debugFile()), "aa");

        AttemptResult result = run(
                FirstTypesTests.reader(shares, "0B", FirstTypesTests.threads(2)),
                nextQueues,
                new Stub("upstream", Origin.DEBUGINFOD, () -> new FetchOutcome.Fetched(file)));

        ended.countDown();
        next.join();
        assertThat(result).isInstanceOf(AttemptResult.Extracted.class);
    }

    private static void holdHeap(HeapShares shares, CountDownLatch ended) {
        try {
            shares.read(heap -> {
                ended.await();
                return "";
            });
        } catch (IOException | ExtractionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void faultOfTheReaderOfARivalLeavesTheResult() throws Exception {
        DebugFileReader.ExtractedContent content = content();
        DebugFileReader reader = mock(DebugFileReader.class);
        when(reader.supplementaryLink(any(), any())).thenReturn(Optional.empty());
        when(reader.read(eq(Path.of("first.debug")), any(), any(), any())).thenReturn(content);
        when(reader.read(eq(Path.of("second.debug")), any(), any(), any()))
                .thenThrow(new IllegalStateException("a fault of the reader"));

        AttemptResult result = run(
                reader,
                EarlyConsumer.none(),
                new Stub("first", Origin.LOCAL, () -> new FetchOutcome.Fetched(file(Path.of("first.debug"), "aa"))),
                new Stub("second", Origin.LOCAL, () -> new FetchOutcome.Fetched(file(Path.of("second.debug"), "bb"))));

        assertThat(result)
                .isInstanceOfSatisfying(
                        AttemptResult.Extracted.class,
                        extracted -> assertThat(extracted.rival()).isNull());
    }

    @Test
    void faultOfTheReaderOfAKeptUploadLeavesTheUpload() throws Exception {
        StoredFile upload = new StoredFile(
                new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN),
                Origin.UPLOAD,
                Upload.SOURCE,
                "aa",
                1,
                "build-id note",
                new PartVersions(0, 0),
                Instant.EPOCH,
                0,
                null,
                new Upload(null, "ci", true, 1),
                null);
        Build build = build(BuildState.EXTRACTED, upload);
        KeptUploads kept = mock(KeptUploads.class);
        CachedFile copy = file(Path.of("kept.debug"), "aa");
        when(kept.find(build)).thenReturn(Optional.of(copy));
        DebugFileReader reader = mock(DebugFileReader.class);
        when(reader.read(any(), any(), any(), any())).thenThrow(new IllegalStateException("a fault of the reader"));

        assertThat(new UploadRenewal(kept, reader).of(build, List.of(), mock(WorkProgress.class)))
                .isEmpty();
    }

    private static DebugFileReader.ExtractedContent content() throws Exception {
        Path file = Files.write(Files.createTempFile("content", ".debug"), SmallBuild.debugFile());
        try {
            return FirstTypesTests.reader(new HeapShares(1, 1 << 20), "1MB", FirstTypesTests.threads(1))
                    .read(file, null, EarlyConsumer.none(), DebugFileReader.Turn.within(Duration.ofMinutes(1)));
        } finally {
            Files.delete(file);
        }
    }

    @ChecklistRow({6, 20})
    @Test
    void unexpectedFailureOfASourceIsAServerErrorAndDoesNotSkipTheNextSource() throws Exception {
        AttemptResult.Without result = run(
                new Stub("first", Origin.LOCAL, () -> {
                    throw new IllegalArgumentException("unexpected");
                }),
                new Stub("second", Origin.DEBUGINFOD, () -> new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL)));
        assertThat(result.outcomes())
                .extracting(SourceOutcome::source, SourceOutcome::word)
                .containsExactly(tuple("first", "local_failure"), tuple("second", "not_found"));
        assertThat(result.failure().cause()).isEqualTo(Cause.INTERNAL);
        assertThat(result.state()).isEqualTo(BuildState.FAILED);
    }

    @Test
    void unexpectedFailureOfASourceDoesNotHideASupplementaryFile() throws Exception {
        DebugFileReader reader = mock(DebugFileReader.class);
        when(reader.supplementaryLink(any(), any())).thenReturn(Optional.of(new SupplementaryLink("a.debug", ID)));
        CachedFile file = mock(CachedFile.class);

        SupplementaryFiles.SupplementaryLookup found = new SupplementaryFiles(
                        List.of(
                                new Stub("first", Origin.LOCAL, () -> {
                                    throw new IllegalArgumentException("unexpected");
                                }),
                                new Stub("second", Origin.DEBUGINFOD, () -> new FetchOutcome.Fetched(file))),
                        reader)
                .of(Path.of("b.debug"), null, DebugFileReader.Turn.within(Duration.ZERO));

        assertThat(found).isEqualTo(new SupplementaryFiles.SupplementaryLookup.Found(file));
    }

    @Test
    void tooLargeFileIsRetriedWithinMinutesUnlessItIsInAFolder() throws Exception {
        FetchOutcome tooLarge = FetchOutcome.tooLarge("Content-Length is 2");
        assertThat(run(new Stub("upstream", Origin.DEBUGINFOD, () -> tooLarge)).retryAfter())
                .isEqualTo(Duration.ofMinutes(5));
        assertThat(run(new Stub("folder", Origin.LOCAL, () -> tooLarge)).retryAfter())
                .isEqualTo(Duration.ofHours(24));
    }
}
