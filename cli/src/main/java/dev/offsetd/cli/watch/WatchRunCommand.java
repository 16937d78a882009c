package dev.offsetd.cli.watch;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.remote.ServerOptions;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.Printable;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/** {@code watch run URL NAME}: runs a watch now, and waits for the end. */
final class WatchRunCommand extends Command {

    private final Supplier<String> url = ServerOptions.url(this);
    private final Supplier<String> name = parameter("NAME", String.class, "name or id of the watch");
    private final Supplier<Duration> wait =
            ServerOptions.wait(this, "10m", "for the end of the run; 0 to return at once");
    private final ServerOptions access = new ServerOptions(this);

    WatchRunCommand(Console console) {
        super(console, "Run a watch now.");
        examples("offsetd watch run 127.0.0.1:8080 ruby");
        exitCodes(
                "0:the run ended without a failure",
                "1:no such watch",
                "3:the run failed",
                "4:it has not ended in time, or the server is unreachable or failed",
                "7:the server requires a token, or refuses this one (401, 403)");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        Duration maxWait = wait.get();
        long end = System.nanoTime() + maxWait.toNanos();
        try (WatchClient client = new WatchClient(ServerOptions.server(url.get()), access.token(), console)) {
            String path = client.require(name.get());
            String before = client.get(path).path("lastRun").path("startedAt").asString("");
            client.run(path);
            while (System.nanoTime() - end < 0) {
                JsonNode run = client.get(path).path("lastRun");
                if (!run.path("startedAt").asString("").equals(before) && run.has("endedAt")) {
                    console.println(Printable.of(name.get() + ": " + WatchListCommand.outcome(run) + ", "
                            + run.path("storedBuilds").asString("") + " builds"));
                    return run.path("outcome").asString("").equals("failed") ? ExitCode.NOT_ALL : ExitCode.OK;
                }
                console.progress("waiting for the run of " + name.get());
                client.pause();
            }
        }
        if (maxWait.isZero()) {
            return ExitCode.OK;
        }
        throw new CommandFailure(
                ExitCode.SERVER_FAILED, "the run has not ended after " + maxWait.toSeconds() + " s; it continues");
    }
}
