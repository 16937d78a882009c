package dev.offsetd.cli.help;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Completion script for fish; picocli generates one for bash and zsh only. */
public final class FishCompletion {

    private FishCompletion() {}

    /** Returns the lines of the script. */
    public static List<String> lines(CommandSpec program) {
        String complete = "complete -c " + program.name() + " -n ";
        List<String> lines = new ArrayList<>();
        program.options().forEach(option -> lines.add(complete + "__fish_use_subcommand -f" + of(option)));
        program.subcommands().forEach((name, subcommand) -> {
            CommandSpec command = subcommand.getCommandSpec();
            if (!command.usageMessage().hidden()) {
                lines.add(complete + "__fish_use_subcommand -f -a " + name
                        + description(command.usageMessage().description()));
                String within = complete + quoted("__fish_seen_subcommand_from " + name);
                command.options().forEach(option -> lines.add(within + of(option)));
                command.positionalParameters().forEach(parameter -> lines.add(within + values(parameter)));
                command.subcommands().forEach((inner, line) -> {
                    lines.add(within + " -f -a " + inner
                            + description(line.getCommandSpec().usageMessage().description()));
                    String both = complete
                            + quoted("__fish_seen_subcommand_from " + name + "; and __fish_seen_subcommand_from "
                                    + inner);
                    line.getCommandSpec().options().forEach(option -> lines.add(both + of(option)));
                    line.getCommandSpec()
                            .positionalParameters()
                            .forEach(parameter -> lines.add(both + values(parameter)));
                });
            }
        });
        return lines;
    }

    private static String of(OptionSpec option) {
        String names = Stream.of(option.names())
                .map(name -> name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1))
                .collect(Collectors.joining());
        String value = option.arity().max() == 0 ? " -f" : " -r" + values(option);
        return names + value + description(option.description());
    }

    /** Options for the values of an argument: files, or the words that it can have. */
    private static String values(ArgSpec argument) {
        if (argument.completionCandidates() != null) {
            return " -f -a "
                    + quoted(
                            StreamSupport.stream(argument.completionCandidates().spliterator(), false)
                                    .collect(Collectors.joining(" ")));
        }
        boolean isPath = argument.type() == Path.class || argument.auxiliaryTypes()[0] == Path.class;
        return isPath ? " -F" : " -f";
    }

    private static String description(String... lines) {
        return lines.length == 0 ? "" : " -d " + quoted(String.format(lines[0]));
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
