package dev.offsetd.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** References between the templates of the admin pages. */
class TemplatesTests {

    private static final Path TEMPLATES = Path.of("src/main/resources/templates");
    private static final Path PAGES = Path.of("src/main/java/dev/offsetd/server/admin");

    /** A badge with its tone and its text, in Java or in a template. */
    private static final Pattern BADGE =
            Pattern.compile("(?:new Badge\\(|class=\"badge badge-)(\\w+)(?:, |\"[^>]*>)\"?([a-z][a-z -]*)[\"<]");

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

    /** The same status has the same colour on every page. */
    @Test
    void textsOfBadgesHaveOneToneEach() throws IOException {
        Map<String, Set<String>> tones = new TreeMap<>();
        for (Path folder : List.of(TEMPLATES, PAGES)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    BADGE.matcher(Files.readString(file))
                            .results()
                            .forEach(badge -> tones.computeIfAbsent(badge.group(2), text -> new TreeSet<>())
                                    .add(badge.group(1).toLowerCase(Locale.ROOT)));
                }
            }
        }
        assertThat(tones)
                .hasSizeGreaterThan(20)
                .allSatisfy((text, found) -> assertThat(found).as(text).hasSize(1));
    }

    private static Set<String> fragments(String template) throws IOException {
        return FRAGMENT.matcher(Files.readString(TEMPLATES.resolve(template + ".html")))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toSet());
    }
}
