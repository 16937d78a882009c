package dev.offsetd.cli.watch;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import java.util.LinkedHashMap;
import java.util.Map;

/** {@code watch}: its subcommands manage the watches of a server. */
public final class WatchCommand extends Command {

    public WatchCommand(Console console) {
        super(console, "Let a server look at places for new builds.");
        examples(
                "offsetd watch try libc6-dbg 'python3.*-dbg'",
                "offsetd watch list 127.0.0.1:8080",
                "offsetd watch add 127.0.0.1:8080 ours folder file:///srv/builds --set ruby",
                "offsetd watch run 127.0.0.1:8080 ours",
                "offsetd watch remove 127.0.0.1:8080 ours");
        exitCodes("0:help was shown", "2:no such command; the help of each command lists the others");
    }

    @Override
    protected Map<String, Command> subcommands() {
        Map<String, Command> commands = new LinkedHashMap<>();
        commands.put("try", new WatchTryCommand(console));
        commands.put("list", new WatchListCommand(console));
        commands.put("add", new WatchAddCommand(console));
        commands.put("run", new WatchRunCommand(console));
        commands.put("remove", new WatchRemoveCommand(console));
        return commands;
    }

    @Override
    public Integer call() throws CommandFailure {
        throw CommandFailure.usage(
                "watch needs a command: " + String.join(", ", subcommands().keySet()) + "; see offsetd watch --help");
    }
}
