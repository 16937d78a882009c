package dev.offsetd.server.startup;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** C library of this process: a build that exists on every Linux host, for an example that works as printed. */
final class LibcOfThisProcess {

    private static final Pattern LIBC = Pattern.compile("/[^ ]*/libc[.-][^/]*so[^/]*");
    private static final Path MAPPINGS = Path.of("/proc/self/maps");

    private LibcOfThisProcess() {}

    /** Returns its build-id; empty if the system does not show the file, or it has none. */
    static Optional<BuildId> buildId() {
        try (Stream<String> mappings = Files.lines(MAPPINGS, StandardCharsets.ISO_8859_1)) {
            Optional<String> file = mappings.map(line -> line.substring(line.lastIndexOf(' ') + 1))
                    .filter(path -> LIBC.matcher(path).matches())
                    .findFirst();
            return file.isPresent()
                    ? DebugInfo.read(Path.of(file.get()), new ReadOptions(Limits.DEFAULT, 1), DebugInfo::buildId)
                    : Optional.empty();
        } catch (IOException | ExtractionException e) {
            return Optional.empty();
        }
    }
}
