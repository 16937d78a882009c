package dev.offsetd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.YAMLException;

/** Links, snippets, completeness and the checkable rules of prose in the documentation and the contract. */
class DocumentsTests {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path DOCS = ROOT.resolve("docs");

    private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^\\s*```.*?^\\s*```$");
    private static final Pattern CODE = Pattern.compile("`[^`\\n]*`");
    private static final Pattern LINK = Pattern.compile("\\]\\(<?([^)\\s>]+)>?\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *$");
    private static final Pattern TEST_CLASS = Pattern.compile("`([A-Z]\\w*Tests)(?:\\.\\w+)?`");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z][a-z0-9+.-]*:.*");
    private static final Pattern LINK_TARGET = Pattern.compile("\\]\\([^)]*\\)|https?://\\S+");
    private static final Pattern SNIPPET = Pattern.compile("(?ms)^ *```(\\w+)\\n(.*?)^ *```$");

    private static final String CONTRACT = "api-spec/openapi.yaml";
    private static final String TEMPLATES = "server/src/main/resources/templates";
    private static final int LINE_LENGTH = 100;

    /** A page holds a whole subject. A longer one has two. */
    private static final int PAGE_LENGTH = 300;

    /** Words that the project replaced with the terms of its field. "single-flight" stays. */
    static final Pattern RETIRED = Pattern.compile(
            "(?i)\\b(?:in vain|nobody|whoever|somebody|one who|of its own|what came of|by the time|under way"
                    + "|thrown away|ladder|shel(?:f|ves)|(?<!single-)flights?|heard of|questions?(?! mark)|there is not"
                    + "|(?<!there )(?:is|are) no(?! longer))\\b"
                    + "|(?-i)(?:^|[.!?] )(?:Who|So that|Of) ",
            Pattern.MULTILINE);

    private static List<Path> documents() throws IOException {
        List<Path> found = new ArrayList<>();
        for (String top : List.of(
                "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "offset-extractor/README.md", "query/README.md")) {
            found.add(ROOT.resolve(top));
        }
        for (String folder : List.of("docs", "clients", "examples", "bench", "packaging")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(found::add);
            }
        }
        return found;
    }

    @Test
    void linksLeadToFilesAndHeadingsThatAreThere() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path document : documents()) {
            String text = CODE.matcher(withoutBlocks(document)).replaceAll("");
            for (String link : matches(LINK, text)) {
                if (ELSEWHERE.matcher(link).matches()) {
                    continue;
                }
                String[] parts = link.split("#", 2);
                Path target = parts[0].isEmpty()
                        ? document
                        : document.resolveSibling(parts[0]).normalize();
                if (!Files.exists(target)) {
                    broken.add(ROOT.relativize(document) + ": " + link + ": no such file");
                } else if (parts.length == 2
                        && target.toString().endsWith(".md")
                        && !anchors(target).contains(parts[1])) {
                    broken.add(ROOT.relativize(document) + ": " + link + ": no such heading");
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    /** A newcomer reads the README, a user the notes of a release; what grows goes into a page or makes room. */
    @Test
    void bookKeepsItsSize() throws IOException {
        assertThat(Files.readAllLines(ROOT.resolve("README.md"))).hasSizeLessThanOrEqualTo(90);
        assertThat(Files.readAllLines(ROOT.resolve("CHANGELOG.md"))).hasSizeLessThanOrEqualTo(60);
        assertThat(markdown(DOCS)).hasSizeLessThanOrEqualTo(30);
        long words = 0;
        for (Path page : markdown(DOCS.resolve("rationale"))) {
            words += Files.readString(page).split("\\s+").length;
        }
        assertThat(words).isLessThanOrEqualTo(8_000);
    }

    private static List<Path> markdown(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".md")).toList();
        }
    }

    @Test
    void everySourceThatOthersCopyStatesTheLicence() throws IOException {
        for (String folder : List.of("clients", "examples")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                List<Path> sources = files.filter(
                                file -> file.toString().matches(".*(\\.(go|py|c|h|rs|sh|yml)|/Dockerfile)"))
                        .toList();
                assertThat(sources).hasSizeGreaterThan(10);
                for (Path source : sources) {
                    assertThat(Files.readString(source).lines().limit(2))
                            .as("%s", source)
                            .anyMatch(line -> line.contains("SPDX-License-Identifier: Apache-2.0"));
                }
            }
        }
        for (String client : List.of("c", "go", "python")) {
            assertThat(ROOT.resolve("clients").resolve(client).resolve("LICENSE"))
                    .hasSameTextualContentAs(ROOT.resolve("LICENSE"));
        }
        assertThat(Files.readString(ROOT.resolve("pom.xml"))).contains("<offsetd.licence>Apache-2.0</offsetd.licence>");
        assertThat(Files.readString(ROOT.resolve("api-spec/openapi.yaml"))).contains("identifier: Apache-2.0");
    }

    private static String withoutBlocks(Path document) throws IOException {
        return CODE_BLOCK.matcher(Files.readString(document)).replaceAll("");
    }

    private static List<String> matches(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }

    /** Returns the link anchors of the headings: lower case, words joined by hyphens, repeated names numbered. */
    private static Set<String> anchors(Path document) throws IOException {
        Map<String, Integer> count = new HashMap<>();
        Set<String> anchors = new TreeSet<>();
        for (String heading : matches(HEADING, withoutBlocks(document))) {
            String anchor = heading.replaceAll("\\[([^]]*)\\]\\([^)]*\\)", "$1")
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-');
            int earlier = count.merge(anchor, 1, Integer::sum) - 1;
            anchors.add(earlier == 0 ? anchor : anchor + "-" + earlier);
        }
        return anchors;
    }

    @Test
    void linesOfProseAreShort() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path document : documents()) {
            String name = name(document);
            List<String> lines = withoutBlocks(document).lines().toList();
            for (String line : lines) {
                if (!line.startsWith("|")
                        && LINK_TARGET
                                        .matcher(CODE.matcher(line).replaceAll(""))
                                        .replaceAll("")
                                        .length()
                                > LINE_LENGTH) {
                    found.add(name + ": longer than " + LINE_LENGTH + ": " + line);
                }
            }
        }
        assertThat(found).isEmpty();
    }

    /** A row after an empty line is text with bars, not a part of the table before it. */
    @Test
    void rowsBelongToATable() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path document : documents()) {
            List<String> lines = withoutBlocks(document).lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                boolean begins = lines.get(i).startsWith("|")
                        && (i == 0 || !lines.get(i - 1).startsWith("|"));
                if (begins && (i + 1 == lines.size() || !lines.get(i + 1).startsWith("|--"))) {
                    found.add(name(document) + ": not in a table: " + lines.get(i));
                }
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void pagesAreShort() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path document : documents()) {
            String name = name(document);
            long lines = Files.readString(document).lines().count();
            if (lines > PAGE_LENGTH) {
                found.add(name + ": " + lines + " lines; at most " + PAGE_LENGTH);
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void retiredTermsAreNotUsed() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path document : documents()) {
            addRetired(name(document), CODE.matcher(withoutBlocks(document)).replaceAll("``"), found);
        }
        try (Stream<Path> templates = Files.walk(ROOT.resolve(TEMPLATES))) {
            for (Path template :
                    templates.filter(file -> file.toString().endsWith(".html")).toList()) {
                addRetired(name(template), Files.readString(template), found);
            }
        }
        addRetiredOf(new Yaml().load(Files.readString(ROOT.resolve(CONTRACT))), found);
        assertThat(found).isEmpty();
    }

    private static void addRetiredOf(Object contract, List<String> found) {
        if (contract instanceof List<?> list) {
            list.forEach(value -> addRetiredOf(value, found));
        } else if (contract instanceof Map<?, ?> map) {
            map.forEach((key, value) -> {
                if (value instanceof String text && (key.equals("description") || key.equals("summary"))) {
                    addRetired(CONTRACT, CODE.matcher(text).replaceAll("``"), found);
                } else {
                    addRetiredOf(value, found);
                }
            });
        }
    }

    private static void addRetired(String name, String text, List<String> found) {
        RETIRED.matcher(text)
                .results()
                .forEach(match -> found.add(name + ": \"" + match.group().strip() + "\" in: "
                        + text.substring(Math.max(0, match.start() - 40), Math.min(text.length(), match.end() + 40))
                                .replace('\n', ' ')));
    }

    private static String name(Path document) {
        return ROOT.relativize(document).toString();
    }

    @Test
    void snippetsAreValid() throws IOException, InterruptedException {
        List<String> broken = new ArrayList<>();
        for (Path document : documents()) {
            for (MatchResult snippet :
                    SNIPPET.matcher(Files.readString(document)).results().toList()) {
                String text = snippet.group(2).stripIndent();
                String fault = switch (snippet.group(1)) {
                    case "sh" -> faultOfShell(text);
                    case "json" -> text.contains("…") ? "" : faultOfYaml(text);
                    case "yaml" -> faultOfYaml(text);
                    default -> "";
                };
                if (!fault.isEmpty()) {
                    broken.add(name(document) + ": " + fault + "\n" + text);
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    private static String faultOfShell(String script) throws IOException, InterruptedException {
        Process shell = new ProcessBuilder("sh", "-n").redirectErrorStream(true).start();
        try (Writer input = shell.outputWriter()) {
            input.write(script);
        }
        String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return shell.waitFor() == 0 ? "" : output.strip();
    }

    /** Returns the syntax error of a YAML or JSON document (JSON is a subset of YAML), or empty text. */
    private static String faultOfYaml(String document) {
        try {
            new Yaml().load(document);
            return "";
        } catch (YAMLException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void everyDocumentIsInTheIndex() throws IOException {
        assertThat(Files.readString(ROOT.resolve("README.md"))).contains("(docs/README.md)");
        String index = Files.readString(DOCS.resolve("README.md"));
        try (Stream<Path> files = Files.list(DOCS)) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".md") && !name.equals("README.md")))
                    .isNotEmpty()
                    .allSatisfy(name -> assertThat(index).contains("(" + name + ")"));
        }
    }

    /** An engineer reads all of it in half an hour: a new reason replaces one that is obvious by now. */
    @Test
    void rationaleIsShortAndEachPageIsInItsIndex() throws IOException {
        Path folder = DOCS.resolve("rationale");
        String index = Files.readString(folder.resolve("README.md"));
        int words = 0;
        try (Stream<Path> files = Files.list(folder)) {
            for (Path page : files.toList()) {
                words += Files.readString(page).strip().split("\\s+").length;
                assertThat(page.getFileName().toString())
                        .satisfiesAnyOf(
                                name -> assertThat(name).isEqualTo("README.md"),
                                name -> assertThat(index).contains("](" + name + ")"));
            }
        }
        assertThat(words).isBetween(1_000, 8_000);
    }

    @Test
    void guideNamesEveryCallOfTheContract() throws IOException {
        Map<String, Map<String, Object>> contract =
                new Yaml().load(Files.readString(ROOT.resolve("api-spec/openapi.yaml")));
        Map<String, Object> paths = contract.getOrDefault("paths", Map.of());
        assertThat(paths).hasSizeGreaterThan(20);
        String guide = Files.readString(DOCS.resolve("api.md"));
        List<String> missing = new ArrayList<>();
        paths.forEach((path, item) -> {
            if (item instanceof Map<?, ?> methods) {
                for (String method : List.of("get", "put", "post", "delete")) {
                    String call = method.toUpperCase(Locale.ROOT) + " " + path;
                    if (methods.containsKey(method)
                            && !Pattern.compile(Pattern.quote(call) + "[`?]")
                                    .matcher(guide)
                                    .find()) {
                        missing.add(call);
                    }
                }
            }
        });
        assertThat(missing).isEmpty();
    }

    @Test
    void testsThatTheThreatModelNamesAreThere() throws IOException {
        Set<String> classes = new TreeSet<>();
        for (String sources : List.of(
                "server/src/test",
                "server/src/browser",
                "offset-extractor/src/test",
                "query/src/test",
                "packages/src/test",
                "cli/src/test")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(sources))) {
                files.map(file -> file.getFileName().toString())
                        .filter(name -> name.endsWith("Tests.java"))
                        .forEach(name -> classes.add(name.replace(".java", "")));
            }
        }
        assertThat(matches(TEST_CLASS, Files.readString(DOCS.resolve("security.md"))))
                .hasSizeGreaterThan(20)
                .isSubsetOf(classes);
    }

    /** JUnit finds no inputs in a folder of another package, and says nothing. */
    @Test
    void everyFuzzTargetIsListedAndItsInputsLieBesideIt() throws IOException {
        String listed = Files.readString(DOCS.resolve("fuzzing.md"));
        Set<Path> targets = new TreeSet<>();
        Set<Path> inputs = new TreeSet<>();
        for (String module : List.of("offset-extractor", "query", "packages", "server")) {
            Path java = ROOT.resolve(module).resolve("src/test/java");
            try (Stream<Path> files = Files.walk(java)) {
                files.filter(file -> file.toString().endsWith("FuzzTests.java"))
                        .map(file -> Path.of(java.relativize(file).toString().replace(".java", "")))
                        .forEach(targets::add);
            }
            Path resources = ROOT.resolve(module).resolve("src/test/resources");
            try (Stream<Path> files = Files.walk(resources)) {
                files.filter(file -> file.toString().endsWith("FuzzTestsInputs"))
                        .map(file ->
                                Path.of(resources.relativize(file).toString().replace("Inputs", "")))
                        .forEach(inputs::add);
            }
        }
        assertThat(inputs).hasSizeGreaterThan(10).isSubsetOf(targets);
        assertThat(targets)
                .allSatisfy(target -> assertThat(listed)
                        .contains("`" + target.getFileName().toString().replace("FuzzTests", "") + "`"));
    }
}
