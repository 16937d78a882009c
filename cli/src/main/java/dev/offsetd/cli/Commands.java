package dev.offsetd.cli;

import dev.offsetd.cli.help.CommandList;
import dev.offsetd.cli.help.FishCompletion;
import dev.offsetd.cli.help.ManualPage;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.training.TrainingRun;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.input.HostileText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The commands by name, and the overview of {@code --help}. */
final class Commands {

    private static final String PROGRAM = "offsetd";

    private final Console console;

    /** The commands by name, by the heading of their group. */
    private final Map<String, Map<String, Supplier<CommandSpec>>> groups = new LinkedHashMap<>();

    Commands(Console console) {
        this.console = console;
        FileCommands onFiles = new FileCommands(console);
        ServerCommands onServers = new ServerCommands(console);
        Map<String, Supplier<CommandSpec>> files = group("Read files");
        files.put("build-id", onFiles::buildId);
        files.put("types", onFiles::types);
        files.put("symbols", onFiles::symbols);
        files.put("symbolize", onFiles::symbolize);
        files.put("extract", onFiles::extract);
        files.put("resolve", onFiles::resolve);
        files.put("diff", onFiles::diff);
        files.put("export", new ExportSyntax(onFiles, console)::export);
        files.put("core", onServers::core);
        Map<String, Supplier<CommandSpec>> servers = group("Call a server");
        servers.put("query", onServers::query);
        servers.put("bundle", new BundleCommands(console)::bundle);
        servers.put("prewarm", onServers::prewarm);
        servers.put("push", onServers::push);
        Map<String, Supplier<CommandSpec>> running = group("Run a server");
        running.put("serve", () -> launcherOnly("serve", "Start the server.", "serve --port 8080"));
        running.put(
                "install", () -> launcherOnly("install", "Install the server in a folder.", "install /opt/offsetd"));
        running.put(
                "token",
                () -> launcherOnly(
                        "token", "Create, list and revoke API tokens.", "token create --label ci --scope publish"));
        running.put("admin", () -> launcherOnly("admin", "Give an administrator a one-time password.", "admin reset"));
        running.put("backup", () -> launcherOnly("backup", "Save the database to a file.", "backup offsetd.backup"));
        running.put(
                "restore",
                () -> launcherOnly("restore", "Restore a database from a backup.", "restore offsetd.backup"));
        running.put(
                "store",
                () -> launcherOnly("store", "Move stored bytes to or from an object store.", "store migrate --to s3"));
        Map<String, Supplier<CommandSpec>> others = group("Shell and development");
        others.put("completion", this::completion);
        others.put("man", this::man);
        others.put("test", () -> launcherOnly("test", "Run the tests of offsetd.", "test quick"));
        others.put("dist", () -> launcherOnly("dist", "Make the artefacts of a release.", "dist"));
        others.put("train", Commands::train);
    }

    private Map<String, Supplier<CommandSpec>> group(String heading) {
        return groups.computeIfAbsent(heading, _ -> new LinkedHashMap<>());
    }

    /**
     * Returns a parser for these arguments. It knows only the command that they begin with, because building the models of
     * all commands takes time; without a command it knows all, for help and errors.
     */
    CommandLine forArguments(String... arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        for (Map<String, Supplier<CommandSpec>> group : groups.values()) {
            Supplier<CommandSpec> named = group.get(first);
            if (named != null) {
                return overview().addSubcommand(first, named.get());
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
            CommandSpec spec = command.get();
            commandLine.addSubcommand(name, spec);
            specs.computeIfAbsent(heading, _ -> new ArrayList<>()).add(spec);
        }));
        commandLine.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, new CommandList(specs));
        return commandLine;
    }

    /** Returns the parser of the program, without commands. */
    private static CommandLine overview() {
        CommandSpec spec =
                CommandSpec.wrapWithoutInspection(null, Syntax::create).name(PROGRAM);
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
                        "6:prewarm, push, bundle: a named file is unreadable, or there is nothing to send",
                        "10:no JDK 25 found",
                        "11:the build failed",
                        "70:internal error of offsetd",
                        "141:the reader of the output closed it"))
                .footerHeading("%nItems:%n")
                .footer(
                        "ITEMS are separated by commas: a type (malloc_state), a member path",
                        "(RString.as.heap.ptr), an enumerator (enumerator TASK_DEAD), a type set (@ruby),",
                        "or alternatives (a|b); see docs/items.md.");
        return new CommandLine(Syntax.withStandardOptions(spec), Syntax::create);
    }

    /** A command that the launcher handles, and that is here only for the help and the completions. */
    private CommandSpec launcherOnly(String name, String description, String example) {
        Syntax syntax = new Syntax(description, "This is a command of the launcher script ./offsetd.");
        return syntax.examples("offsetd " + example).does(() -> {
            console.say(name + " is a command of the launcher script: ./offsetd " + name);
            return ExitCode.USAGE;
        });
    }

    private CommandSpec completion() {
        List<String> shells = List.of("bash", "zsh", "fish");
        Syntax syntax = new Syntax(
                        "Print a completion script for a shell.",
                        "Save it where the shell looks for completions: docs/cli.md.")
                .examples("source <(offsetd completion bash)", "offsetd completion fish | source");
        Supplier<String> shell = syntax.parameter("SHELL", shells, "bash, zsh or fish");
        return syntax.does(() -> {
            if (!shells.contains(shell.get())) {
                throw Arguments.usage("SHELL is " + HostileText.quote(shell.get()) + "; expected bash, zsh or fish");
            }
            if (shell.get().equals("fish")) {
                print(FishCompletion.lines(all().getCommandSpec()));
            } else {
                console.println(AutoComplete.bash(PROGRAM, all()));
            }
            return ExitCode.OK;
        });
    }

    private CommandSpec man() {
        Syntax syntax = new Syntax("Print the manual page of offsetd or of a command, for man.")
                .examples("offsetd man extract | man -l -");
        Supplier<List<String>> command = syntax.parameters("COMMAND", false, String.class, "default: all commands");
        return syntax.does(() -> {
            CommandLine program = all();
            for (String name : command.get()) {
                program = Optional.ofNullable(program.getSubcommands().get(name))
                        .orElseThrow(() -> Arguments.usage(
                                "COMMAND is " + HostileText.quote(name) + "; expected a command of offsetd --help"));
            }
            print(ManualPage.lines(program.getCommandSpec()));
            return ExitCode.OK;
        });
    }

    private void print(List<String> lines) throws IOException {
        for (String line : lines) {
            console.println(line);
        }
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
