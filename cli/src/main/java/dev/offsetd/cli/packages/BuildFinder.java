package dev.offsetd.cli.packages;

import dev.offsetd.cli.terminal.Console;
import dev.offsetd.extractor.ElfIdentity;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Looks through paths for ELF files with a build-id. A path is a file of any kind that {@link ArchiveReader} knows, or a folder,
 * which is gone through with all folders in it; {@code -} is standard input. Symbolic links inside of a folder are not
 * followed: what they lead to inside of it is found anyway, and the rest is not in it.
 *
 * <p>Of an image all layers are read, and what a later one deletes of an earlier one is found all the same: it is the build
 * of some image.
 */
public final class BuildFinder {

    /** The path that stands for standard input. */
    public static final String STANDARD_INPUT = "-";

    private static final int MAX_PLACES = 10;
    private static final int MAX_PASSED_OVER = 100;
    private static final long PROGRESS_NANOS = 200_000_000;

    private final List<PathMatcher> names;
    private final InputStream standardInput;
    private final Console console;
    private final ArchiveLimits limits;

    /**
     * @param names patterns, one of which a file's name has to match; any name if there is none
     * @param standardInput what {@code -} reads
     */
    public BuildFinder(List<PathMatcher> names, InputStream standardInput, Console console) {
        this(names, standardInput, console, ArchiveLimits.DEFAULT);
    }

    BuildFinder(List<PathMatcher> names, InputStream standardInput, Console console, ArchiveLimits limits) {
        this.names = List.copyOf(names);
        this.standardInput = standardInput;
        this.console = console;
        this.limits = limits;
    }

    /** Looks through all of these. */
    public Findings find(List<String> paths) {
        Search search = new Search();
        for (String path : paths) {
            search.searchNamed(path);
        }
        console.clearProgress();
        return search.findings();
    }

    private final class Search implements ArchiveReader.Sink {

        private final Map<BuildId, FoundBuild> builds = new LinkedHashMap<>();
        private final List<Findings.Unread> unreadable = new ArrayList<>();
        private final List<Findings.Unread> passedOver = new ArrayList<>();
        private long passedOverCount;
        private long withoutBuildId;
        private long lastProgress = System.nanoTime();

        Findings findings() {
            return new Findings(List.copyOf(builds.values()), unreadable, passedOver, passedOverCount, withoutBuildId);
        }

        void searchNamed(String path) {
            try {
                if (path.equals(STANDARD_INPUT)) {
                    new ArchiveReader(limits, this).read(Place.ofPath("standard input"), standardInput);
                } else if (Files.isDirectory(Path.of(path))) {
                    searchFolder(Path.of(path));
                } else {
                    searchFile(Path.of(path));
                }
            } catch (IOException | InvalidPathException e) {
                unreadable.add(new Findings.Unread(path, reason(e)));
            }
        }

        private void searchFolder(Path named) throws IOException {
            Deque<Path> waiting = new ArrayDeque<>();
            waiting.push(named);
            while (!waiting.isEmpty()) {
                Path next = waiting.pop();
                try {
                    if (next.equals(named) || Files.isDirectory(next, LinkOption.NOFOLLOW_LINKS)) {
                        // The first by its name comes on top.
                        children(next).reversed().forEach(waiting::push);
                    } else if (Files.isRegularFile(next, LinkOption.NOFOLLOW_LINKS)) {
                        searchFile(next);
                    }
                } catch (ArchiveLimitException e) {
                    throw new ArchiveLimitException(HostileText.quote(next.toString()) + ": " + e.getMessage());
                } catch (IOException e) {
                    if (next.equals(named)) {
                        throw e;
                    }
                    passedOver(Place.ofPath(next.toString()), reason(e));
                }
            }
        }

        private static List<Path> children(Path folder) throws IOException {
            List<Path> children = new ArrayList<>();
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
                entries.forEach(children::add);
            }
            children.sort(null);
            return children;
        }

        private void searchFile(Path file) throws IOException {
            if (!Files.isRegularFile(file)) {
                // Opening a pipe would wait for its writer.
                throw Files.exists(file)
                        ? new IOException("is no regular file; expected a file or a folder")
                        : new NoSuchFileException(file.toString());
            }
            try (InputStream in = Files.newInputStream(file)) {
                new ArchiveReader(limits, this).read(Place.ofPath(file.toString()), in);
            }
        }

        @Override
        public boolean wants(Place place) {
            return names.isEmpty() || names.stream().anyMatch(name -> matches(name, place.name()));
        }

        private static boolean matches(PathMatcher matcher, String name) {
            try {
                return matcher.matches(Path.of(name));
            } catch (InvalidPathException notAName) {
                return false;
            }
        }

        @Override
        public void elf(Place place, InputStream file) throws IOException {
            ElfIdentity identity;
            try {
                identity = ElfIdentity.read(file);
            } catch (ExtractionException e) {
                if (place.archives() == 0 && place.codings() == 0) {
                    throw new IOException(e.getMessage(), e);
                }
                passedOver(place, Objects.toString(e.getMessage()));
                return;
            }
            if (identity.buildId().isEmpty()) {
                withoutBuildId++;
                return;
            }
            add(identity.buildId().get(), identity, place);
        }

        private void add(BuildId buildId, ElfIdentity identity, Place place) throws IOException {
            FoundBuild known = builds.get(buildId);
            if (known == null) {
                if (builds.size() >= limits.maxBuilds()) {
                    throw new ArchiveLimitException(
                            "more than " + limits.maxBuilds() + " builds are in it, which is the limit");
                }
                builds.put(
                        buildId, new FoundBuild(buildId, identity.architecture(), place.name(), List.of(place.path())));
                return;
            }
            List<String> places = new ArrayList<>(known.places());
            if (places.size() < MAX_PLACES && !places.contains(place.path())) {
                places.add(place.path());
            }
            // A debug file is often called by its build-id, which is known already.
            String name = known.name().endsWith(".debug") ? place.name() : known.name();
            builds.put(buildId, new FoundBuild(buildId, known.architecture(), name, places));
        }

        @Override
        public void passedOver(Place place, String reason) {
            passedOverCount++;
            if (passedOver.size() < MAX_PASSED_OVER) {
                passedOver.add(new Findings.Unread(place.path(), reason));
            }
        }

        @Override
        public void progress(Place place, long entries) {
            if (System.nanoTime() - lastProgress > PROGRESS_NANOS) {
                lastProgress = System.nanoTime();
                console.progress("looking through "
                        + place.path().substring(0, place.path().indexOf('!')) + ": " + entries + " files, "
                        + builds.size() + " builds");
            }
        }

        private static String reason(Exception e) {
            return switch (e) {
                case NoSuchFileException _ -> "no such file";
                case AccessDeniedException _ -> "permission denied";
                default ->
                    Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
            };
        }
    }
}
