package dev.offsetd.server.admin.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** References between the templates of the admin pages. */
class TemplatesTests {

    private static final Path TEMPLATES = Path.of("src/main/resources/templates");
    private static final Pattern REFERENCE = Pattern.compile("~\\{(admin/[\\w-]+) :: ([\\w-]+)");
    private static final Pattern FRAGMENT = Pattern.compile("th:fragment=\"([\\w-]+)");

    /** Thymeleaf takes an undefined name for the selector of an element, and inserts every such element of the file. */
    @Test
    void referencedFragmentsAreDefined() throws IOException {
        List<String> references = new ArrayList<>();
        List<String> undefined = new ArrayList<>();
        try (Stream<Path> files = Files.walk(TEMPLATES)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                for (MatchResult reference :
                        REFERENCE.matcher(Files.readString(file)).results().toList()) {
                    String text = TEMPLATES.relativize(file) + ": " + reference.group();
                    references.add(text);
                    if (!fragments(reference.group(1)).contains(reference.group(2))) {
                        undefined.add(text);
                    }
                }
            }
        }
        assertThat(references).hasSizeGreaterThan(50);
        assertThat(undefined).isEmpty();
    }

    private static Set<String> fragments(String template) throws IOException {
        return FRAGMENT.matcher(Files.readString(TEMPLATES.resolve(template + ".html")))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toSet());
    }
}
