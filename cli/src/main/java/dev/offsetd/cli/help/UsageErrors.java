package dev.offsetd.cli.help;

import dev.offsetd.extractor.input.HostileText;
import java.util.Objects;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Descriptions of invalid command lines, with the nearest names of mistyped commands and options. */
public final class UsageErrors {

    private UsageErrors() {}

    /** Describes the error in one line. */
    public static String describe(ParameterException e) {
        CommandSpec command = e.getCommandLine().getCommandSpec();
        String help = command.qualifiedName() + " --help";
        Optional<String> nearest = e instanceof UnmatchedArgumentException unmatched
                ? unmatched.getSuggestions().stream().findFirst()
                : Optional.empty();
        return message(e, command)
                + nearest.map(name -> "; did you mean " + name + "? See ").orElse("; see ")
                + help;
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
            default -> Objects.toString(e.getMessage());
        };
    }
}
