package dev.offsetd.cli;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;

/** A command of the launcher script, which is here only for help and completions. */
final class LauncherCommand extends Command {

    private final String name;

    LauncherCommand(Console console, String name, String description, String example) {
        super(console, description, "This is a command of the launcher script ./offsetd.");
        this.name = name;
        examples("offsetd " + example);
    }

    @Override
    public Integer call() {
        console.say(name + " is a command of the launcher script: ./offsetd " + name);
        return ExitCode.USAGE;
    }
}
