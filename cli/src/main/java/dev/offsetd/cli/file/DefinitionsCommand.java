package dev.offsetd.cli.file;

import dev.offsetd.cli.file.DebugFileFinder.DebugFile;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.extractor.OffsetExtractor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** {@code extract FILE --definitions}: prints every complete named definition, unmerged, one JSON object per line. */
public final class DefinitionsCommand {

    private final OffsetExtractor extractor;
    private final DebugFileFinder files;
    private final Console console;

    public DefinitionsCommand(OffsetExtractor extractor, DebugFileFinder files, Console console) {
        this.extractor = extractor;
        this.files = files;
        this.console = console;
    }

    /**
     * Prints the definitions in the order of their DIEs.
     *
     * @throws UncheckedIOException if the output cannot be written
     */
    public int run(Path file) throws CommandFailure {
        DebugFile debugFile = files.withTypes(file);
        files.read(debugFile.path(), () -> {
            extractor.forEachDefinition(debugFile.path(), definition -> {
                try {
                    JsonOutput.print(console, json -> DefinitionJson.writeTo(json, definition));
                } catch (IOException e) {
                    // The extractor's IOException means a failure to read the input.
                    throw new UncheckedIOException(e);
                }
            });
            return ExitCode.OK;
        });
        return ExitCode.OK;
    }
}
