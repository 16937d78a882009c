package dev.offsetd.cli.prewarm;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.file.DebugFileFinder;
import dev.offsetd.cli.remote.ServerOptions;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.cli.terminal.TextTable;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.builds.LoadedModule;
import dev.offsetd.packages.SearchResult;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code core FILE}: lists the programs and libraries of a core file with their build-ids, or prewarms them. */
public final class CoreCommand extends Command {

    private final Supplier<Path> file = parameter("FILE", Path.class, "core file, also one that systemd compressed");
    private final Supplier<@Nullable String> url = option("--prewarm", "URL", String.class, ServerOptions.URL);
    private final BooleanSupplier json = flag("-j,--json", "print JSON");
    private final Supplier<Duration> wait = ServerOptions.wait(this, "1h", "for the server");
    private final ServerOptions server = new ServerOptions(this);

    public CoreCommand(Console console) {
        super(
                console,
                "List the modules of a core file with their build-ids.",
                "With --prewarm, makes them ready on a server; it is sent the build-ids and nothing else.");
        examples("offsetd core core.1234", "offsetd core core.1234 --prewarm http://127.0.0.1:8080");
        exitCodes(
                "0:the modules were listed; with --prewarm, every build is ready",
                "2:invalid command line",
                "3:the file is unreadable or not a core file; with --prewarm, a build failed",
                "4:the server is unreachable, failed, or was not done in time",
                "6:with --prewarm: no module has a build-id; nothing was sent",
                "7:with --prewarm: the server requires a token, or refuses this one (401, 403)");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        String address = url.get();
        URI target = address == null ? null : ServerOptions.server(address);
        Duration maxWait = wait.get();
        DebugFileFinder files = DebugFileFinder.ofSystem(console);
        List<LoadedModule> modules = files.readFile(file.get(), DebugInfo::modules);
        if (target == null) {
            print(modules);
            return ExitCode.OK;
        }
        List<RequestedBuild> builds = modules.stream()
                .flatMap(module -> Optional.ofNullable(module.buildId()).stream())
                .distinct()
                .map(buildId -> new RequestedBuild(buildId, null))
                .toList();
        if (builds.isEmpty()) {
            throw new CommandFailure(ExitCode.NOTHING_TO_SEND, file.get() + ": no module has a build-id");
        }
        Prewarming.Options options =
                new Prewarming.Options(target, builds, List.of(), Priority.NORMAL, List.of(), maxWait);
        SearchResult nothingSearched = new SearchResult(List.of(), List.of(), List.of(), 0, 0);
        return new Prewarming(console, server.token()).run(options, nothingSearched, json.getAsBoolean());
    }

    /** Prints the modules, by address. */
    private void print(List<LoadedModule> modules) throws IOException {
        if (json.getAsBoolean()) {
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
