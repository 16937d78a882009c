package dev.offsetd.server.uploads;

import dev.offsetd.extractor.identity.FileNames;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.packages.repositories.PackageFile;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.sources.ReceivedFiles;
import dev.offsetd.server.sources.ReceivedFiles.ReceivedFile;
import dev.offsetd.server.sources.ReceivedFiles.UploadLimitException;
import dev.offsetd.server.watches.FoundFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.Set;
import org.springframework.stereotype.Component;

/** Port of {@code watches}: what a watch has found is stored like an upload by the watch. */
@Component
class WatchedFiles implements FoundFiles {

    /** Source of the names that the place of a file gives. */
    private static final String WATCH = "watch";

    private final Uploads uploads;
    private final ReceivedFiles received;
    private final BuildKeys keys;
    private final UploadProperties properties;

    WatchedFiles(Uploads uploads, ReceivedFiles received, BuildKeys keys, UploadProperties properties) {
        this.uploads = uploads;
        this.received = received;
        this.keys = keys;
        this.properties = properties;
    }

    @Override
    public void store(PackageFile file, String watch) throws IOException, ExtractionException, InterruptedException {
        Actor actor = new Actor(new Caller(WATCH + " " + watch, null, Set.of(), "local"), WATCH);
        try (InputStream in = Files.newInputStream(file.file());
                ReceivedFile copy = received.receive(in, properties.maxSize().toBytes(), properties.totalTimeout())) {
            uploads.store(
                    IdentifiedFile.of(copy, file.buildId())
                            .underKeyOfBuild(keys::isSharedNow)
                            .with(file.supplementary()),
                    FileNames.ofPath(file.place(), WATCH).merge(FileNames.ofArchive(file.place(), WATCH)),
                    actor);
        } catch (UploadLimitException e) {
            throw new UnsupportedInputException(
                    "file", ExtractionException.NO_OFFSET, "it exceeds the limit of uploads: " + e.getMessage());
        }
    }
}
