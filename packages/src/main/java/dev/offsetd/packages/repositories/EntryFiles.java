package dev.offsetd.packages.repositories;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.SupplementaryLink;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.packages.ArchiveLimitException;
import dev.offsetd.packages.PackageUnpacker;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The selected ELF files of one entry, and the supplementary files with which their debug information is complete. */
final class EntryFiles implements PackageUnpacker.Taker {

    /** More than the debug files of a browser or of a kernel take. */
    static final long MAX_DECOMPRESSED_BYTES = 32L << 30;

    /** Folder in which distributions put supplementary files, which have types of several builds. */
    private static final String SUPPLEMENTARY_FOLDER = "/.dwz/";

    private final Patterns paths;
    private final List<LinkedFile> files = new ArrayList<>();
    private final Map<BuildId, Path> supplementary = new HashMap<>();

    /** A selected file with its link to a supplementary file. */
    private record LinkedFile(
            String place, Path file, ElfFacts elf, @Nullable SupplementaryLink link) {}

    private EntryFiles(Patterns paths) {
        this.paths = paths;
    }

    /**
     * Copies the selected ELF files that have a build-id.
     *
     * @param entry name of the entry
     * @param file its contents: a package, archive or ELF file
     * @param folder for the copies
     */
    static List<PackageFile> copy(String entry, Path file, Path folder, Patterns paths) throws IOException {
        EntryFiles taken = new EntryFiles(paths);
        try (InputStream in = Files.newInputStream(file)) {
            PackageUnpacker.unpack(entry, in, folder, taken, MAX_DECOMPRESSED_BYTES);
        } catch (ArchiveLimitException e) {
            throw new RepositoryException(
                    RepositoryException.Reason.LIMIT, HostileText.quote(entry) + ": " + e.getMessage());
        } catch (IOException e) {
            throw PackageUnpacker.isOfTheDisk(e) ? e : damaged(entry, e);
        }
        return taken.files.stream().map(taken::complete).toList();
    }

    private PackageFile complete(LinkedFile file) {
        SupplementaryLink link = file.link();
        return new PackageFile(
                file.place(), file.file(), file.elf(), link == null ? null : supplementary.get(link.buildId()));
    }

    private static RepositoryException damaged(String entry, IOException cause) {
        return new RepositoryException(
                RepositoryException.Reason.MALFORMED, HostileText.quote(entry) + ": " + PackageUnpacker.reason(cause));
    }

    /** The paths in a package begin with {@code ./} or not; patterns match them without it. */
    @Override
    public boolean wants(String place) {
        String path = place.substring(place.lastIndexOf('!') + 1);
        return place.contains(SUPPLEMENTARY_FOLDER) || paths.match(path.startsWith("./") ? path.substring(2) : path);
    }

    @Override
    public boolean take(String place, Path copy) throws IOException {
        try {
            LinkedFile file = DebugInfo.read(
                    copy,
                    new ReadOptions(Limits.DEFAULT, 1),
                    info -> new LinkedFile(
                            place, copy, info.facts(), info.supplementaryLink().orElse(null)));
            BuildId id = file.elf().buildId();
            if (id == null) {
                return false;
            }
            if (place.contains(SUPPLEMENTARY_FOLDER)) {
                return supplementary.putIfAbsent(id, copy) == null;
            }
            return files.add(file);
        } catch (ExtractionException unreadable) {
            return false;
        }
    }

    /** A package may have a broken file besides those that are wanted. */
    @Override
    public void skipped(String place, String reason) {}
}
