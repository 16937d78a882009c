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

/** The commands by their names, and what is said about all of them. */
final class Commands {

    private final Console console;
    private final Map<String, Supplier<CommandSpec>> byName = new LinkedHashMap<>();

    Commands(Console console) {
        this.console = console;
        CommandsOnFiles onFiles = new CommandsOnFiles(console);
        CommandsOnServers onServers = new CommandsOnServers(console);
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
     * What can parse these arguments: if they begin with the name of a command it knows that one only, and else all of
     * them, as help and errors need.
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
                .description("Struct layouts out of debug files, and the server that answers them by build-id.")
                .synopsisSubcommandLabel("COMMAND")
                .commandListHeading("%nCommands:%n")
                .exitCodeListHeading("%nExit codes:%n")
                .exitCodeList(UsageMessageSpec.keyValuesMap(
                        "0:done; everything that was asked for is in the output",
                        "1:answered, but not everything was found; test: a test failed",
                        "2:the command line cannot be understood",
                        "3:the file cannot be read, is malformed or not supported, or has no debug information",
                        "4:the server cannot be reached, failed, or did not answer in time",
                        "5:the output cannot be written",
                        "6:prewarm, push: a file that was named cannot be read, or there is nothing to send",
                        "10:no JDK 25 was found",
                        "11:the build failed",
                        "70:a fault of offsetd",
                        "141:the reader of the output has gone"))
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
                "Start the server. The launcher script ./offsetd does this; its options:",
                "./offsetd serve --help");
    }

    private CommandSpec test() {
        return launcherOnly(
                "test",
                "Run every test, after installing or naming the missing tools; with quick those that need no tools and"
                        + " take seconds. The launcher script ./offsetd does this.");
    }

    /** These two never get here from the launcher, but belong into the list of commands. */
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

    /** What {@code --version} prints. */
    static String[] version() {
        String version = Commands.class.getPackage().getImplementationVersion();
        return new String[] {
            "offsetd " + (version == null ? "(not from a jar)" : version) + ", extractor " + OffsetExtractor.VERSION
        };
    }
}
