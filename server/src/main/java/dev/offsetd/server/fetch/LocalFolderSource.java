package dev.offsetd.server.fetch;

import dev.offsetd.extractor.extract.ElfFacts;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.BuildId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A folder of installed debug files, such as {@code /usr/lib/debug}. Files are read where they are, not copied; a folder
 * that does not exist has no files.
 */
final class LocalFolderSource implements DebugFileSource {

    private static final String BUILD_ID_FOLDER = ".build-id";

    private final Path folder;
    private final Path buildIdFolder;
    private final long maxFileBytes;
    private final FileVerification verification;

    /** @param folder one that holds a {@code .build-id} folder, or such a folder itself */
    LocalFolderSource(Path folder, long maxFileBytes, FileVerification verification) {
        this.folder = folder;
        this.buildIdFolder = folder.endsWith(BUILD_ID_FOLDER) ? folder : folder.resolve(BUILD_ID_FOLDER);
        this.maxFileBytes = maxFileBytes;
        this.verification = verification;
    }

    @Override
    public String name() {
        return folder.toString();
    }

    @Override
    public Origin origin() {
        return Origin.LOCAL;
    }

    @Override
    public FetchOutcome fetch(BuildId id) {
        Path file = BuildIdPath.below(buildIdFolder, id);
        if (Files.notExists(file)) {
            return new FetchOutcome.NotFound(true);
        }
        // A named pipe would block whoever opens it.
        if (!Files.isRegularFile(file)) {
            return new FetchOutcome.LocalFailure(file + " is not a regular file that can be read");
        }
        try {
            long bytes = Files.size(file);
            if (bytes > maxFileBytes) {
                return new FetchOutcome.TooLarge(maxFileBytes, file + " has " + bytes + " bytes");
            }
            ElfFacts elf = verification.verify(file, id);
            return new FetchOutcome.Fetched(
                    new CachedFile(file, name(), FileHash.of(file), elf.fileBytes(), elf, () -> {}));
        } catch (ExtractionException e) {
            return new FetchOutcome.Broken(file + ": " + e.getMessage());
        } catch (IOException e) {
            return new FetchOutcome.LocalFailure(e.toString());
        }
    }
}
