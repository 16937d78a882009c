package dev.offsetd.cli;

import dev.offsetd.cli.bundle.BundleCommand;
import dev.offsetd.cli.check.CheckCommand;
import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.file.BuildIdCommand;
import dev.offsetd.cli.file.DiffCommand;
import dev.offsetd.cli.file.ExportCommand;
import dev.offsetd.cli.file.ExtractCommand;
import dev.offsetd.cli.file.ResolveCommand;
import dev.offsetd.cli.file.SymbolsCommand;
import dev.offsetd.cli.file.TypesCommand;
import dev.offsetd.cli.help.CommandList;
import dev.offsetd.cli.help.CompletionCommand;
import dev.offsetd.cli.help.ManCommand;
import dev.offsetd.cli.prewarm.CoreCommand;
import dev.offsetd.cli.prewarm.PrewarmCommand;
import dev.offsetd.cli.push.PushCommand;
import dev.offsetd.cli.query.QueryCommand;
import dev.offsetd.cli.symbolize.SymbolizeCommand;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.training.TrainCommand;
import dev.offsetd.cli.watch.ReadyCommand;
import dev.offsetd.cli.watch.WatchCommand;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The commands by name, and the overview of {@code --help}. */
final class Commands {

    private static final String PROGRAM = "offsetd";

    private final Console console;

    /** The commands by name, by the heading of their group. */
    private final Map<String, Map<String, Supplier<Command>>> groups = new LinkedHashMap<>();

    /** @param installed whether to leave out the commands that need the sources */
    Commands(Console console, boolean installed) {
        this.console = console;
        Map<String, Supplier<Command>> files = group("Read files");
        files.put("build-id", () -> new BuildIdCommand(console));
        files.put("types", () -> new TypesCommand(console));
        files.put("symbols", () -> new SymbolsCommand(console));
        files.put("symbolize", () -> new SymbolizeCommand(console));
        files.put("extract", () -> new ExtractCommand(console));
        files.put("resolve", () -> new ResolveCommand(console));
        files.put("diff", () -> new DiffCommand(console));
        files.put("export", () -> new ExportCommand(console));
        files.put("check", () -> new CheckCommand(console));
        files.put("core", () -> new CoreCommand(console));
        Map<String, Supplier<Command>> servers = group("Call a server");
        servers.put("query", () -> new QueryCommand(console));
        servers.put("bundle", () -> new BundleCommand(console));
        servers.put("prewarm", () -> new PrewarmCommand(console));
        servers.put("push", () -> new PushCommand(console));
        servers.put("watch", () -> new WatchCommand(console));
        servers.put("ready", () -> new ReadyCommand(console));
        Map<String, Supplier<Command>> running = group("Run a server");
        addLauncher(running, "serve", "Start the server.", "serve --port 8080");
        if (!installed) {
            addLauncher(running, "install", "Install the server in a folder.", "install /opt/offsetd");
        }
        addLauncher(running, "token", "Create, list and revoke API tokens.", "token create --label ci --scope publish");
        addLauncher(running, "admin", "Give an administrator a one-time password.", "admin reset");
        addLauncher(running, "backup", "Save the database to a file.", "backup offsetd.backup");
        addLauncher(running, "restore", "Restore a database from a backup.", "restore offsetd.backup");
        addLauncher(running, "store", "Move stored bytes to or from an object store.", "store migrate --to s3");
        Map<String, Supplier<Command>> others = group("Shell and development");
        others.put("completion", () -> new CompletionCommand(console, this::all));
        others.put("man", () -> new ManCommand(console, this::all));
        if (!installed) {
            addLauncher(others, "test", "Run the tests of offsetd.", "test quick");
            addLauncher(others, "dist", "Make the artefacts of a release.", "dist");
        }
        others.put("train", () -> new TrainCommand(console, (discarding, words) -> new Offsetd(discarding).run(words)));
    }

    private Map<String, Supplier<Command>> group(String heading) {
        return groups.computeIfAbsent(heading, _ -> new LinkedHashMap<>());
    }

    private void addLauncher(Map<String, Supplier<Command>> group, String name, String description, String example) {
        group.put(name, () -> new LauncherCommand(console, name, description, example));
    }

    /**
     * Returns a parser for these arguments. It knows only the command that they begin with, because building the models of
     * all commands takes time; without a command it knows all, for help and errors.
     */
    CommandLine forArguments(String... arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        for (Map<String, Supplier<Command>> group : groups.values()) {
            Supplier<Command> named = group.get(first);
            if (named != null) {
                return overview().addSubcommand(first, named.get().spec());
            }
        }
        return all();
    }

    private CommandLine all() {
        CommandLine commandLine = overview();
        CommandLine help = new CommandLine(new HelpCommand());
        help.getCommandSpec().usageMessage().description("Print the help of a command.");
        commandLine.addSubcommand(help);
        Map<String, List<CommandSpec>> specs = new LinkedHashMap<>();
        groups.forEach((heading, commands) -> commands.forEach((name, command) -> {
            CommandSpec spec = command.get().spec();
            commandLine.addSubcommand(name, spec);
            specs.computeIfAbsent(heading, _ -> new ArrayList<>()).add(spec);
        }));
        commandLine.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, new CommandList(specs));
        return commandLine;
    }

    /** Returns the parser of the program, without commands. */
    private static CommandLine overview() {
        CommandSpec spec =
                CommandSpec.wrapWithoutInspection(null, Command::create).name(PROGRAM);
        spec.usageMessage()
                .description("Read struct layouts from debug files, and serve them by build-id.")
                .synopsisSubcommandLabel("COMMAND")
                .commandListHeading("")
                .exitCodeListHeading("%nExit codes:%n")
                .exitCodeList(UsageMessageSpec.keyValuesMap(
                        "0:success: the output has everything that was requested",
                        "1:something was not found; test: a test failed",
                        "2:invalid command line",
                        "3:the file is unreadable, malformed, unsupported, or without debug information",
                        "4:the server is unreachable, failed, or did not answer in time",
                        "5:the output is not writable",
                        "6:prewarm, push, bundle: there is nothing to send",
                        "7:the server requires a token, or refuses this one",
                        "10:no JDK 25 found",
                        "11:the build failed",
                        "70:internal error of offsetd",
                        "141:the reader of the output closed it"))
                .footerHeading("%nItems:%n")
                .footer(
                        "ITEMS are separated by commas: a type (malloc_state), a member path",
                        "(RString.as.heap.ptr), an enumerator (enumerator TASK_DEAD), a type set (@ruby),",
                        "or alternatives (a|b); see docs/items.md.");
        return new CommandLine(Command.withStandardOptions(spec), Command::create);
    }

    /** A command of the launcher script, which is here only for help and completions. */
    private static final class LauncherCommand extends Command {

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
}
