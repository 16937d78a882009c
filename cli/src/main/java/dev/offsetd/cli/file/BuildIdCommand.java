package dev.offsetd.cli.file;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.Identity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** {@code build-id FILE}: prints the build-id of a file, or all keys that identify its build. */
public final class BuildIdCommand {

    private final DebugFileFinder files;
    private final Console console;

    public BuildIdCommand(DebugFileFinder files, Console console) {
        this.files = files;
        this.console = console;
    }

    /**
     * Prints the build-id.
     *
     * @param all whether to print the alias keys, too
     */
    public int run(Path file, boolean all, boolean asJson) throws CommandFailure, IOException {
        ElfFacts elf = files.inspect(file);
        if (!all && elf.buildId().isEmpty()) {
            String reason = files.unusableBuildId(file).orElse("no NT_GNU_BUILD_ID note");
            throw new CommandFailure(
                    ExitCode.INCOMPLETE,
                    file + ": no build-id (" + reason + "); the linker writes one with --build-id,"
                            + " and offsetd build-id --all prints keys to use instead");
        }
        List<BuildId> keys =
                all ? files.keys(file).all() : elf.buildId().stream().toList();
        Identity identity = asJson || console.terminal().isPresent() ? files.identity(file) : Identity.UNKNOWN;
        if (asJson) {
            JsonOutput.print(console, json -> {
                json.writeStartObject();
                ElfFactsJson.writeTo(json, elf);
                json.writeBooleanProperty("hasDwarf", elf.hasDwarf());
                if (all) {
                    json.writeArrayPropertyStart("keys");
                    keys.forEach(key -> json.writeString(key.toString()));
                    json.writeEndArray();
                }
                ElfFactsJson.writeIdentity(json, identity);
                json.writeEndObject();
            });
        } else {
            console.tell(DebugFileFinder.title(file, identity, elf));
            for (BuildId key : keys) {
                console.println(key.toString());
            }
        }
        return ExitCode.OK;
    }
}
