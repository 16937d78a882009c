package dev.offsetd.extractor.layout;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A type name without the parts that programmers leave out: all scopes (in Rust also only the first of them), inline
 * namespaces, template arguments that have a default, and the suffixes of numbers. The same holds for template arguments, so
 * {@code vector<string>} stands for {@code std::vector<std::__cxx11::string, std::allocator<std::__cxx11::string> >}.
 * Immutable.
 *
 * <p>Debug information does not say which arguments have a default. An argument may be left out if it is made from those
 * before it, as {@code std::allocator<int>} and {@code std::less<int>} are, and belongs to the standard library or to the
 * library of the template; or if it is the allocator or hasher of Rust's standard library.
 */
public final class PartialName {

    private static final String ANONYMOUS = "(anonymous namespace)";
    private static final Pattern WORD = Pattern.compile("[A-Za-z_0-9$]+");
    private static final String STANDARD = "std";
    private static final Set<String> RUST_DEFAULTS = Set.of("Global", "RandomState");

    /** Brackets in brackets; each is a call. */
    private static final int MAX_DEPTH = 64;

    /** Most arguments of a template that may be left out; libraries have up to five. */
    private static final int MAX_DEFAULTS = 16;

    private final List<Token> wanted;

    /** Words that every name has that this one stands for, however compilers spell it; most other names lack a word. */
    private final List<String> words;

    private final Set<String> inlineNamespaces;

    private PartialName(List<Token> wanted, List<String> words, Set<String> inlineNamespaces) {
        this.wanted = wanted;
        this.words = words;
        this.inlineNamespaces = inlineNamespaces;
    }

    /**
     * Returns a name to look for.
     *
     * @param name as a user wrote it
     * @param inlineNamespaces with the scopes around them, of the build that is looked through
     * @return empty if the name cannot be taken apart
     */
    public static Optional<PartialName> of(String name, Set<String> inlineNamespaces) {
        String canonical = TypeNames.canonical(name);
        List<Token> tokens = Parser.read(canonical);
        if (tokens == null) {
            return Optional.empty();
        }
        Set<String> words = new LinkedHashSet<>();
        Matcher word = WORD.matcher(canonical.replace(ANONYMOUS, ""));
        while (word.find()) {
            words.add(withoutSuffix(word.group()));
        }
        return Optional.of(new PartialName(tokens, List.copyOf(words), inlineNamespaces));
    }

    /** Returns whether the name may stand for the type of this name, scopes included, of a language. */
    public boolean matches(String qualifiedName, Language.Family language) {
        if (!mayMatch(qualifiedName)) {
            return false;
        }
        List<Token> tokens = Parser.read(TypeNames.canonical(qualifiedName));
        return tokens != null && new Rules(inlineNamespaces, language == Language.Family.RUST).same(wanted, tokens);
    }

    /**
     * Returns whether the name may stand for the type of this name in any language: a cheap look before {@link
     * #matches}.
     */
    public boolean mayMatch(String qualifiedName) {
        String scope = outermostScope();
        return (scope == null || qualifiedName.startsWith(scope) || qualifiedName.contains("::" + scope))
                && words.stream().allMatch(qualifiedName::contains);
    }

    private @Nullable String outermostScope() {
        return wanted.size() == 1
                        && wanted.getFirst() instanceof Token.Path path
                        && path.parts.size() > 1
                        && isWord(path.parts.getFirst().name.charAt(0))
                ? path.parts.getFirst().name
                : null;
    }

    private sealed interface Token {

        /** A sign, or a literal in quotes. */
        record Punctuation(String text) implements Token {}

        /**
         * A name with its scopes.
         *
         * @param global whether it starts at the global scope ({@code ::name})
         */
        record Path(boolean global, List<NamePart> parts) implements Token {}
    }

    /**
     * A scope, or the last part of a name.
     *
     * @param arguments of the template, each as its tokens, or null if there are no brackets
     */
    private record NamePart(String name, @Nullable List<List<Token>> arguments) {}

    /**
     * How two names are compared.
     *
     * @param suffixes whether the first scopes may be left out of a name that has others; else of all or none
     */
    private record Rules(Set<String> inlineNamespaces, boolean suffixes) {

        boolean same(List<Token> asked, List<Token> actual) {
            if (asked.size() != actual.size()) {
                return false;
            }
            for (int i = 0; i < asked.size(); i++) {
                boolean same = switch (asked.get(i)) {
                    case Token.Path path -> actual.get(i) instanceof Token.Path other && same(path, other);
                    case Token.Punctuation sign -> sign.equals(actual.get(i));
                };
                if (!same) {
                    return false;
                }
            }
            return true;
        }

        private boolean same(Token.Path asked, Token.Path actual) {
            int left = asked.parts.size() - 1;
            int right = actual.parts.size() - 1;
            if (!same(asked.parts.get(left), actual, right)) {
                return false;
            }
            left--;
            right--;
            while (left >= 0) {
                if (right < 0) {
                    return false;
                }
                if (same(asked.parts.get(left), actual, right)) {
                    left--;
                } else if (!isInline(actual, right)) {
                    return false;
                }
                right--;
            }
            boolean whole = asked.global || (asked.parts.size() > 1 && !suffixes);
            while (whole && right >= 0) {
                if (!isInline(actual, right--)) {
                    return false;
                }
            }
            return true;
        }

        private boolean isInline(Token.Path path, int part) {
            StringBuilder scope = new StringBuilder();
            for (int i = 0; i <= part; i++) {
                scope.append(i == 0 ? "" : "::").append(path.parts.get(i).name);
            }
            return inlineNamespaces.contains(scope.toString());
        }

        private boolean same(NamePart asked, Token.Path path, int part) {
            NamePart actual = path.parts.get(part);
            if (!withoutSuffix(asked.name).equals(withoutSuffix(actual.name))) {
                return false;
            }
            List<List<Token>> given = asked.arguments;
            List<List<Token>> all = actual.arguments;
            if (given == null || all == null) {
                return given == null && all == null;
            }
            if (given.size() > all.size() || all.size() - given.size() > MAX_DEFAULTS) {
                return false;
            }
            for (int i = 0; i < given.size(); i++) {
                if (!same(given.get(i), all.get(i))) {
                    return false;
                }
            }
            for (int i = given.size(); i < all.size(); i++) {
                if (!isDefault(all.get(i), all.subList(0, i), part == 0 ? null : path.parts.getFirst().name)) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * Returns a number without the letters that say its type: compilers write {@code 4}, {@code 4u} and {@code 4UL}.
     */
    private static String withoutSuffix(String word) {
        if (word.isEmpty() || !isDigit(word.charAt(0))) {
            return word;
        }
        int end = word.length();
        while ("uUlL".indexOf(word.charAt(end - 1)) >= 0) {
            end--;
        }
        return word.substring(0, end);
    }

    /** @param library the outermost namespace of the template; null if it is global */
    private static boolean isDefault(List<Token> argument, List<List<Token>> before, @Nullable String library) {
        return argument.size() == 1
                && argument.getFirst() instanceof Token.Path path
                && (RUST_DEFAULTS.contains(path.parts.getLast().name)
                        || ((library == null
                                        || STANDARD.equals(path.parts.getFirst().name)
                                        || library.equals(path.parts.getFirst().name))
                                && before.stream().anyMatch(earlier -> isMadeFrom(path, earlier))));
    }

    /** Returns whether an argument is among those of a name, or of these again. */
    private static boolean isMadeFrom(Token.Path path, List<Token> argument) {
        for (NamePart part : path.parts) {
            for (List<Token> inner : part.arguments == null ? List.<List<Token>>of() : part.arguments) {
                boolean here = inner.equals(argument) || inner.equals(constant(argument));
                if (here
                        || inner.stream()
                                .anyMatch(token -> token instanceof Token.Path next && isMadeFrom(next, argument))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the type as const, like the key of a map in the pairs that it holds. */
    private static List<Token> constant(List<Token> type) {
        List<Token> tokens = new ArrayList<>(type.size() + 1);
        tokens.add(new Token.Path(false, List.of(new NamePart("const", null))));
        tokens.addAll(type);
        return tokens;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isWord(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || c == '$' || c > 127;
    }

    /** Takes names apart, in time linear in their length. */
    private static final class Parser {

        private final String text;
        private int at;
        private int depth;
        private boolean failed;

        private Parser(String text) {
            this.text = text;
        }

        /** Returns the tokens of a name, or null if its brackets do not match. */
        static @Nullable List<Token> read(String text) {
            Parser reader = new Parser(text);
            List<Token> tokens = reader.tokens(false);
            return reader.failed || reader.at < text.length() || tokens.isEmpty() ? null : tokens;
        }

        /** @param argument whether a comma or closing angle bracket ends them */
        private List<Token> tokens(boolean argument) {
            List<Token> tokens = new ArrayList<>();
            int open = 0;
            while (at < text.length() && !failed) {
                char c = text.charAt(at);
                if (argument && open == 0 && (c == ',' || c == '>')) {
                    break;
                }
                if (c == ' ') {
                    at++;
                } else if (startsName(at) || (text.startsWith("::", at) && startsName(at + 2))) {
                    tokens.add(path());
                } else {
                    int end = c == '\'' ? literalEnd() : text.startsWith("->", at) ? at + 2 : at + 1;
                    open += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
                    tokens.add(new Token.Punctuation(text.substring(at, end)));
                    at = end;
                }
            }
            return tokens;
        }

        private boolean startsName(int index) {
            return index < text.length()
                    && (isWord(text.charAt(index)) || text.charAt(index) == '{' || text.startsWith(ANONYMOUS, index));
        }

        private int literalEnd() {
            int end = at + 1;
            while (end < text.length() && text.charAt(end) != '\'') {
                end += text.charAt(end) == '\\' ? 2 : 1;
            }
            return Math.min(end + 1, text.length());
        }

        private Token.Path path() {
            boolean global = text.charAt(at) == ':';
            at += global ? 2 : 0;
            List<NamePart> parts = new ArrayList<>();
            do {
                at += parts.isEmpty() ? 0 : 2;
                parts.add(part());
            } while (!failed && text.startsWith("::", at) && startsName(at + 2));
            return new Token.Path(global, parts);
        }

        private NamePart part() {
            int start = at;
            if (text.startsWith(ANONYMOUS, at)) {
                at += ANONYMOUS.length();
            } else if (text.charAt(at) == '{') {
                int close = text.indexOf('}', at);
                failed |= close < 0;
                at = failed ? text.length() : close + 1;
            } else {
                while (at < text.length() && isWord(text.charAt(at))) {
                    at++;
                }
            }
            String name = text.substring(start, at);
            boolean template = at < text.length() && text.charAt(at) == '<' && !name.equals("operator");
            return new NamePart(name, template ? arguments() : null);
        }

        private @Nullable List<List<Token>> arguments() {
            failed |= ++depth > MAX_DEPTH;
            List<List<Token>> arguments = new ArrayList<>();
            while (!failed && at < text.length() && text.charAt(at) != '>') {
                at++;
                List<Token> argument = tokens(true);
                if (!argument.isEmpty()) {
                    arguments.add(argument);
                }
            }
            failed |= at >= text.length();
            at++;
            depth--;
            return arguments;
        }
    }
}
