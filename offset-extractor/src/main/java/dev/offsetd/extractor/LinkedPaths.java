package dev.offsetd.extractor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/** Policy for following links to other files. The paths come from files, so they may be hostile. */
enum LinkedPaths {
    /** Only paths in and below the folder of the linking file: for files of unknown origin. */
    BESIDE,
    /** Any path: for a user's own builds. */
    ANYWHERE;

    /**
     * Returns the regular files that a link may refer to, likeliest first. A relative folder, as of builds that can be
     * repeated anywhere, counts from the working folder, or else from the folders above the file, for a user's own builds.
     *
     * @param linking the file that has the link
     * @param base folder that a relative link counts from, as the link's producer wrote it; empty for that of
     *     {@code linking}
     * @param link path as the producer wrote it
     */
    List<Path> candidates(Path linking, String base, String link) {
        SequencedSet<Path> found = new LinkedHashSet<>();
        try {
            Path folder = linking.toAbsolutePath().getParent();
            Path named = Path.of(link);
            Path last = named.getFileName();
            if (folder == null || last == null) {
                return List.of();
            }
            found.add(folder.resolve(base).resolve(named).normalize());
            found.add(folder.resolve(named).normalize());
            found.add(folder.resolve(last));
            if (this == BESIDE) {
                found.removeIf(path -> !path.startsWith(folder.normalize()));
            } else {
                Path relative = Path.of(base).resolve(named);
                found.add(relative.toAbsolutePath().normalize());
                for (Path above = folder.getParent(); above != null; above = above.getParent()) {
                    found.add(above.resolve(relative).normalize());
                }
            }
        } catch (InvalidPathException e) {
            return List.of();
        }
        return regular(found);
    }

    /** Returns the file that symbolic links lead to, or the path itself if they lead nowhere. */
    static Path real(Path file) {
        try {
            return file.toRealPath();
        } catch (IOException missing) {
            return file;
        }
    }

    /** Returns the candidates that are regular files, in order. */
    static List<Path> regular(Iterable<Path> candidates) {
        List<Path> found = new ArrayList<>();
        candidates.forEach(found::add);
        found.removeIf(path -> !Files.isRegularFile(path));
        return found;
    }
}
