package dev.offsetd.server.sources;

import dev.offsetd.extractor.SupplementaryLink;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.server.sources.outcome.Origin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A folder of installed debug files, such as {@code /usr/lib/debug}. Files are read in place. A folder that does not exist has no
 * files.
 */
final class LocalFolderSource implements DebugFileSource {

    private static final String BUILD_ID_FOLDER = ".build-id";

    private static final String DWZ_FOLDER = ".dwz";

    private final Path folder;
    private final Path buildIdFolder;
    private final long maxFileBytes;
    private final FileVerification verification;

    /** @param folder a folder that contains a {@code .build-id} folder, or such a folder itself */
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
    public FetchOutcome fetch(BuildId id, FetchProgress progress) throws InterruptedException {
        return read(BuildIdPath.below(buildIdFolder, id), id, maxFileBytes, verification::verifyAndHash);
    }

    @Override
    public FetchOutcome fetch(FileRequest request) throws InterruptedException {
        if (request.sourcePath() != null) {
            return new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL);
        }
        Path file = request.kind().isOfExecutable()
                ? BuildIdPath.ofExecutable(buildIdFolder, request.id())
                : BuildIdPath.below(buildIdFolder, request.id());
        if (request.kind() == FileKind.PROGRAM) {
            return read(file, request.id(), maxFileBytes, verification::verifyOnly);
        }
        FileVerification.Check check = request.hashed() ? verification::verifiedLately : verification::verifyOnly;
        return read(file, request.id(), Math.min(request.maxBytes(), maxFileBytes), check);
    }

    /** Looks for the file by build-id, then by name: distributions install supplementary files in a folder beside {@code .build-id}. */
    @Override
    public FetchOutcome fetchSupplementary(SupplementaryLink link) throws InterruptedException {
        FetchOutcome byId = fetch(link.buildId(), FetchProgress.NONE);
        if (!(byId instanceof FetchOutcome.NotFound)) {
            return byId;
        }
        Optional<Path> byName = supplementaryFile(link.name());
        if (byName.isEmpty()) {
            return byId;
        }
        FetchOutcome named = read(byName.get(), link.buildId(), maxFileBytes, verification::verifyAndHash);
        // A file of that name that belongs to another build is not an error.
        return named instanceof FetchOutcome.Fetched ? named : byId;
    }

    /** Returns the path of a supplementary file below {@code .dwz/}; empty if the name would leave that folder. */
    private Optional<Path> supplementaryFile(String name) {
        Path dwz = buildIdFolder.resolveSibling(DWZ_FOLDER).toAbsolutePath().normalize();
        int below = name.lastIndexOf(DWZ_FOLDER + "/");
        String last = name.substring(below < 0 ? name.lastIndexOf('/') + 1 : below + DWZ_FOLDER.length() + 1);
        try {
            Path file = dwz.resolve(last).normalize();
            return file.startsWith(dwz) && !file.equals(dwz) ? Optional.of(file) : Optional.empty();
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private FetchOutcome read(Path file, BuildId id, long maxBytes, FileVerification.Check check)
            throws InterruptedException {
        if (Files.notExists(file)) {
            return new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL);
        }
        // Opening a named pipe would block.
        if (!Files.isRegularFile(file)) {
            return FetchOutcome.diskFailed(file + " is not a regular file that can be read");
        }
        try {
            long bytes = Files.size(file);
            if (bytes > maxBytes) {
                return FetchOutcome.tooLarge(file + " has " + bytes + " bytes");
            }
            FileVerification.Verified verified = check.of(file, id);
            return new FetchOutcome.Fetched(new CachedFile(
                    file,
                    name(),
                    origin(),
                    verified.sha256(),
                    verified.elf().fileBytes(),
                    0,
                    verified.elf(),
                    Identity.UNKNOWN,
                    new FileHeaders(file.getFileName().toString(), null, null),
                    () -> {}));
        } catch (ExtractionException e) {
            return FetchOutcome.broken(file + ": " + e.getMessage());
        } catch (IOException e) {
            return FetchOutcome.diskFailed(e.toString());
        }
    }
}
