package dev.offsetd.server.sources;

import dev.offsetd.server.sources.FetchOutcome.Finality;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Look-up of a file in the sources, in turn. A failure outweighs a miss, because the source that failed may have the file. */
@Component
public class FileLookup {

    private static final Duration RETRY_AFTER = Duration.ofSeconds(30);

    private final List<DebugFileSource> sources;

    FileLookup(DebugFileSources sources) {
        this.sources = sources.inOrder();
    }

    public sealed interface Result {

        /** The file. The receiver closes it. */
        record Found(CachedFile file) implements Result {}

        record Missing(Finality finality) implements Result {}

        /** A source that may have the file failed or was skipped, or the file is too large. */
        record Without(Failure failure, Duration retryAfter) implements Result {}
    }

    private static final class Outcomes {

        private Result.@Nullable Without failed;
        private Result.@Nullable Without skipped;
        private Result.@Nullable Without tooLarge;
        private boolean upstreamMiss;
        private Finality finality = Finality.FINAL;

        void add(DebugFileSource source, FetchOutcome outcome) {
            switch (outcome) {
                case FetchOutcome.Fetched _ -> throw new IllegalArgumentException(source.name() + " has the file");
                case FetchOutcome.NotFound(Finality how) -> {
                    upstreamMiss |= source.origin().isRemote();
                    finality = how.compareTo(finality) > 0 ? how : finality;
                }
                case FetchOutcome.Skipped(Cause cause, Duration retryAfter, String detail) ->
                    skipped = first(skipped, source, cause, detail, retryAfter);
                case FetchOutcome.Refused(int _, Duration retryAfter, String detail) ->
                    failed = first(
                            failed,
                            source,
                            Cause.UPSTREAM_REFUSED,
                            detail,
                            retryAfter == null ? RETRY_AFTER : retryAfter);
                case FetchOutcome.Failed(Cause cause, String detail) -> {
                    if (cause == Cause.TOO_LARGE) {
                        tooLarge = first(tooLarge, source, cause, detail, RETRY_AFTER);
                    } else {
                        failed = first(failed, source, cause, detail, RETRY_AFTER);
                    }
                }
            }
        }

        private static Result.Without first(
                Result.@Nullable Without known,
                DebugFileSource source,
                Cause cause,
                String detail,
                Duration retryAfter) {
            return known != null
                    ? known
                    : new Result.Without(new Failure(cause, source.name() + ": " + detail), retryAfter);
        }

        Result result() {
            // A skipped upstream does not hide the miss of another one.
            if (failed != null) {
                return failed;
            }
            if (skipped != null && !upstreamMiss) {
                return skipped;
            }
            return tooLarge != null
                    ? tooLarge
                    : new Result.Missing(skipped != null ? Finality.MAY_COME_LATER : finality);
        }
    }

    /** Returns the file of the first source that has it. */
    public Result find(FileRequest request) throws InterruptedException {
        Outcomes outcomes = new Outcomes();
        for (DebugFileSource source : sources) {
            FetchOutcome outcome = DebugFileSource.contained(source, request, () -> source.fetch(request));
            if (outcome instanceof FetchOutcome.Fetched(CachedFile file)) {
                return new Result.Found(file);
            }
            outcomes.add(source, outcome);
        }
        return outcomes.result();
    }
}
