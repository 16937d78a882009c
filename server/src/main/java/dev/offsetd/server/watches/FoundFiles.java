package dev.offsetd.server.watches;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.packages.repositories.PackageFile;
import java.io.IOException;

/** Port: stores files that watches have found and no source has. */
public interface FoundFiles {

    /**
     * Stores the content of a file, unless a better one answers for its build.
     *
     * @param watch name of the watch, which stands for the uploader
     * @throws ExtractionException if the file is unusable
     * @throws IOException if the server's own disk fails
     */
    void store(PackageFile file, String watch) throws IOException, ExtractionException, InterruptedException;
}
