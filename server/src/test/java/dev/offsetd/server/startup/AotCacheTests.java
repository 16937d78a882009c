package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A cache that is not used is told with the reason, and one is made only once the server is ready. */
@ExtendWith(OutputCaptureExtension.class)
class AotCacheTests {

    @TempDir
    private Path folder;

    private Path cache() {
        return folder.resolve("offsetd.aot");
    }

    private static AvailabilityChangeEvent<ReadinessState> ready() {
        return new AvailabilityChangeEvent<>(AotCacheTests.class, ReadinessState.ACCEPTING_TRAFFIC);
    }

    private void await(CapturedOutput output, String text) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!output.getAll().contains(text)) {
            assertThat(System.nanoTime())
                    .as("time until " + text + ": " + output)
                    .isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    @Test
    void reasonWhyACacheIsNotUsedIsNamed() throws IOException {
        Files.createFile(cache());
        assertThat(AotCache.unusable(cache())).contains("training failed", "training.log");

        Files.writeString(cache(), "cache");
        Files.writeString(folder.resolve("offsetd.aot.folder"), "/elsewhere\n");
        assertThat(AotCache.unusable(cache())).startsWith("was made in /elsewhere");

        Files.writeString(folder.resolve("offsetd.aot.folder"), folder + "\n");
        assertThat(AotCache.unusable(cache())).startsWith("is refused by this JVM");
    }

    @Test
    void unusableCacheIsAWarningAndNoCacheIsNone(CapturedOutput output) throws IOException {
        new AotCache(cache().toString(), "").whenReady(ready());
        new AotCache("", "").whenReady(ready());
        assertThat(output.getAll()).doesNotContain("AOT cache");

        Files.createFile(cache());
        new AotCache(cache().toString(), "").whenReady(ready());
        assertThat(output.getAll()).contains("WARN", "the AOT cache " + cache() + " is empty");
    }

    @Test
    void trainingBeginsWhenTheServerIsReadyAtTheLowestPriority(CapturedOutput output) throws Exception {
        Path programs = Files.writeString(
                folder.resolve("programs.sh"),
                "train_server() { echo \"offsetd: training $1 at priority $(nice)\"; }\n");
        AotCache cache = new AotCache(cache().toString(), programs.toString());
        assertThat(output.getAll()).doesNotContain("training");

        cache.whenReady(ready());

        await(output, "training " + folder + " at priority 19");
        assertThat(output.getAll()).as("a log line has its own prefix").doesNotContain("offsetd: training");
    }

    @Test
    void serverThatStopsEndsItsTraining(CapturedOutput output) throws Exception {
        Path programs = Files.writeString(
                folder.resolve("programs.sh"), "train_server() { echo \"process $$\"; exec sleep 600; }\n");
        AotCache cache = new AotCache(cache().toString(), programs.toString());
        cache.whenReady(ready());
        await(output, "process ");
        long pid = Long.parseLong(output.getAll().replaceAll("(?s).*process (\\d+).*", "$1"));
        ProcessHandle training = ProcessHandle.of(pid).orElseThrow();

        cache.destroy();

        training.onExit().get(60, TimeUnit.SECONDS);
        assertThat(training.isAlive()).isFalse();
    }
}
