package dev.offsetd.cli.help;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.item.Suggestions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Descriptions of invalid command lines, with the nearest names of mistyped commands and options. {@code CommandLines} of the
 * server has the same sentences: neither module uses the other.
 */
public final class UsageErrors {

    private UsageErrors() {}

    /** Describes the error in one line. */
    public static String describe(ParameterException e) {
        CommandSpec command = e.getCommandLine().getCommandSpec();
        String help = command.qualifiedName() + " --help";
        Optional<String> nearest =
                e instanceof UnmatchedArgumentException unmatched ? nearest(unmatched, command) : Optional.empty();
        return message(e, command)
                + nearest.map(name -> "; did you mean " + name + "? See ").orElse("; see ")
                + help;
    }

    /** Returns the most similar command or long option, if one is similar; picocli names the least dissimilar one. */
    private static Optional<String> nearest(UnmatchedArgumentException e, CommandSpec command) {
        String given = e.getUnmatched().getFirst().split("=", 2)[0];
        Collection<String> names = e.isUnknownOption()
                ? command.options().stream().map(OptionSpec::longestName).toList()
                : command.subcommands().keySet();
        return Suggestions.similar(given, names).stream().findFirst();
    }

    /** Describes a value that an argument cannot have. */
    private static String invalid(ArgSpec argument, String value) {
        String name = argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
        List<String> values = new ArrayList<>();
        if (argument.completionCandidates() != null) {
            argument.completionCandidates().forEach(values::add);
        }
        String expected = argument.type() == Duration.class ? "a time such as 90s, 10m or 6h" : "a number";
        return name + " is " + HostileText.quote(value) + "; expected "
                + (values.isEmpty() ? expected : "one of " + String.join(", ", values));
    }

    /** Returns whether the URL of a server was forgotten, and a file is in its place. */
    private static boolean isFileForUrl(CommandSpec command) {
        return command.positionalParameters().stream()
                .limit(1)
                .anyMatch(first -> first.paramLabel().equals("URL")
                        && first.getValue() instanceof String url
                        && Files.exists(Path.of(url)));
    }

    private static String message(ParameterException e, CommandSpec command) {
        return switch (e) {
            case UnmatchedArgumentException unmatched -> {
                String given = HostileText.quote(unmatched.getUnmatched().getFirst());
                yield (unmatched.isUnknownOption()
                                ? "unknown option "
                                : command.parent() == null ? "unknown command " : "unexpected argument ")
                        + given;
            }
            case MissingParameterException _ when isFileForUrl(command) -> "URL is missing before the file";
            case ParameterException invalid
            when invalid.getArgSpec() != null && invalid.getValue() != null ->
                invalid(invalid.getArgSpec(), invalid.getValue());
            default -> Objects.toString(e.getMessage());
        };
    }
}
