package dev.offsetd.server.builds.identity;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.TlsAccess;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Facts about the symbols of a build that its executable states, and its debug file does not.
 *
 * @param segments loaded ones; none of a separate debug file
 * @param tls ways to its thread-local variables; null if it has none, or if they cannot be read
 */
public record ExecutableFacts(
        List<FileOffsets.Segment> segments, @Nullable TlsAccess tls) {

    /**
     * Reads the facts in an open file.
     *
     * @throws IOException if it cannot be read
     * @throws ExtractionException if it is malformed or unsupported
     */
    public static ExecutableFacts of(DebugInfo file) throws IOException, ExtractionException {
        return new ExecutableFacts(
                file.fileOffsets().segments(), file.tlsAccess().orElse(null));
    }
}
