package dev.offsetd.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every Java snippet in the documentation of the two libraries compiles. */
class SnippetsTests {

    private static final Path ROOT = Path.of("..");
    private static final Pattern MARKDOWN = Pattern.compile("(?ms)^```java\\n(.*?)^```$");
    private static final Pattern JAVADOC = Pattern.compile("(?ms)^ \\* \\{@snippet :\\n(.*)^ \\* \\}$");

    @TempDir
    private Path folder;

    record Snippet(String document, String code) {}

    static Stream<Snippet> snippets() throws IOException {
        List<Snippet> found = Stream.of(
                        of("offset-extractor/README.md", MARKDOWN),
                        of("query/README.md", MARKDOWN),
                        of("offset-extractor/src/main/java/dev/offsetd/extractor/package-info.java", JAVADOC))
                .flatMap(List::stream)
                .toList();
        assertThat(found).hasSizeGreaterThanOrEqualTo(4);
        return found.stream();
    }

    private static List<Snippet> of(String document, Pattern block) throws IOException {
        return block.matcher(Files.readString(ROOT.resolve(document)))
                .results()
                .map((MatchResult match) -> new Snippet(document, match.group(1).replaceAll("(?m)^ \\* ?", "")))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("snippets")
    void snippetCompiles(Snippet snippet) throws IOException {
        String source = """
                import dev.offsetd.extractor.*;
                import dev.offsetd.extractor.input.*;
                import dev.offsetd.extractor.builds.*;
                import dev.offsetd.extractor.identity.*;
                import dev.offsetd.extractor.layout.*;
                import dev.offsetd.extractor.symbols.*;
                import dev.offsetd.query.item.*;
                import dev.offsetd.query.store.*;
                import dev.offsetd.query.symbol.*;
                import java.nio.file.*;
                import java.util.*;

                class Snippet {
                    void run() throws Exception {
                %s
                    }
                }
                """.formatted(snippet.code());
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        JavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///Snippet.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        boolean compiled = compiler.getTask(
                        null,
                        null,
                        diagnostics,
                        List.of("-d", folder.toString(), "-cp", System.getProperty("java.class.path"), "-proc:none"),
                        null,
                        List.of(file))
                .call();
        assertThat(compiled).as(source + diagnostics.getDiagnostics()).isTrue();
    }
}
