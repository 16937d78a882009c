package dev.offsetd.server.debuginfod;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfSection;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.sources.FileKind;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/** Reads the section header tables of files. */
@Component
class FileContents {

    private static final Logger log = LoggerFactory.getLogger(FileContents.class);

    private final ReadOptions options = new ReadOptions(Limits.HEADERS.withMaxFileBytes(Long.MAX_VALUE), 1);
    private final ComputePool threads;

    FileContents(@Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.threads = threads;
    }

    /**
     * Returns whether a file can serve as the debug file or executable of its build. A slim file, as {@code push} sends it,
     * cannot: it keeps the headers of its line tables and its code without their contents, and a debugger would show no lines.
     */
    boolean isComplete(CachedFile file, FileKind kind) {
        List<ElfSection> sections = sections(file);
        boolean debugInfoIsComplete = sections.stream()
                .noneMatch(section -> isDebugInfo(section.name()) && !section.inFile() && section.bytes() > 0);
        return !sections.isEmpty()
                && debugInfoIsComplete
                && (kind != FileKind.EXECUTABLE
                        || sections.stream().anyMatch(section -> section.name().equals(".text") && section.inFile()));
    }

    /** Returns whether sections of this name are in debug files, and not in executables. */
    static boolean isDebugInfo(String name) {
        return name.startsWith(".debug_") || name.startsWith(".zdebug_");
    }

    /** Returns the contents of the first section of this name; empty if the file has none. */
    Optional<ElfSection> section(CachedFile file, String name) {
        return sections(file).stream()
                .filter(section -> section.name().equals(name) && section.inFile())
                .findFirst();
    }

    private List<ElfSection> sections(CachedFile file) {
        return threads.answer(() -> read(file));
    }

    private List<ElfSection> read(CachedFile file) {
        try {
            return DebugInfo.read(file.path(), options, DebugInfo::sections);
        } catch (IOException | ExtractionException e) {
            log.warn("{} is not sent: {}", file.path(), e.getMessage());
            return List.of();
        }
    }
}
