package dev.offsetd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Order in which a process loads classes, without an AOT cache. */
class ClassLoadingIntegrationTests {

    @Test
    void classesOfMemoryAreLoadedBeforeAnythingIsRead() throws IOException {
        List<String> loaded = RequiredTool.at(Path.of(System.getProperty("java.home"), "bin", "java"))
                .output(
                        "-Xlog:class+load:stdout:none",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Offsetd.class.getName(),
                        "--version")
                .lines()
                .map(line -> line.split(" ", 2)[0])
                .toList();

        assertThat(loaded)
                .containsSubsequence(
                        "dev.offsetd.cli.Offsetd",
                        "jdk.internal.foreign.AbstractMemorySegmentImpl",
                        "dev.offsetd.cli.terminal.Console");
        assertThat(loaded)
                .containsSubsequence("jdk.internal.foreign.MemorySessionImpl", "dev.offsetd.cli.terminal.Console");
    }
}
