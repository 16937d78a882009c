package dev.offsetd.server.extraction;

import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.Upload;
import dev.offsetd.server.fetch.RetainedUploads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Reads the retained file of an upload again that an earlier extractor read, if no source has the build. */
@Component
class UploadRenewal {

    private static final Logger log = LoggerFactory.getLogger(UploadRenewal.class);

    private final RetainedUploads retained;
    private final DebugFileReader reader;

    UploadRenewal(RetainedUploads retained, DebugFileReader reader) {
        this.retained = retained;
        this.reader = reader;
    }

    /**
     * Reads the upload again.
     *
     * @param outcomes outcomes of the sources
     * @return empty if the build is not an upload, is up to date, or its file is not on this server
     */
    Optional<RoundResult> of(Build build, List<SourceOutcome> outcomes) throws InterruptedException {
        StoredFile file = build.file().orElse(null);
        if (file == null || file.upload() == null || file.extractorVersion() >= OffsetExtractor.VERSION) {
            return Optional.empty();
        }
        Optional<Path> path = retained.find(build.id(), file.sha256());
        if (path.isEmpty()) {
            return Optional.empty();
        }
        try {
            DebugFileReader.ExtractedContent content = reader.readInItsTurn(path.get(), null);
            return Optional.of(new RoundResult.Extracted(
                    readAgain(file, file.upload(), content),
                    content.identity(),
                    content.catalogue(),
                    content.symbols(),
                    outcomes));
        } catch (IOException | ExtractionException e) {
            log.warn("build {}: the retained upload cannot be read again: {}", build.id(), e.getMessage());
            return Optional.empty();
        }
    }

    private static StoredFile readAgain(StoredFile file, Upload upload, DebugFileReader.ExtractedContent content) {
        return new StoredFile(
                content.architecture(),
                file.origin(),
                file.upstream(),
                file.sha256(),
                file.bytes(),
                file.verified(),
                OffsetExtractor.VERSION,
                Instant.now(),
                0,
                null,
                new Upload(upload.token(), upload.label(), content.dwarf(), content.debugInfoBytes()));
    }
}
