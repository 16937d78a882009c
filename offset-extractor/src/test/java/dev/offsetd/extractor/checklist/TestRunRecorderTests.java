package dev.offsetd.extractor.checklist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.checklist.TestRuns.Result;
import dev.offsetd.extractor.checklist.TestRuns.Run;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class TestRunRecorderTests {

    @TempDir
    private Path folder;

    /** Not a test class by its name, so only this test runs it. */
    static class Sample {

        @Test
        void passes() {}

        @Test
        void fails() {
            throw new IllegalStateException("on purpose");
        }

        @Test
        @Disabled("not today")
        void isDisabled() {}

        @Test
        void isAborted() {
            Assumptions.abort("no tool");
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void isAbortedOnce(int number) {
            Assumptions.assumeTrue(number == 1, "only one");
        }
    }

    @Disabled("all of it")
    static class SkippedSample {

        @Test
        void neverRuns() {}
    }

    private Optional<Run> run(Class<?> type, String method) throws IOException {
        LauncherConfig config = LauncherConfig.builder()
                .enableTestExecutionListenerAutoRegistration(false)
                .addTestExecutionListeners(new TestRunRecorder(folder))
                .build();
        LauncherFactory.create(config)
                .execute(LauncherDiscoveryRequestBuilder.request()
                        .selectors(DiscoverySelectors.selectClass(type))
                        .build());
        TestRuns runs = new TestRuns();
        runs.readFrom(folder);
        return runs.of(new CoveringTest("m", type.getName(), method, Set.of(1), "f"));
    }

    @Test
    void everyEndOfATestIsRecorded() throws IOException {
        assertThat(run(Sample.class, "passes")).contains(new Run(Result.PASSED, ""));
        assertThat(run(Sample.class, "fails").map(Run::result)).contains(Result.FAILED);
        assertThat(run(Sample.class, "isDisabled").map(Run::result)).contains(Result.SKIPPED);
        assertThat(run(Sample.class, "isAborted").map(Run::reason))
                .hasValueSatisfying(reason -> assertThat(reason).contains("no tool"));
        assertThat(run(Sample.class, "isNotThere")).isEmpty();
    }

    @Test
    void oneSkippedCaseOfATestIsASkippedTest() throws IOException {
        assertThat(run(Sample.class, "isAbortedOnce").map(Run::result)).contains(Result.SKIPPED);
    }

    @Test
    void testsOfASkippedClassAreSkipped() throws IOException {
        assertThat(run(SkippedSample.class, "neverRuns")).contains(new Run(Result.SKIPPED, "all of it"));
    }

    @Test
    void junitFindsTheRecorder() {
        assertThat(ServiceLoader.load(TestExecutionListener.class)).hasAtLeastOneElementOfType(TestRunRecorder.class);
    }
}
