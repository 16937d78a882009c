package dev.offsetd.extractor.checklist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.checklist.TestRuns.Result;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReliabilityReportTests {

    private static final Risk CRASH = new Risk(1, "Crash", "It ends.", "It never does.");
    private static final Risk LOOP = new Risk(2, "Loop", "It never ends.", "It does.");
    private static final Risk OTHERS = new Risk(3, "Others", "They fail.", "", "There are none.");

    private final TestRuns runs = new TestRuns();

    private static CoveringTest test(String className, String method, Integer... rows) {
        return new CoveringTest(
                "reader", className, method, Set.of(rows), "reader/src/test/java/" + className + ".java");
    }

    private ReliabilityReport report(CoveringTest... tests) {
        return new ReliabilityReport(
                List.of(CRASH, LOOP, OTHERS), new TestClasses.Found(Arrays.asList(tests), List.of()), runs);
    }

    @Test
    void nothingIsMissingWhenEveryRiskHasTestsThatPassed() {
        runs.add("ATests", "one", Result.PASSED, "");
        runs.add("ATests", "two", Result.PASSED, "");
        assertThat(report(test("ATests", "one", 1, 2), test("ATests", "two", 2)).gaps())
                .isEmpty();
    }

    @Test
    void riskWithoutATestIsMissing() {
        runs.add("ATests", "one", Result.PASSED, "");
        assertThat(report(test("ATests", "one", 1)).gaps()).containsExactly("risk 2 (Loop) has no test");
    }

    @Test
    void skippedTestIsListedAndSaysWhy() {
        runs.add("ATests", "one", Result.PASSED, "");
        runs.add("ATests", "one", Result.SKIPPED, "needs\na tool");
        runs.add("ATests", "two", Result.PASSED, "");
        ReliabilityReport report = report(test("ATests", "one", 1), test("ATests", "two", 2));
        assertThat(report.gaps()).isEmpty();
        assertThat(report.skipped()).containsExactly("risk 1 (Crash): ATests.one was skipped: needs a tool");
    }

    @Test
    void testOfASkippedClassIsListed() {
        runs.addSkippedClass("ATests", "not here");
        runs.add("BTests", "two", Result.PASSED, "");
        assertThat(report(test("ATests$Inner", "one", 1), test("BTests", "two", 2))
                        .skipped())
                .containsExactly("risk 1 (Crash): ATests.Inner.one was skipped: not here");
    }

    @Test
    void testThatDidNotRunIsMissing() {
        runs.add("ATests", "one", Result.PASSED, "");
        assertThat(report(test("ATests", "one", 1), test("ATests", "two", 2)).gaps())
                .containsExactly("risk 2 (Loop): ATests.two did not run");
    }

    @Test
    void failedTestIsMissingThoughItPassedBefore() {
        runs.add("ATests", "one", Result.FAILED, "");
        runs.add("ATests", "one", Result.PASSED, "");
        assertThat(report(test("ATests", "one", 1, 2)).gaps())
                .containsExactly("risk 1 (Crash): ATests.one failed", "risk 2 (Loop): ATests.one failed");
    }

    @Test
    void unknownOrInapplicableRiskIsAMistake() {
        runs.add("ATests", "one", Result.PASSED, "");
        assertThat(report(test("ATests", "one", 1, 2, 3, 4)).gaps())
                .containsExactly(
                        "risk 3 (Others) does not apply, but ATests.one names it",
                        "ATests.one names risk 4, and there is none");
    }

    @Test
    void mistakesInTheAnnotationsAreTold() {
        ReliabilityReport report = new ReliabilityReport(
                List.of(OTHERS), new TestClasses.Found(List.of(), List.of("A.b names a risk and is no test")), runs);
        assertThat(report.gaps()).containsExactly("A.b names a risk and is no test");
    }

    @Test
    void pageListsRisksAndTestClassesAndDoesNotDependOnTheRun() {
        ReliabilityReport report = report(
                test("a.BTests", "typesAreFine", 1), test("a.BTests", "alwaysEnds", 1), test("a.ATests", "ends", 1, 2));
        String page = report.page();
        assertThat(page.substring(page.indexOf("|---"))).isEqualTo("""
                |---|---|---|
                | 1. Crash | It ends. | It never does. |
                | 2. Loop | It never ends. | It does. |
                | 3. Others | They fail. | Does not apply. There are none. |

                ## Tests

                The test classes that cover each risk.

                | risk | tests |
                |---|---|
                | 1. Crash | [a.ATests](../reader/src/test/java/a.ATests.java), \
                [a.BTests](../reader/src/test/java/a.BTests.java) |
                | 2. Loop | [a.ATests](../reader/src/test/java/a.ATests.java) |
                | 3. Others |  |
                """);
        runs.add("a.ATests", "ends", Result.FAILED, "");
        assertThat(report.page()).isEqualTo(page);
    }
}
