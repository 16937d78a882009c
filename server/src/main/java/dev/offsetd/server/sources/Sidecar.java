package dev.offsetd.server.sources;

import com.google.re2j.Pattern;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Metadata of a cached file, stored as JSON in a small file beside it.
 *
 * @param source name of the upstream that delivered the file
 * @param origin word of its origin; null if an earlier server stored the file
 * @param sha256 lower-case hex
 * @param headers what the upstream said of the file; null for nothing
 */
record Sidecar(
        String source,
        @Nullable String origin,
        String sha256,
        long bytes,
        @Nullable FileHeaders headers) {

    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

    private static final JsonMapper JSON = JsonMapper.shared();

    Sidecar {
        if (!SHA256.matcher(sha256).matches() || source.isEmpty() || bytes < 0) {
            throw new IllegalArgumentException("sidecar without source, SHA-256 or size");
        }
    }

    static Path pathBeside(Path file) {
        return file.resolveSibling(file.getFileName() + ".json");
    }

    /** Reads the sidecar of a file; empty if it is missing, malformed, or not a regular file. */
    static Optional<Sidecar> beside(Path file) throws IOException {
        if (!Files.isRegularFile(pathBeside(file), LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try {
            return Optional.of(JSON.readValue(Files.readAllBytes(pathBeside(file)), Sidecar.class));
        } catch (NoSuchFileException | JacksonException e) {
            return Optional.empty();
        }
    }

    byte[] toJson() {
        return JSON.writeValueAsBytes(this);
    }
}
