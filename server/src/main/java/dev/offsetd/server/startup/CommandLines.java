package dev.offsetd.server.startup;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.item.Suggestions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Command lines of the server's commands. An invalid one is reported in one line, as {@code UsageErrors} describes those of
 * the commands on files: neither module uses the other.
 */
public final class CommandLines {

    private CommandLines() {}

    public static CommandLine of(Object command) {
        return new CommandLine(command).setParameterExceptionHandler((invalid, _) -> report(invalid));
    }

    private static int report(ParameterException invalid) {
        CommandLine called = invalid.getCommandLine();
        String message = message(invalid);
        called.getErr()
                .println("offsetd: " + message + (message.endsWith("?") ? " See" : "; see") + " offsetd "
                        + called.getCommandSpec().qualifiedName() + " --help");
        called.getErr().flush();
        return called.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static String message(ParameterException invalid) {
        CommandSpec command = invalid.getCommandLine().getCommandSpec();
        if (invalid instanceof UnmatchedArgumentException unmatched) {
            String kind = unmatched.isUnknownOption()
                    ? "unknown option "
                    : command.subcommands().isEmpty() ? "unexpected argument " : "unknown command ";
            String given = unmatched.getUnmatched().getFirst();
            return kind
                    + HostileText.quote(given)
                    + nearest(unmatched, given, command)
                            .map(name -> "; did you mean " + name + "?")
                            .orElse("");
        }
        ArgSpec argument = invalid.getArgSpec();
        return argument == null || invalid.getValue() == null
                ? Objects.toString(invalid.getMessage())
                : invalidValue(argument, invalid.getValue());
    }

    private static Optional<String> nearest(UnmatchedArgumentException e, String given, CommandSpec command) {
        Collection<String> names = e.isUnknownOption()
                ? command.options().stream().map(OptionSpec::longestName).toList()
                : command.subcommands().keySet();
        int end = given.indexOf('=');
        return Suggestions.similar(end < 0 ? given : given.substring(0, end), names).stream()
                .findFirst();
    }

    private static String invalidValue(ArgSpec argument, String value) {
        String name = argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
        return name + " is " + HostileText.quote(value) + "; expected " + expected(argument);
    }

    private static String expected(ArgSpec argument) {
        @Nullable Iterable<String> candidates = argument.completionCandidates();
        if (candidates == null) {
            return "a number";
        }
        List<String> words = new ArrayList<>();
        candidates.forEach(words::add);
        return "one of " + String.join(", ", words);
    }
}
