package dev.offsetd.packages.repositories;

import dev.offsetd.extractor.input.HostileText;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A folder of ELF files, packages and images, searched recursively without following symbolic links. */
final class FolderRepository implements Repository {

    private static final int MAX_FILES = 100_000;
    private static final int MAX_WARNINGS = 20;

    private final Path root;
    private final Patterns names;
    private final Patterns paths;

    FolderRepository(Path root, Patterns names, Patterns paths) {
        this.root = root;
        this.names = names;
        this.paths = paths;
    }

    @Override
    public Listing list(@Nullable String earlierState, NewestIndex newest) throws IOException {
        List<RepositoryEntry> entries = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        Path real = root.toRealPath();
        Files.walkFileTree(real, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                if (warnings.size() < MAX_WARNINGS) {
                    warnings.add(file + " cannot be read");
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (attributes.isRegularFile() && names.match(file.getFileName().toString())) {
                    if (entries.size() == MAX_FILES) {
                        throw new RepositoryException(
                                RepositoryException.Reason.LIMIT,
                                root + " has more than " + MAX_FILES + " files that match");
                    }
                    entries.add(entry(real.relativize(file).toString(), file, attributes));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        if (entries.isEmpty()) {
            warnings.add(names.selectNothing(root.toString(), "file"));
        }
        entries.sort(Comparator.comparing(RepositoryEntry::location));
        String state = Hash.of(entries.stream().map(RepositoryEntry::key).collect(Collectors.joining("\n")));
        return state.equals(earlierState)
                ? Listing.unchanged(state, warnings)
                : new Listing(state, false, true, entries, warnings);
    }

    /** A file that is still written has another key when it is complete. */
    private static RepositoryEntry entry(String location, Path file, BasicFileAttributes attributes) {
        String key = Hash.of(location + "\0" + attributes.size() + "\0"
                + attributes.lastModifiedTime().toMillis());
        return new RepositoryEntry(key, file.getFileName().toString(), "", "", location, attributes.size(), List.of());
    }

    @Override
    public List<PackageFile> open(RepositoryEntry entry, Path folder) throws IOException {
        Path real = root.toRealPath();
        Path file = real.resolve(entry.location()).normalize();
        if (!file.startsWith(real)) {
            throw new RepositoryException(
                    RepositoryException.Reason.MALFORMED,
                    HostileText.quote(entry.location()) + " is not below " + root);
        }
        if (!Files.isReadable(file)) {
            throw new RepositoryException(
                    RepositoryException.Reason.MISSING, HostileText.quote(entry.location()) + " cannot be read");
        }
        return EntryFiles.copy(entry.location(), file, folder, paths);
    }
}
