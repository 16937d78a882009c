package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinkedPathsTests {

    @TempDir
    private Path folder;

    private Path linking;
    private Path build;
    private Path elsewhere;

    @BeforeEach
    void createFiles() throws IOException {
        linking = Files.createFile(
                Files.createDirectories(folder.resolve("deploy").resolve("debug"))
                        .resolve("layout.debug"));
        build = Files.createDirectories(folder.resolve("build"));
        elsewhere = Files.createFile(build.resolve("layout.dwo"));
    }

    @Test
    void linksThatLeaveTheFolderAreIgnoredByDefault() {
        assertThat(LinkedPaths.BESIDE.candidates(linking, build.toString(), "layout.dwo"))
                .isEmpty();
        assertThat(LinkedPaths.BESIDE.candidates(linking, "", "../../build/layout.dwo"))
                .isEmpty();
    }

    @Test
    void linksThatLeaveTheFolderAreFollowedOnRequest() {
        assertThat(LinkedPaths.ANYWHERE.candidates(linking, build.toString(), "layout.dwo"))
                .containsExactly(elsewhere);
    }

    /** Builds that can be repeated anywhere record a relative folder. */
    @Test
    void relativeFolderCountsFromTheFoldersAboveTheFile() throws IOException {
        Path dwo =
                Files.createFile(Files.createDirectories(folder.resolve("obj")).resolve("s.dwo"));

        assertThat(LinkedPaths.ANYWHERE.candidates(linking, ".", "obj/s.dwo")).containsExactly(dwo);
        assertThat(LinkedPaths.BESIDE.candidates(linking, ".", "obj/s.dwo")).isEmpty();
    }

    @Test
    void relativeFolderCountsFromTheWorkingFolder() throws IOException {
        Path working = Path.of("").toAbsolutePath();
        Path dwo = Files.createTempFile(working.resolve("target"), "s", ".dwo");
        try {
            String name = working.relativize(dwo).toString();
            assertThat(LinkedPaths.ANYWHERE.candidates(linking, ".", name)).containsExactly(dwo);
        } finally {
            Files.delete(dwo);
        }
    }
}
