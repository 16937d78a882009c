package dev.offsetd.cli.help;

import java.util.List;
import java.util.Map;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The commands in the help of the program: groups, each command with its first example. */
public final class CommandList implements IHelpSectionRenderer {

    private static final int NAME_CHARS = 14;

    private final Map<String, List<CommandSpec>> groups;

    /** @param groups commands by the heading of their group */
    public CommandList(Map<String, List<CommandSpec>> groups) {
        this.groups = groups;
    }

    @Override
    public String render(Help help) {
        StringBuilder out = new StringBuilder();
        groups.forEach((heading, commands) -> {
            out.append(styled(help, "%n@|bold " + heading + ":|@%n"));
            TextTable table = TextTable.forColumns(
                    help.colorScheme(),
                    new Column(NAME_CHARS, 2, Column.Overflow.TRUNCATE),
                    new Column(help.commandSpec().usageMessage().width() - NAME_CHARS, 2, Column.Overflow.SPAN));
            for (CommandSpec command : commands) {
                UsageMessageSpec usage = command.usageMessage();
                if (!usage.hidden()) {
                    table.addRowValues(
                            help.colorScheme().commandText(command.name()), styled(help, usage.description()[0]));
                    table.addRowValues(styled(help, ""), styled(help, "@|faint " + usage.footer()[0].strip() + "|@"));
                }
            }
            out.append(table);
        });
        return out.toString();
    }

    private static Text styled(Help help, String text) {
        return help.colorScheme().text(String.format(text));
    }
}
