package dev.offsetd.extractor.layout;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How type names are compared and taken apart. */
public final class TypeNames {

    private static final String ANONYMOUS = "(anonymous namespace)";
    private static final String GCC_ANONYMOUS = "{anonymous}";
    private static final Pattern WORDS = Pattern.compile("[A-Za-z_][A-Za-z_0-9]*+(?: [A-Za-z_][A-Za-z_0-9]*+)*+");
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
        Matcher run = WORDS.matcher(name);
        Respelling out = null;
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
            out = out == null ? new Respelling(name.length()) : out;
            out.append(name, copied, run.start());
            copied = run.end();
            String rest = INTEGER_WORDS.containsAll(words) && !words.isEmpty()
                    ? dialect.integer(words)
                    : String.join(" ", words);
            int start = rest.isEmpty() || out.endsWithScope() ? out.startOfType() : out.length();
            String front = String.join(" ", qualifiers);
            if (rest.isEmpty() && start == out.length()) {
                // Behind a sign, or with nothing that it qualifies.
                out.append(front, 0, front.length());
            } else {
                if (!front.isEmpty()) {
                    out.insert(start, front + " ");
                }
                out.append(rest, 0, rest.length());
            }
        }
        return withoutSpaces(
                out == null ? name : out.append(name, copied, name.length()).text());
    }

    /**
     * A name that is respelled from its beginning to its end. Remembers of each place where the type begins that ends there,
     * and keeps insertions apart, so that the whole takes time linear in the length of the name.
     */
    private static final class Respelling {

        /** The name without insertions. */
        private final StringBuilder text;

        /** Texts inserted, by their places in {@link #text}. */
        private final TreeMap<Integer, StringBuilder> inserted = new TreeMap<>();

        private int lastInsertion = -1;

        /** Where the type begins, with its scopes and template arguments, that ends before each character. */
        private int[] starts;

        /** Brackets of {@link #text} that are open at its end. */
        private final ArrayDeque<Integer> open = new ArrayDeque<>();

        Respelling(int length) {
            this.text = new StringBuilder(length);
            this.starts = new int[length + 1];
        }

        int length() {
            return text.length();
        }

        Respelling append(String from, int start, int end) {
            for (int i = start; i < end; i++) {
                char next = from.charAt(i);
                text.append(next);
                int opened = -1;
                switch (next) {
                    case '<', '(' -> open.push(length() - 1);
                    case '>', ')' -> opened = open.isEmpty() ? 0 : open.pop();
                    default -> {}
                }
                if (length() == starts.length) {
                    starts = Arrays.copyOf(starts, 2 * length());
                }
                starts[length()] = start(next, opened);
            }
            return this;
        }

        /**
         * Returns where the type begins that ends at the end.
         *
         * @param opened place of the bracket that the last character closes; 0 if there is none
         */
        private int start(char last, int opened) {
            int end = length();
            if (last == '>' || (last == ')' && endsWith(ANONYMOUS))) {
                return starts[opened];
            }
            if (last == '}' && endsWith(GCC_ANONYMOUS)) {
                return starts[end - GCC_ANONYMOUS.length()];
            }
            if (isWord(last)) {
                // Behind an insertion, which ends with a space, begins another type.
                return lastInsertion == end - 1 ? end - 1 : starts[end - 1];
            }
            return endsWith("::") ? starts[end - 2] : end;
        }

        private boolean endsWith(String suffix) {
            int at = length() - suffix.length();
            if (at < 0 || lastInsertion > at) {
                return false;
            }
            for (int i = 0; i < suffix.length(); i++) {
                if (text.charAt(at + i) != suffix.charAt(i)) {
                    return false;
                }
            }
            return true;
        }

        boolean endsWithScope() {
            return endsWith("::");
        }

        int startOfType() {
            return starts[length()];
        }

        /** Inserts a text behind those that were inserted there before. */
        void insert(int place, String more) {
            inserted.computeIfAbsent(place, _ -> new StringBuilder()).append(more);
            lastInsertion = Math.max(lastInsertion, place);
        }

        String text() {
            StringBuilder whole = new StringBuilder(text.length());
            int copied = 0;
            for (Map.Entry<Integer, StringBuilder> insertion : inserted.entrySet()) {
                whole.append(text, copied, insertion.getKey()).append(insertion.getValue());
                copied = insertion.getKey();
            }
            return whole.append(text, copied, text.length()).toString();
        }
    }

    /** A qualifier that stands behind its type, and where the type ends. */
    private record QualifierBehind(String qualifier, int end) {}

    /** Returns a canonical name with the qualifiers behind what they qualify, as GCC writes template arguments. */
    private static String withQualifiersBehind(String name) {
        if (!name.contains("const") && !name.contains("volatile")) {
            return withoutSpaces(name);
        }
        int[] ends = endsOfTypes(name);
        StringBuilder out = new StringBuilder(name.length());
        // Types nest, so the qualifier of the innermost is the next to be written.
        Deque<QualifierBehind> pending = new ArrayDeque<>();
        boolean typeBegins = true;
        int at = 0;
        while (true) {
            while (!pending.isEmpty() && pending.peek().end == at) {
                out.append(' ').append(pending.pop().qualifier);
            }
            if (at == name.length()) {
                return withoutSpaces(out.toString());
            }
            int limit = pending.isEmpty() ? name.length() : pending.peek().end;
            int behind = typeBegins || !continuesType(name.charAt(at - 1)) ? behindQualifiers(name, at, limit) : -1;
            typeBegins = behind >= 0;
            if (typeBegins) {
                pending.push(new QualifierBehind(name.substring(at, behind).strip(), Math.min(ends[behind], limit)));
                at = behind;
            } else {
                out.append(name.charAt(at++));
            }
        }
    }

    /** Returns whether a word behind this character belongs to the type before it. */
    private static boolean continuesType(char before) {
        return (before >= 'A' && before <= 'Z')
                || (before >= 'a' && before <= 'z')
                || (before >= '0' && before <= '9')
                || "_*& ".indexOf(before) >= 0;
    }

    /** Returns where the type begins whose qualifiers stand here; -1 if there are none. */
    private static int behindQualifiers(String name, int start, int limit) {
        for (String qualifiers : List.of("const volatile", "volatile volatile", "const", "volatile")) {
            int end = start + qualifiers.length();
            if (name.startsWith(qualifiers, start) && end < limit) {
                char next = name.charAt(end);
                if (next == ' ' || next == '(' || next == '{') {
                    return next == ' ' ? end + 1 : end;
                }
            }
        }
        return -1;
    }

    /** Returns for each place where the name ends that begins there, with its scopes and template arguments. */
    private static int[] endsOfTypes(String text) {
        int[] ends = new int[text.length() + 1];
        ends[text.length()] = text.length();
        Deque<Integer> closing = new ArrayDeque<>();
        for (int at = text.length() - 1; at >= 0; at--) {
            char next = text.charAt(at);
            if (next == '>') {
                closing.push(at);
            }
            if (next == '<') {
                ends[at] = ends[closing.isEmpty() ? text.length() : closing.pop() + 1];
            } else if (text.startsWith(ANONYMOUS, at)) {
                ends[at] = ends[at + ANONYMOUS.length()];
            } else if (text.startsWith(GCC_ANONYMOUS, at)) {
                ends[at] = ends[at + GCC_ANONYMOUS.length()];
            } else {
                ends[at] = isWord(next) || next == ' ' || next == ':' ? ends[at + 1] : at;
            }
        }
        return ends;
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
     * Returns the part of a Go type's name behind its package: {@code Node[int]} of {@code gopkg.in/yaml.v3.Node[int]}; null
     * if the name has no package, as those of pointers and of unnamed types.
     */
    public static @Nullable String withoutPackage(String goName) {
        int arguments = goName.indexOf('[');
        String plain = arguments < 0 ? goName : goName.substring(0, arguments);
        int dot = plain.lastIndexOf('.');
        boolean named = dot > 0 && dot + 1 < plain.length() && plain.chars().noneMatch(c -> " (){}*,;".indexOf(c) >= 0);
        return named ? goName.substring(dot + 1) : null;
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
