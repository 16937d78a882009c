package dev.offsetd.extractor.layout;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** How type names are compared and taken apart. */
public final class TypeNames {

    /** Characters of a name up to which it is respelled: the work grows with their square. */
    private static final int LONGEST_RESPELLED = 1 << 12;

    private static final String ANONYMOUS = "(anonymous namespace)";
    private static final String GCC_ANONYMOUS = "{anonymous}";
    private static final Pattern WORDS = Pattern.compile("[A-Za-z_][A-Za-z_0-9]*+(?: [A-Za-z_][A-Za-z_0-9]*+)*+");
    private static final Pattern QUALIFIERS_IN_FRONT =
            Pattern.compile("(?<![A-Za-z_0-9*& ])(?:const|volatile)(?: volatile)?(?: |(?=[({]))");
    private static final Set<String> INTEGER_WORDS = Set.of("unsigned", "signed", "long", "short", "int", "char");
    private static final Set<String> QUALIFIERS = Set.of("const", "volatile");

    private TypeNames() {}

    /**
     * Returns the name without the spaces that stand beside punctuation, as names are compared: {@code map<int, int
     * *>} becomes {@code map<int,int*>}, {@code unsigned  int} becomes {@code unsigned int}. Escapes
     * that Go puts into the last element of a package path are decoded: {@code gopkg.in/yaml%2ev3.Node} becomes {@code
     * gopkg.in/yaml.v3.Node}.
     */
    public static String normalize(String name) {
        return withoutSpaces(name.indexOf('%') < 0 ? name : unescaped(name));
    }

    /**
     * Returns the spelling by which names are equal that compilers write in several ways, {@linkplain #normalize
     * normalized}: {@code unsigned long} for {@code long unsigned int}, {@code const char} for {@code char const}, and
     * {@code (anonymous namespace)} for {@code {anonymous}}.
     */
    public static String canonical(String name) {
        return respelled(normalize(name).replace(GCC_ANONYMOUS, ANONYMOUS), Dialect.CLANG);
    }

    /** Returns the name as it is, and as GCC and clang write it, each {@linkplain #normalize normalized}. */
    public static Set<String> spellings(String name) {
        Set<String> spellings = new LinkedHashSet<>();
        spellings.add(normalize(name));
        String canonical = canonical(name);
        spellings.add(canonical);
        spellings.add(withQualifiersBehind(respelled(canonical, Dialect.GCC)).replace(ANONYMOUS, GCC_ANONYMOUS));
        return spellings;
    }

    /** How a compiler orders the words of an integer type. */
    private enum Dialect {
        CLANG,
        GCC;

        /** @param words of one integer type, in any order */
        String integer(List<String> words) {
            long longs = words.stream().filter("long"::equals).count();
            String size = words.contains("short")
                    ? "short"
                    : "long ".repeat((int) longs).strip();
            boolean unsigned = words.contains("unsigned");
            if (words.contains("char")) {
                return unsigned ? "unsigned char" : words.contains("signed") ? "signed char" : "char";
            }
            List<String> ordered = this == GCC
                    ? List.of(size, unsigned ? "unsigned" : "", "int")
                    : List.of(unsigned ? "unsigned" : "", size, size.isEmpty() ? "int" : "");
            return ordered.stream().filter(word -> !word.isEmpty()).collect(Collectors.joining(" "));
        }
    }

    /** Puts qualifiers in front of what they qualify, and spells integer types in one way. */
    private static String respelled(String name, Dialect dialect) {
        if (name.length() > LONGEST_RESPELLED) {
            return name;
        }
        Matcher run = WORDS.matcher(name);
        StringBuilder out = new StringBuilder(name.length());
        int copied = 0;
        while (run.find()) {
            List<String> words = new ArrayList<>(List.of(run.group().split(" ")));
            boolean integer = INTEGER_WORDS.containsAll(words);
            List<String> qualifiers = words.stream()
                    .filter(QUALIFIERS::contains)
                    .sorted()
                    .distinct()
                    .toList();
            if (!integer && qualifiers.isEmpty()) {
                continue;
            }
            words.removeIf(QUALIFIERS::contains);
            out.append(name, copied, run.start());
            copied = run.end();
            String rest = INTEGER_WORDS.containsAll(words) && !words.isEmpty()
                    ? dialect.integer(words)
                    : String.join(" ", words);
            int start = rest.isEmpty() || endsWith(out, out.length(), "::") ? startOfType(out) : out.length();
            String front = qualifiers.isEmpty() ? "" : String.join(" ", qualifiers) + " ";
            if (rest.isEmpty() && start == out.length()) {
                // Behind a sign, or with nothing that it qualifies.
                out.append(String.join(" ", qualifiers));
            } else {
                out.insert(start, front).append(rest);
            }
        }
        return withoutSpaces(out.append(name, copied, name.length()).toString());
    }

    /** Returns a canonical name with the qualifiers behind what they qualify, as GCC writes template arguments. */
    private static String withQualifiersBehind(String name) {
        if (name.length() > LONGEST_RESPELLED) {
            return name;
        }
        StringBuilder out = new StringBuilder(name.length());
        Matcher front = QUALIFIERS_IN_FRONT.matcher(name);
        int copied = 0;
        while (front.find(copied)) {
            int end = endOfType(name, front.end());
            out.append(name, copied, front.start())
                    .append(withQualifiersBehind(name.substring(front.end(), end)))
                    .append(' ')
                    .append(front.group().strip());
            copied = end;
        }
        return withoutSpaces(out.append(name, copied, name.length()).toString());
    }

    /** Returns the end of the name that begins here, with its scopes and template arguments. */
    private static int endOfType(String text, int start) {
        int at = start;
        while (at < text.length()) {
            char next = text.charAt(at);
            if (next == '<') {
                at = closeOf(text, at);
            } else if (text.startsWith(ANONYMOUS, at)) {
                at += ANONYMOUS.length();
            } else if (text.startsWith(GCC_ANONYMOUS, at)) {
                at += GCC_ANONYMOUS.length();
            } else if (isWord(next) || next == ' ' || next == ':') {
                at++;
            } else {
                break;
            }
        }
        return at;
    }

    /** Behind the bracket that closes the one at {@code open}, or the end. */
    private static int closeOf(String text, int open) {
        int depth = 0;
        for (int i = open; i < text.length(); i++) {
            depth += text.charAt(i) == '<' ? 1 : text.charAt(i) == '>' ? -1 : 0;
            if (depth == 0) {
                return i + 1;
            }
        }
        return text.length();
    }

    /** Returns where the name begins that the text ends with: with its scopes and template arguments. */
    private static int startOfType(StringBuilder text) {
        int at = text.length();
        while (at > 0) {
            char last = text.charAt(at - 1);
            if (last == '>' || (last == ')' && endsWith(text, at, ANONYMOUS))) {
                at = openOf(text, at - 1);
            } else if (last == '}' && endsWith(text, at, GCC_ANONYMOUS)) {
                at -= GCC_ANONYMOUS.length();
            } else if (isWord(last)) {
                at--;
            } else if (endsWith(text, at, "::")) {
                at -= 2;
            } else {
                break;
            }
        }
        return Math.max(at, 0);
    }

    private static boolean endsWith(StringBuilder text, int end, String suffix) {
        return end >= suffix.length()
                && text.substring(end - suffix.length(), end).equals(suffix);
    }

    private static int openOf(StringBuilder text, int close) {
        int depth = 0;
        for (int i = close; i >= 0; i--) {
            switch (text.charAt(i)) {
                case '>', ')' -> depth++;
                case '<', '(' -> depth--;
                default -> {}
            }
            if (depth == 0) {
                return i;
            }
        }
        return 0;
    }

    private static String unescaped(String name) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(name.length());
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '%' && i + 2 < bytes.length && isHex(bytes[i + 1]) && isHex(bytes[i + 2])) {
                out.write(HexFormat.fromHexDigit(bytes[i + 1]) << 4 | HexFormat.fromHexDigit(bytes[i + 2]));
                i += 2;
            } else {
                out.write(bytes[i]);
            }
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private static boolean isHex(byte b) {
        return b >= 0 && HexFormat.isHexDigit(b);
    }

    private static String withoutSpaces(String name) {
        int space = name.indexOf(' ');
        if (space < 0) {
            return name;
        }
        StringBuilder out = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c != ' ') {
                out.append(c);
            } else if (!out.isEmpty() && isWord(out.charAt(out.length() - 1))) {
                int next = i + 1;
                while (next < name.length() && name.charAt(next) == ' ') {
                    next++;
                }
                if (next < name.length() && isWord(name.charAt(next))) {
                    out.append(' ');
                }
                i = next - 1;
            }
        }
        return out.toString();
    }

    /**
     * Returns the last component of a qualified name: {@code Isolate} of {@code v8::internal::Isolate}; template
     * arguments stay whole.
     */
    public static String unqualified(String qualifiedName) {
        int depth = 0;
        int start = 0;
        for (int i = 0; i + 1 < qualifiedName.length(); i++) {
            switch (qualifiedName.charAt(i)) {
                case '<', '(', '[', '{' -> depth++;
                case '>', ')', ']', '}' -> depth--;
                case ':' -> {
                    if (depth == 0 && qualifiedName.charAt(i + 1) == ':') {
                        start = i + 2;
                        i++;
                    }
                }
                default -> {}
            }
        }
        return qualifiedName.substring(start);
    }

    /**
     * Returns the name of the template that a name without scopes is made from, or the name if it is of no template.
     */
    public static String template(String name) {
        int arguments = name.indexOf('<');
        return arguments <= 0 ? name : name.substring(0, arguments).strip();
    }

    private static boolean isWord(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || c == '$' || c > 127;
    }
}
