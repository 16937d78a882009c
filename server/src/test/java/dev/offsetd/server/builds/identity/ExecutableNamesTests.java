package dev.offsetd.server.builds.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.operations.compute.HeapShares;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.typesets.TypeSets;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ExecutableNamesTests {

    @TempDir
    private Path folder;

    /** A file may have as many names and sections as another has types. */
    @Test
    @Timeout(60)
    @ChecklistRow(2)
    void readingOfNamesTakesAShareOfTheHeap() throws Exception {
        Path file = Files.write(folder.resolve("file"), SmallBuild.debugFile());
        HeapShares shares = new HeapShares(1, 1 << 20);
        ExecutableNames names = new ExecutableNames(
                mock(TypeSets.class),
                shares,
                new ComputePool("files", 2, new PeriodicTasks(), new SimpleMeterRegistry()));
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> keys = shares.read(_ -> {
                Future<?> waiting = callers.submit(() -> names.keysOf(file, "00".repeat(32)));
                assertThatThrownBy(() -> waiting.get(300, TimeUnit.MILLISECONDS))
                        .isInstanceOf(TimeoutException.class);
                return waiting;
            });
            assertThat(keys.get()).isNotNull();
        }
    }
}
