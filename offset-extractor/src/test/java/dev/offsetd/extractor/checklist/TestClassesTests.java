package dev.offsetd.extractor.checklist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.checklist.TestRuns.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scan, over a small repository that is compiled for it. */
class TestClassesTests {

    private static final String SOURCES = "reader/src/test/java/a/";

    @TempDir
    private Path root;

    @BeforeEach
    void compile() throws IOException {
        write("reader/pom.xml", "");
        write("docs/x.md", "");
        write(SOURCES + "BothTests.java", """
                package a;

                import dev.offsetd.extractor.testkit.ChecklistRow;
                import org.junit.jupiter.api.Nested;
                import org.junit.jupiter.api.Test;
                import org.junit.jupiter.params.ParameterizedTest;
                import org.junit.jupiter.params.provider.ValueSource;

                @ChecklistRow(1)
                class BothTests {

                    @Test
                    @ChecklistRow({2, 3})
                    void ofBoth() {}

                    @ParameterizedTest
                    @ValueSource(ints = 1)
                    void ofTheClass(int number) {}

                    void isNoTest() {}

                    @Nested
                    class Inner {

                        @Test
                        void ofTheClassAround() {}
                    }
                }
                """);
        write(SOURCES + "WrongTests.java", """
                package a;

                import dev.offsetd.extractor.testkit.ChecklistRow;
                import org.junit.jupiter.api.Test;

                class WrongTests {

                    @Test
                    void ofNothing() {}

                    @ChecklistRow(1)
                    void isNoTest() {}
                }

                @ChecklistRow(2)
                class Empty {}
                """);
        List<String> arguments = new ArrayList<>(List.of(
                "-proc:none",
                "-classpath",
                System.getProperty("java.class.path"),
                "-d",
                root.resolve("reader/target/test-classes").toString()));
        try (Stream<Path> sources = Files.list(root.resolve(SOURCES))) {
            sources.map(Path::toString).forEach(arguments::add);
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
    }

    private void write(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @Test
    void testsNameTheRisksOfTheirMethodAndOfTheirClasses() throws IOException {
        String file = SOURCES + "BothTests.java";
        assertThat(TestClasses.ofModules(root).tests())
                .containsExactly(
                        new CoveringTest("reader", "a.BothTests", "ofBoth", Set.of(1, 2, 3), file),
                        new CoveringTest("reader", "a.BothTests", "ofTheClass", Set.of(1), file),
                        new CoveringTest("reader", "a.BothTests$Inner", "ofTheClassAround", Set.of(1), file));
    }

    @Test
    void annotationThatCoversNoTestIsAMistake() throws IOException {
        assertThat(TestClasses.ofModules(root).mistakes())
                .containsExactly(
                        "a.Empty names a risk and has no test", "a.WrongTests.isNoTest names a risk and is no test");
    }

    @Test
    void recordsOfAllRunsOfAModuleCount() throws IOException {
        assertThat(ReliabilityReport.of(root).gaps())
                .contains("risk 2 (Cyclic and deep DWARF): BothTests.ofBoth did not run");
        for (String method : List.of("ofBoth", "ofTheClass")) {
            TestRuns runs = new TestRuns();
            runs.add("a.BothTests", method, Result.PASSED, "");
            runs.writeInto(root.resolve("reader").resolve(TestRunRecorder.FOLDER));
        }
        assertThat(ReliabilityReport.of(root).gaps())
                .filteredOn(gap -> gap.contains("did not run"))
                .containsExactly("risk 1 (Hostile ELF and DWARF): BothTests.Inner.ofTheClassAround did not run");
    }
}
