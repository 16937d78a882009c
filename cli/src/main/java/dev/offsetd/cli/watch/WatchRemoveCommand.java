package dev.offsetd.cli.watch;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.remote.ServerOptions;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import java.util.function.Supplier;

/** {@code watch remove URL NAME}: removes a watch; what it has stored stays. */
final class WatchRemoveCommand extends Command {

    private final Supplier<String> url = ServerOptions.url(this);
    private final Supplier<String> name = parameter("NAME", String.class, "name or id of the watch");
    private final ServerOptions access = new ServerOptions(this);

    WatchRemoveCommand(Console console) {
        super(console, "Remove a watch; the builds that it has stored stay.");
        examples("offsetd watch remove 127.0.0.1:8080 ruby");
        exitCodes(
                "0:the watch is removed",
                "1:no such watch",
                "4:the server is unreachable or failed",
                "7:the server requires a token, or refuses this one (401, 403)");
    }

    @Override
    public Integer call() throws CommandFailure {
        try (WatchClient client = new WatchClient(ServerOptions.server(url.get()), access.token(), console)) {
            client.remove(client.require(name.get()));
            return ExitCode.OK;
        }
    }
}
