package dev.offsetd.extractor.checklist;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Coverage of the reliability checklist by tests, as a document and as a list of gaps. */
public final class ReliabilityReport {

    private final List<Risk> risks;
    private final TestClasses.Found found;
    private final TestRuns runs;

    ReliabilityReport(List<Risk> risks, TestClasses.Found found, TestRuns runs) {
        this.risks = List.copyOf(risks);
        this.found = found;
        this.runs = runs;
    }

    /**
     * Reads the report on all modules of a repository. The tests must be compiled and, for {@link #gaps}, must have
     * run.
     */
    public static ReliabilityReport of(Path root) throws IOException {
        TestRuns runs = new TestRuns();
        for (Path module : TestClasses.modules(root)) {
            runs.readFrom(module.resolve(TestRunRecorder.FOLDER));
        }
        return new ReliabilityReport(Risks.ALL, TestClasses.ofModules(root), runs);
    }

    /** Returns the skipped tests of each risk with their reasons, one per line. */
    public List<String> skipped() {
        List<String> skipped = new ArrayList<>();
        for (Risk risk : risks) {
            for (CoveringTest test : testsOf(risk)) {
                runs.of(test)
                        .filter(run -> run.result() == TestRuns.Result.SKIPPED)
                        .ifPresent(
                                run -> skipped.add(name(risk) + ": " + name(test) + " was skipped: " + run.reason()));
            }
        }
        return skipped;
    }

    /**
     * Returns the gaps of the checklist, one per line. The list is empty if tests cover every risk and each of them
     * passed or was {@link #skipped}.
     */
    public List<String> gaps() {
        List<String> gaps = new ArrayList<>(found.mistakes());
        for (Risk risk : risks) {
            List<CoveringTest> tests = testsOf(risk);
            if (risk.applies() && tests.isEmpty()) {
                gaps.add(name(risk) + " has no test");
            }
            for (CoveringTest test : tests) {
                if (!risk.applies()) {
                    gaps.add(name(risk) + " does not apply, but " + name(test) + " names it");
                }
                gapOf(test).ifPresent(gap -> gaps.add(name(risk) + ": " + name(test) + " " + gap));
            }
        }
        for (CoveringTest test : found.tests()) {
            for (int row : test.rows()) {
                if (risks.stream().noneMatch(risk -> risk.number() == row)) {
                    gaps.add(name(test) + " names risk " + row + ", and there is none");
                }
            }
        }
        return gaps;
    }

    private Optional<String> gapOf(CoveringTest test) {
        return runs.of(test)
                .map(run -> switch (run.result()) {
                    case PASSED, SKIPPED -> Optional.<String>empty();
                    case FAILED -> Optional.of("failed");
                })
                .orElse(Optional.of("did not run"));
    }

    private List<CoveringTest> testsOf(Risk risk) {
        return found.tests().stream()
                .filter(test -> test.rows().contains(risk.number()))
                .sorted()
                .toList();
    }

    private static String name(Risk risk) {
        return "risk " + risk.number() + " (" + risk.title() + ")";
    }

    private static String name(CoveringTest test) {
        return test.simpleClassName() + "." + test.method();
    }

    /** Returns the failure modes, the guarantees and the test classes as Markdown, independent of test results. */
    public String page() {
        StringBuilder text = new StringBuilder("""
                # Reliability

                Failures of servers of this kind, and what offsetd guarantees. This page is generated from
                `@ChecklistRow`. `./offsetd test` fails if a risk has no [test](#tests), if one of its tests did not
                run (in CI also if it was skipped), or if this page is out of date. The
                [soak test](fuzzing.md#soak-test) is a long run under load while processes are killed.

                | risk | what happens | guarantee |
                |---|---|---|
                """);
        for (Risk risk : risks) {
            text.append("| ")
                    .append(risk.number())
                    .append(". ")
                    .append(cell(risk.title()))
                    .append(" | ")
                    .append(cell(risk.danger()))
                    .append(" | ")
                    .append(risk.applies() ? cell(risk.figure()) : "Does not apply. " + cell(risk.notApplying()))
                    .append(" |\n");
        }
        text.append("""

                ## Tests

                The test classes that cover each risk.

                | risk | tests |
                |---|---|
                """);
        for (Risk risk : risks) {
            text.append("| ")
                    .append(risk.number())
                    .append(". ")
                    .append(cell(risk.title()))
                    .append(" | ");
            text.append(testsOf(risk).stream()
                    .map(CoveringTest::file)
                    .distinct()
                    .sorted()
                    .map(file -> "[" + outerClass(file) + "](../" + file + ")")
                    .collect(Collectors.joining(", ")));
            text.append(" |\n");
        }
        return text.toString();
    }

    private static String cell(@Nullable String text) {
        return String.valueOf(text).replace("|", "\\|");
    }

    private static String outerClass(String file) {
        return file.substring(file.lastIndexOf('/') + 1).replace(".java", "");
    }
}
