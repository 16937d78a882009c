package dev.offsetd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The checkable rules of prose in Javadoc and comments of the main code. */
class CommentsTests {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final List<String> MODULES = List.of("offset-extractor", "query", "cli", "server");

    /** Literals come first, so that comment characters in them open no comment. */
    private static final Pattern TOKEN = Pattern.compile(
            "\"\"\".*?\"\"\"|\"(?:[^\"\\\\\\n]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)+'|/\\*.*?\\*/|//[^\\n]*", Pattern.DOTALL);

    private static final Pattern INLINE_TAG = Pattern.compile("\\{@\\w+[^}]*\\}");

    /** A noun phrase, a verb phrase or a subject opens a sentence. */
    private static final Pattern RETIRED_OPENING = Pattern.compile("(?:^|[.!?] )(?:Has|What|That) ");

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

    private static Stream<String> retired(String comment) {
        return Stream.of(DocumentsTests.RETIRED, RETIRED_OPENING)
                .flatMap(pattern -> pattern.matcher(comment).results())
                .map(match -> '"' + match.group().strip() + "\" in: "
                        + comment.substring(
                                Math.max(0, match.start() - 40), Math.min(comment.length(), match.end() + 40)));
    }

    @Test
    void retiredTermsAreNotUsed() throws IOException {
        List<String> found = new ArrayList<>();
        for (String module : MODULES) {
            Path sources = ROOT.resolve(module).resolve("src/main/java");
            try (Stream<Path> files = Files.walk(sources)) {
                for (Path file : files.filter(name -> name.toString().endsWith(".java"))
                        .sorted()
                        .toList()) {
                    for (String comment : comments(Files.readString(file))) {
                        retired(comment).forEach(finding -> found.add(ROOT.relativize(file) + ": " + finding));
                    }
                }
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void findsTermsInCommentsOnly() {
        assertThat(comments("/** A\n * b. */ x = \"// no\"; // c\ny = '\"'; /* d */"))
                .containsExactly("A b.", "c", "d");
        assertThat(retired("The client. Who asks")).hasSize(1);
        assertThat(retired("What it is")).hasSize(1);
        assertThat(retired("States what it is; there is no other")).isEmpty();
    }
}
