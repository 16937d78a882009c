package dev.offsetd.server.extraction;

import dev.offsetd.extractor.SupplementaryLink;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.server.fetch.CachedFile;
import dev.offsetd.server.fetch.DebugFileSource;
import dev.offsetd.server.fetch.FetchOutcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Gets the file that a debug file shares its types with, as {@code dwz -m} leaves them: from the same places. */
final class SupplementaryFiles {

    /** What came of looking for one. */
    sealed interface Lookup {

        /** The debug file is complete, or does not say what it needs. */
        record NotNeeded() implements Lookup {}

        /** It is here and verified. Whoever gets this closes the file. */
        record Found(CachedFile file) implements Lookup {}

        /** Every source said no. */
        record Missing(List<Miss> misses) implements Lookup {}

        /** A source that may have it could not be asked. */
        record Failed(SupplementaryLink link, DebugFileSource asked, FetchOutcome outcome) implements Lookup {}
    }

    /** A source without the file. */
    record Miss(DebugFileSource source, FetchOutcome.Finality finality) {

        private boolean isLocal() {
            return source.origin() == DebugFileSource.Origin.LOCAL;
        }
    }

    private final List<DebugFileSource> sources;
    private final DebugFileReader reader;

    SupplementaryFiles(List<DebugFileSource> sources, DebugFileReader reader) {
        this.sources = List.copyOf(sources);
        this.reader = reader;
    }

    /**
     * Looks for the supplementary file of a debug file: in folders first, then where the debug file is from, then at the
     * others.
     *
     * @throws ExtractionException if the debug file is malformed
     */
    Lookup of(Path debugFile, DebugFileSource from) throws IOException, ExtractionException, InterruptedException {
        Optional<SupplementaryLink> link = reader.supplementaryLink(debugFile);
        if (link.isEmpty()) {
            return new Lookup.NotNeeded();
        }
        List<DebugFileSource> inOrder = new ArrayList<>(sources);
        inOrder.sort(Comparator.comparingInt(
                source -> source.origin() == DebugFileSource.Origin.LOCAL ? 0 : source.equals(from) ? 1 : 2));
        List<Miss> misses = new ArrayList<>();
        Lookup.Failed failed = null;
        for (DebugFileSource source : inOrder) {
            switch (source.fetchSupplementary(link.get())) {
                case FetchOutcome.Fetched(CachedFile file) -> {
                    return new Lookup.Found(file);
                }
                case FetchOutcome.NotFound(FetchOutcome.Finality finality) -> misses.add(new Miss(source, finality));
                case FetchOutcome failure ->
                    failed = failed == null ? new Lookup.Failed(link.get(), source, failure) : failed;
            }
        }
        return failed == null ? new Lookup.Missing(misses) : failed;
    }

    /** Time until it is worth looking for a missing file again. Looking into a folder is no reason to ask an upstream. */
    static Duration retryAfter(Lookup.Missing missing, int misses, RetryTimes retryTimes) {
        return missing.misses().stream()
                .filter(miss -> !miss.isLocal())
                .map(miss ->
                        retryTimes.afterNotFound(miss.finality(), miss.source().missTimes(), misses))
                .min(Comparator.naturalOrder())
                .orElse(retryTimes.afterNotFoundLocally());
    }
}
