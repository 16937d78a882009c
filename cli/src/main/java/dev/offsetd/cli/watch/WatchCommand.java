package dev.offsetd.cli.watch;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import java.util.LinkedHashMap;
import java.util.Map;

/** {@code watch}: its subcommands look at repositories. */
public final class WatchCommand extends Command {

    public WatchCommand(Console console) {
        super(console, "Watch repositories of packages and images for new builds.");
        examples("offsetd watch try", "offsetd watch try libc6-dbg 'python3.*-dbg'");
        exitCodes("0:help was shown", "2:no such command; the help of each command lists the others");
    }

    @Override
    protected Map<String, Command> subcommands() {
        Map<String, Command> commands = new LinkedHashMap<>();
        commands.put("try", new WatchTryCommand(console));
        return commands;
    }

    @Override
    public Integer call() throws CommandFailure {
        throw CommandFailure.usage("watch needs a command: try; see offsetd watch --help");
    }
}
