package dev.offsetd.server.sources;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.builds.BuildId;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Path of a build's file below a {@code .build-id} folder: {@code ab/cdef….debug}, the layout of GDB and the distributions, and
 * {@code ab/cdef….executable} and others in the disk cache. It consists of the hex digits of the parsed build-id, so no text of a
 * client becomes part of a path.
 */
final class BuildIdPath {

    private static final Pattern PATH_BELOW = Pattern.compile("([0-9a-f]{2})/([0-9a-f]+)\\.([a-z]+)(?:\\.json)?");

    private BuildIdPath() {}

    static Path below(Path folder, BuildId id) {
        return below(folder, id, FileKind.DEBUGINFO);
    }

    static Path below(Path folder, BuildId id, FileKind kind) {
        Path executable = ofExecutable(folder, id);
        return executable.resolveSibling(executable.getFileName() + "." + kind.suffix());
    }

    /** Returns the path of the build's executable below a folder of installed files: {@code ab/cdef…}. */
    static Path ofExecutable(Path folder, BuildId id) {
        String hex = id.toString();
        return folder.resolve(hex.substring(0, 2)).resolve(hex.substring(2));
    }

    /** Returns the key of a file or its sidecar from the path below the folder; empty if the path has another form. */
    static Optional<DiskCache.Key> keyOf(Path relative) {
        Matcher matcher = PATH_BELOW.matcher(relative.toString());
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            BuildId id = BuildId.parse(matcher.group(1) + matcher.group(2));
            return FileKind.ofSuffix(matcher.group(3)).map(kind -> new DiskCache.Key(id, kind));
        } catch (IllegalArgumentException notABuildId) {
            return Optional.empty();
        }
    }
}
