package dev.offsetd.cli.help;

import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Manual page of a command in the {@code man} macros of roff. */
public final class ManualPage {

    private final List<String> lines = new ArrayList<>();

    private ManualPage() {}

    /** Returns the lines of the page. */
    public static List<String> lines(CommandSpec command) {
        ManualPage page = new ManualPage();
        page.write(command);
        return page.lines;
    }

    private void write(CommandSpec command) {
        UsageMessageSpec usage = command.usageMessage();
        String name = command.qualifiedName("-");
        lines.add(".TH \"%s\" 1 \"\" \"%s\" \"offsetd\""
                .formatted(text(name).toUpperCase(Locale.ROOT), text(command.version()[0])));
        lines.add(".SH NAME");
        lines.add(text(name) + " \\- " + text(usage.description()[0]));
        lines.add(".SH SYNOPSIS");
        String synopsis =
                new Help(command, Help.defaultColorScheme(Ansi.OFF)).synopsis(0).strip();
        lines.add(text(Pattern.compile("\\s+").matcher(synopsis).replaceAll(" ")));
        lines.add(".SH DESCRIPTION");
        Stream.of(usage.description()).forEach(line -> lines.add(text(String.format(line))));
        lines.add(".SH OPTIONS");
        command.positionalParameters().forEach(parameter -> entry(parameter.paramLabel(), parameter.description()));
        command.options().forEach(option -> entry(head(option), option.description()));
        if (!command.subcommands().isEmpty()) {
            lines.add(".SH COMMANDS");
            command.subcommands().forEach((subcommand, line) -> {
                UsageMessageSpec its = line.getCommandSpec().usageMessage();
                if (!its.hidden()) {
                    entry(subcommand, its.description()[0]);
                    Stream.of(its.footer())
                            .limit(1)
                            .forEach(example -> lines.addAll(List.of(".br", text(example.strip()))));
                }
            });
        }
        if (!usage.exitCodeList().isEmpty()) {
            lines.add(".SH EXIT STATUS");
            usage.exitCodeList().forEach((code, meaning) -> entry(code, meaning));
        }
        if (usage.footer().length > 0) {
            lines.addAll(List.of(
                    ".SH "
                            + usage.footerHeading()
                                    .replace("%n", "")
                                    .replace(":", "")
                                    .toUpperCase(Locale.ROOT),
                    ".nf"));
            Stream.of(usage.footer()).forEach(line -> lines.add(text(String.format(line))));
            lines.add(".fi");
        }
    }

    private static String head(OptionSpec option) {
        return String.join(", ", option.names()) + (option.arity().max() == 0 ? "" : " " + option.paramLabel());
    }

    private void entry(String head, String... body) {
        lines.addAll(List.of(".TP", "\\fB" + text(head) + "\\fR"));
        Stream.of(body).forEach(line -> lines.add(text(String.format(line))));
    }

    /** Escapes backslashes, hyphens, which roff would print as Unicode hyphens, and the marks of its requests. */
    private static String text(String text) {
        String escaped = text.replace("\\", "\\e").replace("-", "\\-");
        return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
    }
}
