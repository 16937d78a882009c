package dev.offsetd.cli.file;

import dev.offsetd.extractor.input.HostileText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Short lists of the places where a file may be. */
public final class Places {

    private static final int MAX_SHOWN = 3;

    private Places() {}

    /** Returns the first places, each once: a folder and a link to it are one place. */
    public static String text(Collection<Path> places) {
        Map<String, Path> different = new LinkedHashMap<>();
        places.forEach(place -> different.putIfAbsent(real(place).toString(), place));
        List<Path> all = List.copyOf(different.values());
        int more = all.size() - MAX_SHOWN;
        return all.stream()
                        .limit(MAX_SHOWN)
                        .map(place -> HostileText.quote(place.toString()))
                        .collect(Collectors.joining(", "))
                + (more <= 0 ? "" : " and " + more + " more");
    }

    /** Resolves links in the part of the path that exists. */
    private static Path real(Path place) {
        Path path = place.toAbsolutePath().normalize();
        for (Path folder = path.getParent(); folder != null; folder = folder.getParent()) {
            try {
                return folder.toRealPath().resolve(folder.relativize(path));
            } catch (IOException notThere) {
                // Its parent may be.
            }
        }
        return path;
    }
}
