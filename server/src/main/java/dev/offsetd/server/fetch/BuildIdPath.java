package dev.offsetd.server.fetch;

import dev.offsetd.extractor.layout.BuildId;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The path of a build's file below a {@code .build-id} folder: {@code ab/cdef….debug}, as GDB and the distributions lay
 * it out. It is made of the build-id's own hex digits only, so no text from outside ever becomes part of a path.
 */
final class BuildIdPath {

    private static final String SUFFIX = ".debug";

    private static final Pattern PATH_BELOW = Pattern.compile("([0-9a-f]{2})/([0-9a-f]+)\\.(?:debug|json)");

    private BuildIdPath() {}

    /** The build's file below this folder. */
    static Path below(Path folder, BuildId id) {
        String hex = id.toString();
        return folder.resolve(hex.substring(0, 2)).resolve(hex.substring(2) + SUFFIX);
    }

    /** The build that a file or its sidecar belongs to, from its path below the folder; empty if that is no such path. */
    static Optional<BuildId> idOf(Path relative) {
        Matcher matcher = PATH_BELOW.matcher(relative.toString());
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(BuildId.parse(matcher.group(1) + matcher.group(2)));
        } catch (IllegalArgumentException notABuildId) {
            return Optional.empty();
        }
    }
}
