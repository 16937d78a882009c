package dev.offsetd.server.watches;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.packages.repositories.Repository;
import dev.offsetd.packages.repositories.RepositoryDescription;
import dev.offsetd.packages.repositories.RepositoryException;
import dev.offsetd.packages.repositories.RepositoryException.Reason;
import dev.offsetd.packages.repositories.Web;
import dev.offsetd.server.web.ProblemException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

    /**
     * Requires that watches may read a place, if it is a folder. The folder itself may be created later.
     *
     * @throws ProblemException if they may not: 400
     */
    void requirePermitted(RepositoryDescription place) {
        try {
            if (place.kind() == RepositoryDescription.Kind.FOLDER) {
                requirePermitted(place.url());
            }
        } catch (WatchWeb.ForbiddenPlaceException e) {
            throw Watch.Draft.bad("url", "url: " + e.getMessage());
        } catch (IOException missing) {
            // The run says so.
        }
    }

    private void requirePermitted(String url) throws IOException {
        Path folder = Path.of(URI.create(url));
        Optional<Path> real = real(folder);
        Path known = real.orElseGet(folder::normalize);
        if (folders.stream()
                .flatMap(permitted -> real.isPresent() ? real(permitted).stream() : Stream.of(permitted.normalize()))
                .noneMatch(known::startsWith)) {
            throw new WatchWeb.ForbiddenPlaceException(
                    "folder " + HostileText.quote(known.toString()) + "; expected one below " + permitted(), null);
        }
        if (real.isEmpty()) {
            throw new RepositoryException(
                    Reason.MISSING, "folder " + HostileText.quote(folder.toString()) + "; expected one that exists");
        }
    }

    private static Optional<Path> real(Path folder) {
        try {
            return Optional.of(folder.toRealPath());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Describes the folders that watches may read. A missing one permits nothing, and keeps no other from being read. */
    private String permitted() {
        return folders.isEmpty()
                ? "a folder of offsetd.watches.folders, which is empty"
                : folders.stream()
                        .map(folder -> real(folder).isPresent()
                                ? folder.toString()
                                : folder + " (offsetd.watches.folders has it; expected a folder that exists)")
                        .collect(Collectors.joining(" or "));
    }
}
