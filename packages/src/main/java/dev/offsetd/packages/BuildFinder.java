package dev.offsetd.packages;

import dev.offsetd.extractor.ElfIdentity;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Finds ELF files with a build-id. A path is a file that {@link ArchiveReader} can read, a folder, which is searched
 * recursively without following symbolic links, or {@code -} for standard input.
 *
 * <p>In an image all layers count, including files that a later layer deletes, because another image has them.
 */
public final class BuildFinder {

    public static final String STANDARD_INPUT = "-";

    private static final int MAX_PLACES = 10;
    private static final int MAX_SKIPPED = 100;
    private static final long PROGRESS_NANOS = 200_000_000;

    private final List<PathMatcher> names;
    private final InputStream standardInput;
    private final Consumer<String> progress;
    private final ArchiveLimits limits;

    /**
     * @param names patterns for file names, one of which must match; empty for any name
     * @param progress receives a line for the user, a few times a second
     */
    public BuildFinder(List<PathMatcher> names, InputStream standardInput, Consumer<String> progress) {
        this(names, standardInput, progress, ArchiveLimits.DEFAULT);
    }

    BuildFinder(List<PathMatcher> names, InputStream standardInput, Consumer<String> progress, ArchiveLimits limits) {
        this.names = List.copyOf(names);
        this.standardInput = standardInput;
        this.progress = progress;
        this.limits = limits;
    }

    /** Returns whether the name of a file matches; one that the file system does not allow never does. */
    public static boolean matches(PathMatcher matcher, String name) {
        try {
            return matcher.matches(Path.of(name));
        } catch (InvalidPathException notAName) {
            return false;
        }
    }

    public SearchResult find(List<String> paths) {
        Search search = new Search();
        for (String path : paths) {
            search.searchNamed(path);
        }
        return search.findings();
    }

    private final class Search implements ArchiveReader.Sink {

        private final Map<BuildId, FoundBuild> builds = new LinkedHashMap<>();
        private final List<SearchResult.UnreadableFile> unreadable = new ArrayList<>();
        private final List<SearchResult.UnreadableFile> skipped = new ArrayList<>();
        private long skippedCount;
        private long withoutBuildId;
        private long lastProgress = System.nanoTime();

        /** The named path that is searched. */
        private String named = "";

        SearchResult findings() {
            return new SearchResult(List.copyOf(builds.values()), unreadable, skipped, skippedCount, withoutBuildId);
        }

        void searchNamed(String path) {
            try {
                if (path.equals(STANDARD_INPUT)) {
                    named = "standard input";
                    new ArchiveReader(limits, this).read(EntryPath.ofPath(named), standardInput);
                    return;
                }
                Path file = Path.of(path);
                named = file.toString();
                if (Files.isDirectory(file)) {
                    searchFolder(file);
                } else {
                    searchFile(file);
                }
            } catch (IOException | InvalidPathException e) {
                unreadable.add(new SearchResult.UnreadableFile(path, reason(e)));
            }
        }

        private void searchFolder(Path folder) throws IOException {
            FolderFiles found = FolderFiles.of(folder);
            for (FolderFiles.UnreadableFolder subfolder : found.unreadable()) {
                leaveOut(subfolder.path(), subfolder.failure());
            }
            for (Path file : found.files()) {
                try {
                    searchFile(file);
                } catch (ArchiveLimitException e) {
                    throw new ArchiveLimitException(HostileText.quote(file.toString()) + ": " + e.getMessage());
                } catch (IOException e) {
                    leaveOut(file, e);
                }
            }
        }

        private void leaveOut(Path path, IOException e) {
            unreadable.add(new SearchResult.UnreadableFile(path.toString(), reason(e)));
        }

        private void searchFile(Path file) throws IOException {
            if (!Files.isRegularFile(file)) {
                // Opening a pipe would wait for its writer.
                throw Files.exists(file)
                        ? new IOException("not a regular file; expected a file or a folder")
                        : new NoSuchFileException(file.toString());
            }
            try (InputStream in = Files.newInputStream(file)) {
                new ArchiveReader(limits, this).read(EntryPath.ofPath(file.toString()), in);
            }
        }

        @Override
        public boolean wants(EntryPath place) {
            return names.isEmpty() || names.stream().anyMatch(name -> matches(name, place.name()));
        }

        @Override
        public void elf(EntryPath place, InputStream file) throws IOException {
            ElfIdentity identity;
            try {
                identity = ElfIdentity.read(file);
            } catch (ExtractionException e) {
                if (place.archives() == 0) {
                    throw new IOException(e.getMessage(), e);
                }
                skipped(place, Objects.toString(e.getMessage()));
                return;
            }
            // A key that programs share names none of them.
            BuildId buildId = identity.buildId();
            if (buildId == null || buildId.isShared()) {
                withoutBuildId++;
                return;
            }
            add(buildId, identity, place);
        }

        @Override
        public void other(EntryPath place) throws IOException {
            // A named file is a mistake; folders and archives contain files of any kind.
            if (place.path().equals(named) && wants(place)) {
                throw new IOException("expected an ELF file, a package, an archive or an image");
            }
        }

        private void add(BuildId buildId, ElfIdentity identity, EntryPath place) throws IOException {
            FoundBuild known = builds.get(buildId);
            if (known == null) {
                if (builds.size() >= limits.maxBuilds()) {
                    throw new ArchiveLimitException("it exceeds the limit of " + limits.maxBuilds() + " builds");
                }
                builds.put(
                        buildId, new FoundBuild(buildId, identity.architecture(), place.name(), List.of(place.path())));
                return;
            }
            List<String> places = new ArrayList<>(known.places());
            if (places.size() < MAX_PLACES && !places.contains(place.path())) {
                places.add(place.path());
            }
            // The name of a debug file is often just its build-id.
            String name = known.name().endsWith(".debug") ? place.name() : known.name();
            builds.put(buildId, new FoundBuild(buildId, known.architecture(), name, places));
        }

        @Override
        public void skipped(EntryPath place, String reason) {
            skippedCount++;
            if (skipped.size() < MAX_SKIPPED) {
                skipped.add(new SearchResult.UnreadableFile(place.path(), reason));
            }
        }

        @Override
        public void progress(EntryPath place, long entries) {
            if (System.nanoTime() - lastProgress > PROGRESS_NANOS) {
                lastProgress = System.nanoTime();
                progress.accept("searching " + named + ": " + entries + " files, " + builds.size() + " builds");
            }
        }

        private static String reason(Exception e) {
            return switch (e) {
                case NoSuchFileException _ -> "no such file";
                case AccessDeniedException _ -> "permission denied";
                case IOException broken -> PackageUnpacker.reason(broken);
                default ->
                    Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
            };
        }
    }
}
