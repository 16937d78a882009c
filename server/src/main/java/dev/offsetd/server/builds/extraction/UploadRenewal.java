package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.Upload;
import dev.offsetd.server.builds.lease.WorkProgress;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.sources.DiskException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Reads the kept file of an upload again that an earlier extractor read, if no source has the build. */
@Component
class UploadRenewal {

    private static final Logger log = LoggerFactory.getLogger(UploadRenewal.class);

    private final KeptUploads kept;
    private final DebugFileReader reader;

    UploadRenewal(KeptUploads kept, DebugFileReader reader) {
        this.kept = kept;
        this.reader = reader;
    }

    /** Reads the upload again. Returns empty if the build is not an upload, is up to date, or its file is not kept. */
    Optional<AttemptResult> of(Build build, List<SourceOutcome> outcomes, WorkProgress progress)
            throws InterruptedException {
        StoredFile file = build.file();
        if (file == null || file.upload() == null || !file.versions().areBehind(PartVersions.CURRENT)) {
            return Optional.empty();
        }
        Optional<CachedFile> found;
        try {
            found = kept.find(build);
        } catch (DiskException e) {
            log.warn("build {}: the kept upload cannot be written to the disk cache: {}", build.id(), e.detail());
            return Optional.empty();
        }
        if (found.isEmpty()) {
            return Optional.empty();
        }
        DebugFileReader.Turn turn = DebugFileReader.Turn.of(progress);
        try (CachedFile copy = found.get()) {
            Optional<DebugFileReader.SymbolContent> symbols =
                    file.versions().areBehindInSymbolsOnly(PartVersions.CURRENT)
                            ? reader.readSymbols(copy.path(), turn)
                                    .filter(content -> content.omissions().isEmpty())
                            : Optional.empty();
            if (symbols.isPresent()) {
                return Optional.of(new AttemptResult.SymbolsAgain(
                        file.withCurrentSymbols(), symbols.get().symbols(), outcomes));
            }
            DebugFileReader.ExtractedContent content = reader.read(copy.path(), null, EarlyConsumer.none(), turn);
            return Optional.of(new AttemptResult.Extracted(
                    new AttemptResult.UsableFile(
                            readAgain(file, file.upload(), content), content, new FileKeys(List.of())),
                    outcomes,
                    null));
        } catch (IOException | ExtractionException e) {
            log.warn("build {}: the kept upload cannot be read again: {}", build.id(), e.getMessage());
            return Optional.empty();
        } catch (RuntimeException e) {
            log.error("build {}: the extractor failed on the kept upload", build.id(), e);
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
                PartVersions.CURRENT,
                content.readAt(),
                0,
                null,
                new Upload(upload.token(), upload.label(), content.dwarf(), content.debugInfoBytes(), upload.lines()),
                null);
    }
}
