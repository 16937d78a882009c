package dev.offsetd.cli.help;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.input.HostileText;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine;

/** {@code man [COMMAND]}: prints a manual page. */
public final class ManCommand extends Command {

    private final Supplier<List<String>> names = parameters("COMMAND", false, String.class, "default: all commands");
    private final Supplier<CommandLine> program;

    /** @param program the program with all commands */
    public ManCommand(Console console, Supplier<CommandLine> program) {
        super(console, "Print the manual page of offsetd or of a command, for man.");
        this.program = program;
        examples("offsetd man extract | man -l -");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        CommandLine command = program.get();
        for (String name : names.get()) {
            command = command.getSubcommands().get(name);
            if (command == null) {
                throw CommandFailure.usage(
                        "COMMAND is " + HostileText.quote(name) + "; expected a command of offsetd --help");
            }
        }
        for (String line : ManualPage.lines(command.getCommandSpec())) {
            console.println(line);
        }
        return ExitCode.OK;
    }
}
