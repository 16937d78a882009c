package dev.offsetd.server.watches;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.packages.repositories.Repository;
import dev.offsetd.packages.repositories.RepositoryDescription;
import dev.offsetd.packages.repositories.Web;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/** Opens the places of watches. A watch reads folders of the server only where the operator permits it. */
@Component
class WatchPlaces {

    private final List<Path> folders;

    WatchPlaces(WatchProperties properties) {
        this.folders = properties.folders();
    }

    /**
     * Returns a place, without reading it.
     *
     * @param scratch for indexes while they are read
     * @throws IOException if it is a folder that watches may not read
     */
    Repository open(RepositoryDescription place, Web web, Path scratch) throws IOException {
        if (place.kind() == RepositoryDescription.Kind.FOLDER) {
            requirePermitted(place.url());
        }
        return place.repository(web, scratch);
    }

    private void requirePermitted(String url) throws IOException {
        Path real = Path.of(URI.create(url)).toRealPath();
        for (Path permitted : folders) {
            if (real.startsWith(permitted.toRealPath())) {
                return;
            }
        }
        throw new IOException("folder " + HostileText.quote(real.toString()) + "; expected one below "
                + (folders.isEmpty()
                        ? "a folder of offsetd.watches.folders, which is empty"
                        : folders.stream().map(Path::toString).collect(Collectors.joining(" or "))));
    }
}
