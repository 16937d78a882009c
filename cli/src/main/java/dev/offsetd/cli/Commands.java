package dev.offsetd.cli;

import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.training.TrainingRun;
import dev.offsetd.extractor.OffsetExtractor;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The commands by name, and the overview of {@code --help}. */
final class Commands {

    private final Console console;
    private final Map<String, Supplier<CommandSpec>> byName = new LinkedHashMap<>();

    Commands(Console console) {
        this.console = console;
        FileCommands onFiles = new FileCommands(console);
        ServerCommands onServers = new ServerCommands(console);
        byName.put("bench", onFiles::bench);
        byName.put("build-id", onFiles::buildId);
        byName.put("diff", onFiles::diff);
        byName.put("extract", onFiles::extract);
        byName.put("prewarm", onServers::prewarm);
        byName.put("push", onServers::push);
        byName.put("query", onServers::query);
        byName.put("resolve", onFiles::resolve);
        byName.put("serve", this::serve);
        byName.put("symbols", onFiles::symbols);
        byName.put("test", this::test);
        byName.put("train", Commands::train);
        byName.put("types", onFiles::types);
    }

    /**
     * Returns a parser for these arguments. It knows only the command that they begin with, because building the models of
     * all commands takes time; without a command it knows all, for help and errors.
     */
    CommandLine forArguments(String... arguments) {
        CommandLine commandLine = new CommandLine(overview());
        String first = arguments.length == 0 ? "" : arguments[0];
        Supplier<CommandSpec> named = byName.get(first);
        if (named != null) {
            commandLine.addSubcommand(first, named.get());
        } else {
            commandLine.addSubcommand(new HelpCommand());
            byName.forEach((name, command) -> commandLine.addSubcommand(name, command.get()));
        }
        return commandLine;
    }

    private static CommandSpec overview() {
        CommandSpec spec = CommandSpec.create().name("offsetd");
        spec.usageMessage()
                .description("Read struct layouts from debug files, and serve them by build-id.")
                .synopsisSubcommandLabel("COMMAND")
                .commandListHeading("%nCommands:%n")
                .exitCodeListHeading("%nExit codes:%n")
                .exitCodeList(UsageMessageSpec.keyValuesMap(
                        "0:success: the output has everything that was requested",
                        "1:something was not found; test: a test failed",
                        "2:invalid command line",
                        "3:the file is unreadable, malformed, unsupported, or without debug information",
                        "4:the server is unreachable, failed, or did not answer in time",
                        "5:the output is not writable",
                        "6:prewarm, push: a named file is unreadable, or there is nothing to send",
                        "10:no JDK 25 found",
                        "11:the build failed",
                        "70:internal error of offsetd",
                        "141:the reader of the output closed it"))
                .footer(
                        "",
                        "ITEMS are separated by commas: a type (malloc_state), a member path",
                        "(RString.as.heap.ptr), an enumerator (enumerator TASK_DEAD), or",
                        "alternatives (a|b). The grammar is in docs/cli.md.");
        return Syntax.withStandardOptions(spec);
    }

    private CommandSpec serve() {
        return launcherOnly(
                "serve",
                "Start the server. This is a command of the launcher script; its options:",
                "./offsetd serve --help");
    }

    private CommandSpec test() {
        return launcherOnly(
                "test",
                "Run all tests, after installing or listing missing tools; \"test quick\" runs the unit tests only."
                        + " This is a command of the launcher script.");
    }

    /** A command that the launcher handles, and that is here only for the list of commands. */
    private CommandSpec launcherOnly(String name, String... description) {
        return new Syntax(description).does(() -> {
            console.say(name + " is a command of the launcher script: ./offsetd " + name);
            return ExitCode.USAGE;
        });
    }

    private static CommandSpec train() {
        Syntax syntax = new Syntax("Run every command on small files to train an AOT cache; ./offsetd calls this.");
        Supplier<Path> folder = syntax.parameter("DIR", Path.class, "an empty folder");
        CommandSpec spec = syntax.does(
                () -> new TrainingRun((console, words) -> new Offsetd(console).run(words)).run(folder.get()));
        spec.usageMessage().hidden(true);
        return spec;
    }

    static String[] version() {
        String version = Commands.class.getPackage().getImplementationVersion();
        return new String[] {
            "offsetd " + (version == null ? "(not from a jar)" : version) + ", extractor " + OffsetExtractor.VERSION
        };
    }
}
