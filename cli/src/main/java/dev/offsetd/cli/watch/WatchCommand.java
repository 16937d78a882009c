package dev.offsetd.cli.watch;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.input.IoReason;
import dev.offsetd.packages.repositories.Keyring;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

    /** Returns the certificates of a keyring, which is binary or armoured, in ASCII armour; null for none. */
    static @Nullable String certificates(@Nullable Path keyring) throws CommandFailure {
        try {
            return keyring == null ? null : Keyring.read(keyring);
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.BAD_FILE, keyring + ": " + IoReason.of(e));
        }
    }

    @Override
    public Integer call() throws CommandFailure {
        throw CommandFailure.usage(
                "watch needs a command: " + String.join(", ", subcommands().keySet()) + "; see offsetd watch --help");
    }
}
