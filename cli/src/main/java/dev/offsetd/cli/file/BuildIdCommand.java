package dev.offsetd.cli.file;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.layout.BuildId;
import java.io.IOException;
import java.nio.file.Path;

/** {@code build-id FILE}: prints the build-id of a file. */
public final class BuildIdCommand {

    private final DebugFileFinder files;
    private final Console console;

    public BuildIdCommand(DebugFileFinder files, Console console) {
        this.files = files;
        this.console = console;
    }

    public int run(Path file, boolean asJson) throws CommandFailure, IOException {
        ElfFacts elf = files.inspect(file);
        BuildId buildId = elf.buildId()
                .orElseThrow(() -> new CommandFailure(
                        ExitCode.INCOMPLETE,
                        file + ": no build-id (no NT_GNU_BUILD_ID note); the linker writes one with --build-id"));
        if (asJson) {
            JsonOutput.print(console, json -> {
                json.writeStartObject();
                ElfFactsJson.writeTo(json, elf);
                json.writeBooleanProperty("hasDwarf", elf.hasDwarf());
                json.writeEndObject();
            });
        } else {
            console.println(buildId.toString());
        }
        return ExitCode.OK;
    }
}
