package dev.offsetd.extractor.checklist;

import dev.offsetd.extractor.checklist.TestRuns.Result;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes down what became of every test that Maven runs, below the module's {@code target}. JUnit finds it by itself
 * wherever it is on the class path; it is public for that.
 */
public final class TestRunRecorder implements TestExecutionListener {

    /** Where a module's records lie, from its folder. */
    static final Path FOLDER = Path.of("target", "checklist");

    private final @Nullable Path folder;
    private TestRuns runs = new TestRuns();

    /** Records where Maven says that the module is; nothing if the tests are not run by Maven. */
    public TestRunRecorder() {
        String module = System.getProperty("basedir");
        this(module == null ? null : Path.of(module).resolve(FOLDER));
    }

    TestRunRecorder(@Nullable Path folder) {
        this.folder = folder;
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String reason) {
        switch (test.getSource().orElse(null)) {
            case MethodSource method -> runs.add(method.getClassName(), method.getMethodName(), Result.SKIPPED, reason);
            case ClassSource type -> runs.addSkippedClass(type.getClassName(), reason);
            case TestSource _ -> {}
            case null -> {}
        }
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        TestSource source = test.getSource().orElse(null);
        boolean passed = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        // A container that ended well says nothing: its tests do.
        if (source instanceof MethodSource method && (test.isTest() || !passed)) {
            runs.add(method.getClassName(), method.getMethodName(), resultOf(result), reasonOf(result));
        } else if (source instanceof ClassSource type && result.getStatus() == TestExecutionResult.Status.ABORTED) {
            runs.addSkippedClass(type.getClassName(), reasonOf(result));
        }
    }

    @Override
    public synchronized void testPlanExecutionFinished(TestPlan plan) {
        if (folder == null || runs.isEmpty()) {
            return;
        }
        try {
            runs.writeInto(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        runs = new TestRuns();
    }

    private static Result resultOf(TestExecutionResult result) {
        return switch (result.getStatus()) {
            case SUCCESSFUL -> Result.PASSED;
            case ABORTED -> Result.SKIPPED;
            case FAILED -> Result.FAILED;
        };
    }

    private static String reasonOf(TestExecutionResult result) {
        return result.getThrowable().map(Throwable::getMessage).orElse("");
    }
}
