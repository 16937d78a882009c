package dev.offsetd.server.startup;

import dev.offsetd.server.database.DataFolder;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Base of commands on the server's database. */
abstract class DatabaseCommand {

    static final JsonMapper JSON = JsonMapper.builder().build();

    private static final int DONE = 0;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            scope = ScopeType.INHERIT,
            description = "the server's data folder (default: ~/.offsetd)")
    private @Nullable Path data;

    @Option(names = "--json", scope = ScopeType.INHERIT, description = "print JSON")
    private boolean json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "show this help message and exit")
    @SuppressWarnings("unused") // picocli acts on it by itself
    private boolean help;

    @Spec
    private @Nullable CommandSpec spec;

    /** Runs work on migrated tables, prints the result and returns the exit code. */
    final int run(Function<CommandDatabase, String> work) {
        return run(CommandDatabase::open, work);
    }

    /**
     * Runs work, prints the result and returns the exit code.
     *
     * @param opening opens the database of a data folder; null for the default one
     */
    final int run(Function<@Nullable Path, CommandDatabase> opening, Function<CommandDatabase, String> work) {
        PrintWriter out = spec().commandLine().getOut();
        String result;
        PrintStream standard = System.out;
        // Output of libraries must not mix with the result, which scripts read.
        System.setOut(System.err);
        try (CommandDatabase database = opening.apply(data)) {
            result = work.apply(database);
        } catch (StartException e) {
            err().println("offsetd: " + e.getMessage());
            err().flush();
            return e.exitCode();
        } finally {
            System.setOut(standard);
        }
        if (!result.isEmpty()) {
            out.println(result);
            out.flush();
        }
        return DONE;
    }

    final boolean isJson() {
        return json;
    }

    /** Returns the error of an invalid command line: of the subcommand if one is called. */
    final ParameterException usage(String message) {
        CommandLine called = spec().commandLine();
        ParseResult parsed = called.getParseResult();
        return new ParameterException(
                parsed.hasSubcommand() ? parsed.subcommand().commandSpec().commandLine() : called, message);
    }

    /** Returns the cause for the audit log, in place of a request id. */
    static String cause() {
        return "command of " + DataFolder.account() + ", process "
                + ProcessHandle.current().pid();
    }

    final PrintWriter err() {
        return spec().commandLine().getErr();
    }

    private CommandSpec spec() {
        return Objects.requireNonNull(spec, "picocli sets the command's model before it calls it");
    }
}
