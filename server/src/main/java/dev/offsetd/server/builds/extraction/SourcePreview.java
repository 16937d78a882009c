package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.server.builds.extraction.SupplementaryFiles.SupplementaryLookup;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.sources.DebugFileSource;
import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import dev.offsetd.server.sources.DebugFileSources;
import dev.offsetd.server.sources.FetchOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Opens debug files of sources without storing anything. The disk cache has the file afterwards, so that an extraction does not
 * download it again.
 */
@Component
public class SourcePreview {

    private static final Logger log = LoggerFactory.getLogger(SourcePreview.class);

    /** A link takes no share of the heap. */
    private static final DebugFileReader.Turn AT_ONCE = DebugFileReader.Turn.within(Duration.ZERO);

    private final List<DebugFileSource> sources;
    private final SupplementaryFiles supplementaryFiles;

    SourcePreview(DebugFileSources sources, DebugFileReader reader) {
        this.sources = sources.inOrder();
        this.supplementaryFiles = new SupplementaryFiles(this.sources, reader);
    }

    /**
     * A debug file, which the receiver closes.
     *
     * @param supplementary the file that it shares types with; null if it is self-contained
     */
    public record Opened(CachedFile file, @Nullable CachedFile supplementary) implements AutoCloseable {

        @Override
        public void close() {
            file.close();
            if (supplementary != null) {
                supplementary.close();
            }
        }
    }

    /**
     * Opens the file of the first source that has one with types, and with all files that it needs.
     *
     * @param transferred takes the bytes that each file took to download, also those of a file that is not opened
     */
    public Optional<Opened> open(BuildId id, LongConsumer transferred) throws InterruptedException {
        for (DebugFileSource source : sources) {
            FetchOutcome outcome = DebugFileSource.contained(source, id, () -> source.fetch(id, FetchProgress.NONE));
            if (outcome instanceof FetchOutcome.Fetched(CachedFile file)) {
                transferred.accept(file.wireBytes());
                Opened opened = null;
                try {
                    opened = completed(file, source, transferred);
                } catch (IOException | ExtractionException e) {
                    log.info("build {}: the file of {} is not looked into: {}", id, source.name(), e.getMessage());
                } finally {
                    if (opened == null) {
                        file.close();
                    }
                }
                if (opened != null) {
                    return Optional.of(opened);
                }
            }
        }
        return Optional.empty();
    }

    private @Nullable Opened completed(CachedFile file, DebugFileSource source, LongConsumer transferred)
            throws IOException, ExtractionException, InterruptedException {
        if (!file.elf().hasTypes()) {
            return null;
        }
        return switch (supplementaryFiles.of(file.path(), source, AT_ONCE)) {
            case SupplementaryLookup.NotNeeded _ -> new Opened(file, null);
            case SupplementaryLookup.Found(CachedFile supplementary) -> {
                transferred.accept(supplementary.wireBytes());
                yield new Opened(file, supplementary);
            }
            case SupplementaryLookup.Missing _, SupplementaryLookup.Failed _ -> null;
        };
    }
}
