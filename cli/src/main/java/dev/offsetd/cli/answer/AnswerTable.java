package dev.offsetd.cli.answer;

import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.Printable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.stream.Collectors;
import picocli.CommandLine.Help.Ansi.Style;
import tools.jackson.databind.JsonNode;

/**
 * A table for each item of an answer in the {@code members} view: a struct like pahole shows it, with padding; anything
 * else in a line.
 */
public final class AnswerTable {

    private static final String DIFFERING_TYPES = "differingTypes";

    /** Properties of a missing item that its type set does not list. */
    private static final List<String> MORE_THAN_A_STATUS = List.of("suggestions", "definitions", "candidates", "at");

    private static final String ROW = "  %8s %8s %10s  %s";

    private final Console console;

    private AnswerTable(Console console) {
        this.console = console;
    }

    /** Prints the items of {@code answer}'s {@code offsets}. */
    public static void print(Console console, JsonNode answer) throws IOException {
        AnswerTable table = new AnswerTable(console);
        table.printConsensus(answer.path("consensus"));
        JsonNode offsets = answer.path("offsets");
        Set<String> listed = new TreeSet<>();
        for (JsonNode item : offsets) {
            for (JsonNode missing : item.path("coverage").path("missing")) {
                listed.add(text(missing, "item"));
                missing.path("items").forEach(each -> listed.add(text(each, "item")));
            }
        }
        boolean first = true;
        for (Map.Entry<String, JsonNode> item : offsets.properties()) {
            // The set lists it with its status already.
            if (listed.contains(item.getKey()) && MORE_THAN_A_STATUS.stream().noneMatch(item.getValue()::has)) {
                continue;
            }
            if (!first) {
                console.println("");
            }
            first = false;
            table.printItem(item.getKey(), item.getValue());
        }
    }

    /** Prints what the answer rests on if it is not exact. */
    private void printConsensus(JsonNode consensus) throws IOException {
        JsonNode agreement = consensus.path("agreement");
        if (agreement.isObject()) {
            line(
                    Style.fg_yellow,
                    "not exact: consensus for %s %s, versions %s to %s, builds: %s%s%s"
                            .formatted(
                                    text(consensus, "project"),
                                    text(consensus, "version"),
                                    text(agreement, "below"),
                                    text(agreement, "above"),
                                    text(agreement, "builds"),
                                    agreement.has("tokens") ? ", uploaded" : "",
                                    consensus.path("claimed").asBoolean(false) ? ", as claimed" : ""));
            line("");
        }
    }

    private void printItem(String name, JsonNode item) throws IOException {
        String status = item.path("status").asString("?");
        if (!status.equals("found") && !status.equals("consensus")) {
            line(
                    Style.fg_red,
                    name + ": " + status + at(item.path("at")) + notes(item, "detail", "reason", "pointee")
                            + suggested(item));
            printFacts(item.path("definitions"));
            printFacts(item.path("candidates"));
        } else if (item.has("coverage")) {
            printCoverage(name, item);
        } else if (item.has("symbols")) {
            printSymbols(name, item);
        } else if (item.has("tls")) {
            JsonNode tls = item.path("tls");
            line("%s: %s bytes%s%s"
                    .formatted(
                            name,
                            text(tls, "memorySize"),
                            notes(item, "matched"),
                            notes(tls, "address", "fileSize", "alignment")));
        } else if (item.has("members")) {
            printAggregate(name, item);
        } else if (item.has("enumerators")) {
            line("%s: enum, %s%s".formatted(name, size(item), notes(item, "matched", "name", "scope", "language")));
            for (JsonNode enumerator : item.path("enumerators")) {
                line("  %s = %s".formatted(text(enumerator, "name"), text(enumerator, "value")));
            }
        } else if (item.has("value")) {
            line("%s: %s%s".formatted(name, text(item, "value"), notes(item, "matched", "type")));
        } else if (item.has("offset") || item.has("steps")) {
            line("%s: %s, %s%s%s, %s%s"
                    .formatted(
                            name,
                            item.has("offset") ? "offset " + text(item, "offset") : steps(item),
                            size(item),
                            item.has("bitOffset") ? ", bits " + bits(item) : "",
                            item.path("signed").asBoolean(false) ? ", signed" : "",
                            type(item),
                            notes(
                                            item,
                                            "matched",
                                            "name",
                                            "scope",
                                            "pastEnd",
                                            "byteOrder",
                                            "symbol",
                                            "address",
                                            "section",
                                            "threadLocal")
                                    + pinned(item)));
        } else {
            line("%s: %s, %s%s%s"
                    .formatted(
                            name,
                            text(item, "kind"),
                            size(item),
                            item.has("type") || item.has(DIFFERING_TYPES) ? ", " + type(item) : "",
                            notes(item, "matched", "name", "scope", "language") + pinned(item)));
        }
    }

    /** The offsets of a read plan with the pointers between them. */
    private static String steps(JsonNode item) {
        StringJoiner offsets = new StringJoiner(" -> ", "offsets ", "");
        for (JsonNode step : item.path("steps")) {
            if (step.has("offset")) {
                offsets.add(text(step, "offset"));
            }
        }
        return offsets.toString();
    }

    /** The member at which a path cannot go on. */
    private static String at(JsonNode at) {
        return at.isMissingNode()
                ? ""
                : " at " + text(at, "path") + (at.has("offset") ? ", offset " + text(at, "offset") : "");
    }

    private static String suggested(JsonNode item) {
        StringJoiner names = new StringJoiner(" or ", "; did you mean ", "?").setEmptyValue("");
        item.path("suggestions").forEach(name -> names.add(name.asString()));
        return names.toString();
    }

    private void printSymbols(String name, JsonNode item) throws IOException {
        JsonNode symbols = item.path("symbols");
        int total = item.path("total").asInt(symbols.size());
        line(name + ": " + total + (total == 1 ? " symbol" : " symbols") + notes(item, "matched"));
        for (JsonNode symbol : symbols) {
            line("  %18s %10s %-7s %-6s %s"
                    .formatted(
                            symbol.path("imported").asBoolean(false) ? "imported" : text(symbol, "value"),
                            text(symbol, "size"),
                            text(symbol, "type"),
                            text(symbol, "binding"),
                            symbolName(symbol)));
        }
    }

    private void printAggregate(String name, JsonNode item) throws IOException {
        line(
                Style.bold,
                "%s: %s, %s%s"
                        .formatted(
                                name,
                                text(item, "kind"),
                                size(item),
                                notes(item, "matched", "name", "scope", "language", "align") + pinned(item)));
        line(Style.faint, ROW.formatted("offset", "size", "bits", "member"));
        printMembers(item.path("members"), 0);
    }

    private static String symbolName(JsonNode symbol) {
        String at = symbol.path("defaultVersion").asBoolean(false) ? "@@" : "@";
        return text(symbol, "name") + (symbol.path("version").isString() ? at + text(symbol, "version") : "");
    }

    private void printCoverage(String name, JsonNode item) throws IOException {
        JsonNode coverage = item.path("coverage");
        line("%s: version %s, required %s, optional %s"
                .formatted(name, text(item, "version"), share(coverage, "required"), share(coverage, "optional")));
        for (JsonNode missing : coverage.path("missing")) {
            String need = text(missing, "need");
            if (missing.has("group")) {
                line("  %s, none of %s:".formatted(need, text(missing, "group")));
                for (JsonNode each : missing.path("items")) {
                    line("    %s: %s".formatted(text(each, "item"), text(each, "status")));
                }
            } else {
                line("  %s %s: %s".formatted(need, text(missing, "item"), text(missing, "status")));
            }
        }
    }

    /** The type, or the differing types of several units. */
    private static String type(JsonNode item) {
        return item.has(DIFFERING_TYPES)
                ? item.path(DIFFERING_TYPES)
                        .valueStream()
                        .map(differing -> text(differing, "type"))
                        .collect(Collectors.joining(" or "))
                : text(item, "type");
    }

    private static String share(JsonNode coverage, String need) {
        return text(coverage.path(need), "found") + " of " + text(coverage.path(need), "of");
    }

    private void printMembers(JsonNode members, int depth) throws IOException {
        String indent = "  ".repeat(depth);
        for (JsonNode member : members) {
            String what;
            if (member.path("padding").asBoolean(false)) {
                what = "(padding)";
            } else if (member.path("base").asBoolean(false)) {
                what = "(base) " + type(member);
            } else if (member.path("name").isString()) {
                what = "%-24s %s".formatted(text(member, "name"), type(member));
            } else {
                String unnamed = member.path("discriminant").asBoolean(false) ? "(discriminant) " : "(unnamed) ";
                what = unnamed + type(member);
            }
            line(ROW.formatted(
                    member.has("offset") ? text(member, "offset") : text(member, "status"),
                    member.has("size") ? text(member, "size") : "?",
                    member.has("bitOffset") ? bits(member) : "",
                    indent + what + variant(member) + notes(member, "reason", "byteOrder") + pinned(member)));
            printMembers(member.path("members"), depth + 1);
        }
    }

    /** The discriminants that select a member. */
    private static String variant(JsonNode member) {
        if (!member.has("discriminants")) {
            return "";
        }
        StringJoiner values = new StringJoiner(", ", " (if ", ")").setEmptyValue(" (otherwise)");
        for (JsonNode range : member.path("discriminants")) {
            String first = range.path(0).asString();
            String last = range.path(1).asString();
            values.add(first.equals(last) ? first : first + " to " + last);
        }
        return values.toString();
    }

    /** Prints a line for each of the different answers to an item. */
    private void printFacts(JsonNode answers) throws IOException {
        for (JsonNode answer : answers) {
            StringJoiner facts = new StringJoiner(", ");
            for (Map.Entry<String, JsonNode> fact : answer.properties()) {
                if (fact.getValue().isValueNode()) {
                    facts.add(fact.getKey() + " " + fact.getValue().asString());
                }
            }
            answer.path("versions").forEach(version -> facts.add("version " + version.asString()));
            line("  " + facts);
        }
    }

    /** The mark of a pinned value, with the extracted one. */
    private static String pinned(JsonNode node) {
        JsonNode extracted = node.path("extracted");
        if (extracted.isMissingNode()) {
            return "";
        }
        StringJoiner facts = new StringJoiner(", ", " (pinned; extracted: ", ")")
                .setEmptyValue(" (pinned; not in the debug information)");
        for (Map.Entry<String, JsonNode> fact : extracted.properties()) {
            facts.add(fact.getKey() + " " + fact.getValue().asString());
        }
        return facts.toString();
    }

    /** First bit and width, from the start of the outermost type. */
    private static String bits(JsonNode place) {
        return text(place, "bitOffset") + ":" + text(place, "bitSize");
    }

    private static String size(JsonNode item) {
        if (!item.has("size")) {
            return "size unknown";
        }
        return text(item, "size") + (item.path("size").asLong() == 1 ? " byte" : " bytes");
    }

    /** The present ones of these properties, in parentheses. */
    private static String notes(JsonNode node, String... names) {
        StringJoiner notes = new StringJoiner(", ", " (", ")").setEmptyValue("");
        for (String name : names) {
            if (node.hasNonNull(name)) {
                notes.add(name + " " + text(node, name));
            }
        }
        return notes.toString();
    }

    private static String text(JsonNode node, String property) {
        return node.path(property).asString("?");
    }

    private void line(Style style, String text) throws IOException {
        console.println(console.styled(style, Printable.of(text)));
    }

    private void line(String text) throws IOException {
        console.println(Printable.of(text));
    }
}
