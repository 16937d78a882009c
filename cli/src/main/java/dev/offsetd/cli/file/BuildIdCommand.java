package dev.offsetd.cli.file;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** {@code build-id FILE}: prints the build-id of a file, or all keys that identify its build. */
public final class BuildIdCommand extends Command {

    private final Supplier<Path> file = parameter("FILE", Path.class, "any ELF file");
    private final BooleanSupplier all =
            flag("--all", "also print the alias keys: Go build-id, OpenTelemetry's htlhash, SHA-256");
    private final BooleanSupplier json = flag("-j,--json", "print JSON");

    public BuildIdCommand(Console console) {
        super(console, "Print the build-id of a file.");
        examples("offsetd build-id /usr/bin/ls", "offsetd build-id ./server --all");
        exitCodes("0:success", "1:the file has none", "3:the file is unreadable or not an ELF file");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        return run(file.get(), all.getAsBoolean(), json.getAsBoolean());
    }

    private int run(Path file, boolean all, boolean asJson) throws CommandFailure, IOException {
        DebugFileFinder files = DebugFileFinder.ofSystem(console);
        ElfFacts elf = files.inspect(file);
        List<BuildId> keys;
        if (all) {
            keys = files.keys(file).all();
        } else if (elf.buildId() != null) {
            keys = List.of(elf.buildId());
        } else {
            if (elf.isRawBtf()) {
                throw new CommandFailure(
                        ExitCode.INCOMPLETE,
                        file + ": no build-id: BTF without ELF has none; that of its kernel is in /sys/kernel/notes");
            }
            String reason = files.unusableBuildId(file).orElse("no NT_GNU_BUILD_ID note");
            throw new CommandFailure(
                    ExitCode.INCOMPLETE,
                    file + ": no build-id (" + reason + "); the linker writes one with --build-id,"
                            + " and offsetd build-id --all prints keys to use instead");
        }
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
