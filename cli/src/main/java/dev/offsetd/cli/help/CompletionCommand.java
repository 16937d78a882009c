package dev.offsetd.cli.help;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import picocli.AutoComplete;
import picocli.CommandLine;

/** {@code completion SHELL}: prints a completion script. */
public final class CompletionCommand extends Command {

    private final Supplier<String> shell = parameter("SHELL", List.of("bash", "zsh", "fish"), "bash, zsh or fish");
    private final Supplier<CommandLine> program;

    /** @param program the program with all commands */
    public CompletionCommand(Console console, Supplier<CommandLine> program) {
        super(
                console,
                "Print a completion script for a shell.",
                "Save it where the shell looks for completions: docs/cli.md.");
        this.program = program;
        examples("source <(offsetd completion bash)", "offsetd completion fish | source");
    }

    @Override
    public Integer call() throws IOException {
        CommandLine all = program.get();
        if (shell.get().equals("fish")) {
            console.println(String.join("\n", FishCompletion.lines(all.getCommandSpec())));
        } else {
            console.println(AutoComplete.bash(all.getCommandName(), all));
        }
        return ExitCode.OK;
    }
}
