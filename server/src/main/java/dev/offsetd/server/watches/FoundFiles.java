package dev.offsetd.server.watches;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import java.io.IOException;
import java.nio.file.Path;

/** Port: stores files that watches have found and no source has. */
public interface FoundFiles {

    /**
     * Stores the content of a file, unless a better one answers for its build.
     *
     * @param place name of the package or image, and the names inside of archives after each {@code !}
     * @param watch name of the watch, which stands for the uploader
     * @throws ExtractionException if the file is unusable
     * @throws IOException if the server's own disk fails
     */
    void store(BuildId id, Path file, String place, String watch)
            throws IOException, ExtractionException, InterruptedException;
}
