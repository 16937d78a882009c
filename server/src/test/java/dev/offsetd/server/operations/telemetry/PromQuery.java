package dev.offsetd.server.operations.telemetry;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The selectors and grouping labels of a PromQL query. Reads tokens only; {@code promtool} checks the grammar.
 *
 * @param selectors in the order in which the query contains them
 * @param grouping labels by which results are grouped or matched
 */
record PromQuery(List<Selector> selectors, Set<String> grouping) {

    private static final Pattern TOKEN = Pattern.compile(
            "\\s+|#[^\\n]*|\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|[0-9][0-9a-zA-Z_.]*|[a-zA-Z_:][a-zA-Z0-9_:]*"
                    + "|=~|!~|!=|==|>=|<=|[-+*/%^<>=(){}\\[\\],@]");
    private static final Set<String> BEFORE_LABELS =
            Set.of("by", "without", "on", "ignoring", "group_left", "group_right");
    private static final Set<String> OPERATORS = Set.of("and", "or", "unless", "bool", "offset", "inf", "nan");

    PromQuery {
        selectors = List.copyOf(selectors);
        grouping = Set.copyOf(grouping);
    }

    /**
     * A vector selector.
     *
     * @param meter name of the series
     * @param conditions conditions on labels, all of which must hold
     */
    record Selector(String meter, List<Condition> conditions) {

        Selector {
            conditions = List.copyOf(conditions);
        }

        boolean selects(Map<String, String> labels) {
            return conditions.stream().allMatch(condition -> condition.holds(labels));
        }
    }

    /** A label matcher. In Prometheus too, a missing label equals the empty string. */
    record Condition(String label, String operator, String value) {

        boolean holds(Map<String, String> labels) {
            String actual = labels.getOrDefault(label, "");
            return switch (operator) {
                case "=" -> actual.equals(value);
                case "!=" -> !actual.equals(value);
                case "=~" -> actual.matches(value);
                case "!~" -> !actual.matches(value);
                default -> throw new IllegalArgumentException("no operator of labels: " + operator);
            };
        }
    }

    static PromQuery of(String query) {
        List<String> tokens = tokens(query);
        List<Selector> selectors = new ArrayList<>();
        Set<String> grouping = new TreeSet<>();
        for (int i = 0; i < tokens.size(); i++) {
            String token = tokens.get(i);
            String next = i + 1 < tokens.size() ? tokens.get(i + 1) : "";
            if (!Character.isLetter(token.charAt(0)) && token.charAt(0) != '_' && token.charAt(0) != ':') {
                if (token.equals("{")) {
                    throw new IllegalArgumentException("labels without the name of a meter: " + query);
                }
                continue;
            }
            if (BEFORE_LABELS.contains(token.toLowerCase(Locale.ROOT))) {
                int end = i + tokens.subList(i, tokens.size()).indexOf(")");
                tokens.subList(i + 2, end).stream()
                        .filter(label -> !label.equals(","))
                        .forEach(grouping::add);
                i = end;
            } else if (next.equals("{")) {
                int end = i + tokens.subList(i, tokens.size()).indexOf("}");
                selectors.add(new Selector(token, conditions(tokens.subList(i + 2, end))));
                i = end;
            } else if (!OPERATORS.contains(token.toLowerCase(Locale.ROOT))
                    && !next.equals("(")
                    && !BEFORE_LABELS.contains(next.toLowerCase(Locale.ROOT))) {
                selectors.add(new Selector(token, List.of()));
            }
        }
        return new PromQuery(selectors, grouping);
    }

    private static List<String> tokens(String query) {
        List<String> tokens = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(query);
        int end = 0;
        while (end < query.length()) {
            if (!matcher.find(end) || matcher.start() != end) {
                throw new IllegalArgumentException("no token at " + end + ": " + query);
            }
            String token = matcher.group();
            end = matcher.end();
            if (!token.isBlank() && !token.startsWith("#")) {
                tokens.add(token);
            }
        }
        return tokens;
    }

    /** @param tokens the tokens between the braces: names, operators, strings, commas */
    private static List<Condition> conditions(List<String> tokens) {
        List<Condition> conditions = new ArrayList<>();
        for (int i = 0; i + 2 < tokens.size(); i += 4) {
            String text = tokens.get(i + 2);
            conditions.add(new Condition(
                    tokens.get(i),
                    tokens.get(i + 1),
                    text.substring(1, text.length() - 1).replace("\\\\", "\\")));
        }
        return conditions;
    }
}
