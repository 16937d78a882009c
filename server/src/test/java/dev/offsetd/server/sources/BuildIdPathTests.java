package dev.offsetd.server.sources;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ChecklistRow(5)
class BuildIdPathTests {

    @Test
    void firstByteIsTheFolder() {
        Path folder = Path.of("/debug/.build-id");
        BuildId id = BuildId.parse("ABCDEF0123456789");
        assertThat(BuildIdPath.below(folder, id)).hasToString("/debug/.build-id/ab/cdef0123456789.debug");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ab/cdef0123456789.debug",
                "ab/cdef0123456789.debug.json",
                "ab/cdef0123456789.executable",
                "ab/cdef0123456789.sections.json"
            })
    void fileAndItsSidecarBelongToABuild(String path) {
        assertThat(BuildIdPath.keyOf(Path.of(path)))
                .hasValueSatisfying(key -> assertThat(key.id()).isEqualTo(BuildId.parse("abcdef0123456789")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ab",
                "ab/cdef.debug",
                "ab/cdef012345678.debug",
                "AB/CDEF0123456789.debug",
                "ab/cdef0123456789",
                "ab/cdef0123456789.json",
                "ab/cdef0123456789.debug.tmp",
                "tmp/incoming-1.part",
                "x/ab/cdef0123456789.debug",
            })
    void otherFilesBelongToNoBuild(String path) {
        assertThat(BuildIdPath.keyOf(Path.of(path))).isEmpty();
    }
}
