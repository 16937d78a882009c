package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.SupplementaryLink;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.sources.DebugFileSource;
import dev.offsetd.server.sources.FetchOutcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Fetches supplementary files, which {@code dwz -m} makes of the types that several debug files share, from the same sources. */
record SupplementaryFiles(List<DebugFileSource> sources, DebugFileReader reader) {

    sealed interface SupplementaryLookup {

        /** The debug file is complete, or names no supplementary file. */
        record NotNeeded() implements SupplementaryLookup {}

        /** The verified file. The receiver closes it. */
        record Found(CachedFile file) implements SupplementaryLookup {}

        record Missing(List<Miss> misses) implements SupplementaryLookup {}

        /** A source that may have the file failed or was skipped. */
        record Failed(SupplementaryLink link, DebugFileSource queried, FetchOutcome outcome)
                implements SupplementaryLookup {}
    }

    record Miss(DebugFileSource source, FetchOutcome.Finality finality) {}

    /**
     * Queries local folders first, then the source of the debug file, then the others.
     *
     * @param from null if no source has the debug file
     * @throws ExtractionException if the debug file is malformed
     */
    SupplementaryLookup of(Path debugFile, @Nullable DebugFileSource from, DebugFileReader.Turn turn)
            throws IOException, ExtractionException, InterruptedException {
        Optional<SupplementaryLink> link = reader.supplementaryLink(debugFile, turn);
        if (link.isEmpty()) {
            return new SupplementaryLookup.NotNeeded();
        }
        turn.paused().run();
        List<DebugFileSource> inOrder = new ArrayList<>(sources);
        inOrder.sort(Comparator.comparingInt(source -> !source.origin().isRemote() ? 0 : source.equals(from) ? 1 : 2));
        List<Miss> misses = new ArrayList<>();
        SupplementaryLookup.Failed failed = null;
        for (DebugFileSource source : inOrder) {
            FetchOutcome outcome = DebugFileSource.contained(
                    source, link.get().buildId(), () -> source.fetchSupplementary(link.get()));
            switch (outcome) {
                case FetchOutcome.Fetched(CachedFile file) -> {
                    return new SupplementaryLookup.Found(file);
                }
                case FetchOutcome.NotFound(FetchOutcome.Finality finality) -> misses.add(new Miss(source, finality));
                case FetchOutcome failure ->
                    failed = failed == null ? new SupplementaryLookup.Failed(link.get(), source, failure) : failed;
            }
        }
        return failed == null ? new SupplementaryLookup.Missing(misses) : failed;
    }

    /** Returns the time until the next lookup. The short interval of a local folder does not apply to upstreams. */
    static Duration retryAfter(SupplementaryLookup.Missing missing, int misses, ExtractionProperties.Retry retry) {
        return missing.misses().stream()
                .filter(miss -> miss.source().origin().isRemote())
                .map(miss -> retry.afterNotFound(miss.finality(), miss.source().missTimes(), misses))
                .min(Comparator.naturalOrder())
                .orElse(retry.notFoundLocally());
    }
}
