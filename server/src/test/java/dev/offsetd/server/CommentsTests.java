package dev.offsetd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The checkable rules of prose in comments, and in the string literals of the main code. */
class CommentsTests {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final List<String> MODULES = List.of("offset-extractor", "query", "packages", "cli", "server");

    /** Literals come first, so that comment characters in them open no comment. */
    private static final Pattern TOKEN = Pattern.compile(
            "\"\"\".*?\"\"\"|\"(?:[^\"\\\\\\n]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)+'|/\\*.*?\\*/|//[^\\n]*", Pattern.DOTALL);

    private static final Pattern STRING = Pattern.compile("\"\"\"(.*)\"\"\"|\"(.*)\"", Pattern.DOTALL);

    /** The quoted part of a string literal is a name or a value of a format, such as a JSON key. */
    private static final Pattern QUOTED = Pattern.compile("\\\\\"[^\"]*\\\\\"");

    private static final Pattern INLINE_TAG = Pattern.compile("\\{@\\w+[^}]*\\}");

    /** A noun phrase, a verb phrase or a subject opens a sentence, and the sentence before it is not needed. */
    private static final Pattern RETIRED_OPENING = Pattern.compile(
            "(?:^|[.!?] |<p> ?|@(?:param \\S+|return|throws \\S+) )" + "(?:Has|What|That|Those|Such|As|Besides|Of) ");

    private static final Pattern RETIRED_IN_TEXTS = Pattern.compile("(?i)\\b(?:the way|asked for|what is stored)\\b");

    /** The comments of a source file, each as one line without its delimiters. */
    private static List<String> comments(String source) {
        return TOKEN.matcher(source)
                .results()
                .map(token -> token.group())
                .filter(token -> token.startsWith("/"))
                .map(comment -> INLINE_TAG
                        .matcher(
                                comment.replaceAll("\\n\\s*\\*?\\s?", " ").replaceAll("^/(?:\\*+|/)\\s*|\\s*\\*/$", ""))
                        .replaceAll("``"))
                .toList();
    }

    /** The texts of a source file: its string literals that have a space, joined where they are concatenated. */
    private static List<String> texts(String source) {
        List<String> texts = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        int end = 0;
        for (MatchResult token : TOKEN.matcher(source).results().toList()) {
            Matcher string = STRING.matcher(token.group());
            if (!string.matches()) {
                continue;
            }
            if (!source.substring(end, token.start()).strip().equals("+")) {
                texts.add(text.toString());
                text.setLength(0);
            }
            text.append(string.group(1) == null ? string.group(2) : string.group(1));
            end = token.end();
        }
        texts.add(text.toString());
        return texts.stream()
                .map(String::strip)
                .filter(literal -> literal.contains(" "))
                .map(literal -> QUOTED.matcher(literal).replaceAll("``"))
                .toList();
    }

    private static Stream<String> retired(String prose) {
        return Stream.of(DocumentsTests.RETIRED, RETIRED_OPENING).flatMap(pattern -> findings(pattern, prose));
    }

    private static Stream<String> findings(Pattern pattern, String prose) {
        return pattern.matcher(prose)
                .results()
                .map(match -> '"' + match.group().strip() + "\" in: "
                        + prose.substring(Math.max(0, match.start() - 40), Math.min(prose.length(), match.end() + 40)));
    }

    @Test
    void retiredTermsAreNotUsed() throws IOException {
        List<String> found = new ArrayList<>();
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src"))) {
                for (Path file : files.filter(name -> name.toString().endsWith(".java"))
                        .sorted()
                        .toList()) {
                    String source = Files.readString(file);
                    boolean isTest = !file.startsWith(ROOT.resolve(module).resolve("src/main"));
                    Stream.concat(
                                    comments(source).stream().flatMap(CommentsTests::retired),
                                    texts(isTest ? "" : source).stream()
                                            .flatMap(text ->
                                                    Stream.concat(retired(text), findings(RETIRED_IN_TEXTS, text))))
                            .forEach(finding -> found.add(ROOT.relativize(file) + ": " + finding));
                }
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void findsTermsInTextsOnly() {
        assertThat(
                        texts(
                                "// \"a b\"\n x = \"is \" + /* \"c d\" */ y + \"no port\" + \" of\"; z = \"queries\"; c = '\"';"))
                .containsExactly("no port of");
        assertThat(texts("x = \"\"\"\n  a \"b\n  \"\"\" + \"an array, or {\\\"queries\\\": []}\";"))
                .containsExactly("a \"b\n  an array, or {``: []}");
        assertThat(texts("x = \"of its\" + \" own\";").stream().flatMap(CommentsTests::retired))
                .hasSize(1);
        assertThat(retired("the port is no number, the names are no words")).hasSize(2);
    }

    @Test
    void findsTermsInCommentsOnly() {
        assertThat(comments("/** A\n * b. */ x = \"// no\"; // c\ny = '\"'; /* d */"))
                .containsExactly("A b.", "c", "d");
        assertThat(retired("The client. Who asks")).hasSize(1);
        assertThat(retired("What it is")).hasSize(1);
        assertThat(
                        retired(
                                "Files. <p>Of several, one. Those are small. Such as x. As ``. @param file Besides x @return As y"))
                .hasSize(6);
        assertThat(retired("States what it is; there is no other")).isEmpty();
    }
}
