package dev.offsetd.extractor.checklist;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Which risk is covered by which tests: as a document, and as a list of what is missing. */
public final class ReliabilityReport {

    private final List<Risk> risks;
    private final TestClasses.Found found;
    private final TestRuns runs;

    ReliabilityReport(List<Risk> risks, TestClasses.Found found, TestRuns runs) {
        this.risks = List.copyOf(risks);
        this.found = found;
        this.runs = runs;
    }

    /** The report on all modules of a repository whose tests are compiled and, for {@link #gaps}, were run. */
    public static ReliabilityReport of(Path root) throws IOException {
        TestRuns runs = new TestRuns();
        for (Path module : TestClasses.modules(root)) {
            runs.readFrom(module.resolve(TestRunRecorder.FOLDER));
        }
        return new ReliabilityReport(Risks.ALL, TestClasses.ofModules(root), runs);
    }

    /** The tests of a risk that were skipped, a line each with the reason: here it was not looked whether the promise holds. */
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
     * What keeps the checklist from being covered, a line each; empty if every risk is, by tests that passed or were
     * {@link #skipped}.
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

    /** The document, in Markdown; it does not depend on what became of the tests. */
    public String document() {
        StringBuilder text = new StringBuilder("""
                # Reliability

                What goes wrong with servers of this kind, what offsetd promises instead, and the tests that hold it to that.
                This file is generated from the tests: each names the risks that it covers (`@ChecklistRow`). `./offsetd test`
                fails if a risk has no test, if one of these tests did not run, in CI also if it was skipped, and if this file is
                out of date.
                """);
        for (Risk risk : risks) {
            text.append("\n## ")
                    .append(risk.number())
                    .append(". ")
                    .append(risk.title())
                    .append("\n\n");
            text.append(risk.danger()).append("\n\n");
            if (!risk.applies()) {
                text.append("**Does not apply.** ").append(risk.notApplying()).append("\n");
                continue;
            }
            text.append("**Promise.** ").append(risk.figure()).append("\n");
            appendTests(text, testsOf(risk));
        }
        return text.toString();
    }

    private static void appendTests(StringBuilder text, List<CoveringTest> tests) {
        Map<String, List<CoveringTest>> byModule =
                tests.stream().collect(Collectors.groupingBy(CoveringTest::module, TreeMap::new, Collectors.toList()));
        byModule.forEach((module, ofModule) -> {
            text.append("\nTests of `").append(module).append("`:\n\n");
            Map<String, List<CoveringTest>> byClass = ofModule.stream()
                    .collect(Collectors.groupingBy(CoveringTest::className, TreeMap::new, Collectors.toList()));
            byClass.values().forEach(ofClass -> {
                CoveringTest first = ofClass.getFirst();
                text.append("- [")
                        .append(first.simpleClassName())
                        .append("](../")
                        .append(first.file())
                        .append("):\n");
                ofClass.stream()
                        .map(CoveringTest::inWords)
                        .distinct()
                        .forEach(words -> text.append("  - ").append(words).append("\n"));
            });
        });
    }
}
