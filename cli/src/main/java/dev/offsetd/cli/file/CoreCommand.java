package dev.offsetd.cli.file;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.cli.terminal.TextTable;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.layout.LoadedModule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** {@code core FILE}: lists the programs and libraries of a core file with their build-ids. */
public final class CoreCommand {

    private final OffsetExtractor extractor;
    private final DebugFileFinder files;
    private final Console console;

    public CoreCommand(OffsetExtractor extractor, DebugFileFinder files, Console console) {
        this.extractor = extractor;
        this.files = files;
        this.console = console;
    }

    public List<LoadedModule> modules(Path core) throws CommandFailure {
        return files.read(core, () -> extractor.modules(core));
    }

    /** Prints the modules, by address. */
    public void print(List<LoadedModule> modules, boolean asJson) throws IOException {
        if (asJson) {
            JsonOutput.print(console, json -> {
                json.writeStartObject();
                json.writeArrayPropertyStart("modules");
                for (LoadedModule module : modules) {
                    json.writeStartObject();
                    json.writeStringProperty("start", hex(module.start()));
                    json.writeStringProperty("end", hex(module.end()));
                    json.writeStringProperty(
                            "buildId",
                            module.buildId() == null ? null : module.buildId().toString());
                    json.writeStringProperty("path", module.path());
                    json.writeEndObject();
                }
                json.writeEndArray();
                json.writeEndObject();
            });
            return;
        }
        TextTable table = new TextTable("START", "END", "BUILD-ID", "FILE");
        for (LoadedModule module : modules) {
            table.add(
                    hex(module.start()),
                    hex(module.end()),
                    module.buildId() == null ? "-" : module.buildId().toString(),
                    module.path() == null ? "-" : Printable.of(module.path()));
        }
        table.print(console);
    }

    private static String hex(long address) {
        return "0x" + Long.toHexString(address);
    }
}
