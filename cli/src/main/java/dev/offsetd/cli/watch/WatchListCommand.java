package dev.offsetd.cli.watch;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.remote.ServerOptions;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.TextTable;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/** {@code watch list URL}: the watches of a server and their last runs. */
final class WatchListCommand extends Command {

    private final Supplier<String> url = ServerOptions.url(this);
    private final BooleanSupplier json = flag("-j,--json", "print the server's answer");
    private final ServerOptions access = new ServerOptions(this);

    WatchListCommand(Console console) {
        super(console, "List the watches of a server.");
        examples("offsetd watch list 127.0.0.1:8080");
        exitCodes(
                "0:the watches are listed",
                "4:the server is unreachable or failed",
                "7:the server requires a token, or refuses this one (401, 403)");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        try (WatchClient client = new WatchClient(ServerOptions.server(url.get()), access.token(), console)) {
            JsonNode list = client.list();
            if (json.getAsBoolean()) {
                console.println(list.toString());
                return ExitCode.OK;
            }
            TextTable table = new TextTable("NAME", "KIND", "SETS", "LAST RUN", "OUTCOME", "BUILDS", "NEXT RUN", "URL");
            for (JsonNode watch : list.path("watches")) {
                JsonNode run = watch.path("lastRun");
                table.add(
                        watch.path("name").asString(""),
                        watch.path("kind").asString(""),
                        sets(watch),
                        run.path("startedAt").asString(""),
                        outcome(run),
                        run.path("storedBuilds").asString(""),
                        watch.path("nextRunAt").asString(""),
                        watch.path("url").asString(""));
            }
            table.print(console);
            return ExitCode.OK;
        }
    }

    private static String sets(JsonNode watch) {
        StringBuilder sets = new StringBuilder();
        watch.path("typeSets")
                .forEach(set -> sets.append(sets.isEmpty() ? "@" : " @").append(set.asString("")));
        return sets.toString();
    }

    /** Describes how a run ended. */
    static String outcome(JsonNode run) {
        if (run.isMissingNode()) {
            return "";
        }
        if (!run.has("endedAt")) {
            return "running";
        }
        String detail = run.path("cause").path("detail").asString("");
        return run.path("outcome").asString("") + (detail.isEmpty() ? "" : ": " + detail);
    }
}
