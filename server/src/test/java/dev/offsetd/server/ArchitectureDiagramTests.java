package dev.offsetd.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the generated diagrams and tables of docs/architecture.md with the classes; {@code ./offsetd renew diagrams} writes them. */
@Tag("long")
class ArchitectureDiagramTests {

    private static final Path ROOT = Path.of("..");
    private static final String PAGE = "docs/architecture.md";
    private static final String RENEW = "./offsetd renew diagrams";

    /** Generated from the contract, or used by nearly every package: arrows to them would add no information. */
    private static final String[] EVERYWHERE = {"api", "web"};

    @Test
    void serverIsDrawnAsItIs() throws IOException {
        check("server", "server/src/main/java/dev/offsetd/server", "dev.offsetd.server", EVERYWHERE);
    }

    @Test
    void extractorIsDrawnAsItIs() throws IOException {
        check("extractor", "offset-extractor/src/main/java/dev/offsetd/extractor", "dev.offsetd.extractor");
    }

    @Test
    void queryIsDrawnAsItIs() throws IOException {
        check("query", "query/src/main/java/dev/offsetd/query", "dev.offsetd.query");
    }

    @Test
    void modulesAreDrawnAsTheyAre() throws IOException {
        compare("modules", ArchitectureDiagram.modules(ROOT));
    }

    private static void check(String section, String sources, String root, String... left) throws IOException {
        Path classes = ROOT.resolve(sources.substring(0, sources.indexOf('/'))).resolve("target/classes");
        ArchitectureDiagram all = ArchitectureDiagram.of(
                new ClassFileImporter()
                        .withImportOption(ArchitectureRulesTests.WRITTEN_BY_HAND)
                        .importPath(classes),
                root);
        assertThat(all.uses()).hasSizeGreaterThan(5);
        ArchitectureDiagram drawn = all.without("api");
        compare(section, all.without(left).reduced().mermaid() + "\n" + drawn.table(ROOT, sources));
    }

    private static void compare(String section, String expected) throws IOException {
        Path file = ROOT.resolve(PAGE);
        String text = Files.readString(file);
        Matcher between = Pattern.compile(
                        "(?<=<!-- begin: " + section + " -->\n).*?(?=<!-- end: " + section + " -->)", Pattern.DOTALL)
                .matcher(text);
        assertThat(between.find()).as("%s has a place for %s", PAGE, section).isTrue();
        if ("renew".equals(System.getProperty("architecture"))) {
            Files.writeString(file, text.substring(0, between.start()) + expected + text.substring(between.end()));
            return;
        }
        assertThat(between.group())
                .as("%s is out of date; renew it with %s", PAGE, RENEW)
                .isEqualTo(expected);
    }

    @Test
    void arrowsThatFollowFromOthersAreLeftOut() {
        ArchitectureDiagram diagram = new ArchitectureDiagram(Map.of(
                "a", Set.of("b", "c", "d"), "b", Set.of("c"), "c", Set.of("d"), "d", Set.of(), "e", Set.of("b")));
        assertThat(diagram.reduced().uses())
                .isEqualTo(
                        Map.of("a", Set.of("b"), "b", Set.of("c"), "c", Set.of("d"), "d", Set.of(), "e", Set.of("b")));
        assertThat(diagram.without("b").uses().get("e")).isEmpty();
    }

    @Test
    void chartNamesEveryPackageOnce() {
        assertThat(new ArchitectureDiagram(new TreeMap<>(
                                Map.of("a", new TreeSet<>(Set.of("b", "c")), "b", Set.of(), "c", Set.of())))
                        .mermaid())
                .isEqualTo("```mermaid\nflowchart TD\n  a --> b & c\n  b\n  c\n```\n");
    }
}
