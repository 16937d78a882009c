package dev.offsetd.server.builds.extraction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.offsetd.extractor.SupplementaryLink;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.lease.WorkProgress;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.sources.DebugFileSource;
import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import dev.offsetd.server.sources.FetchOutcome;
import dev.offsetd.server.sources.FileRequest;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Origin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

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
        Build unknown = new Build(
                ID,
                BuildState.FAILED,
                true,
                false,
                0,
                null,
                null,
                null,
                null,
                new PartVersions(0, 0),
                Duration.ZERO,
                0,
                List.of());
        return (AttemptResult.Without) new SourceRound(List.of(sources), mock(DebugFileReader.class), RETRY_TIMES, 0)
                .run(unknown, true, mock(WorkProgress.class), EarlyConsumer.none());
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
