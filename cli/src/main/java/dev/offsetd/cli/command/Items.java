package dev.offsetd.cli.command;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.typeset.BuiltInTypeSets;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.query.typeset.TypeSetSource;
import dev.offsetd.query.typeset.UnknownTypeSetException;
import java.util.List;
import java.util.Objects;

/** Parsers of items on a command line. */
public final class Items {

    /** Describes the parameter in the help. */
    public static final String DESCRIPTION = "items to look up, separated by commas";

    private Items() {}

    /** Parses items; a malformed one is a usage error. */
    public static List<Item> parse(List<String> words) throws CommandFailure {
        try {
            return ItemParser.parseList(words);
        } catch (ItemSyntaxException e) {
            throw CommandFailure.usage(Objects.toString(e.getMessage()));
        }
    }

    /** Parses items, and expands the built-in type sets among them. */
    public static Expansion expand(List<String> words) throws CommandFailure {
        return expand(parse(words), new BuiltInTypeSets());
    }

    /** Expands the sets among these items; an unknown one is a usage error. */
    static Expansion expand(List<Item> items, TypeSetSource sets) throws CommandFailure {
        try {
            return Expansion.of(items, sets);
        } catch (UnknownTypeSetException | ItemSyntaxException e) {
            throw CommandFailure.usage(Objects.toString(e.getMessage()));
        }
    }
}
