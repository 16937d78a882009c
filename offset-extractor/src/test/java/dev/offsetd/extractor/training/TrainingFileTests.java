package dev.offsetd.extractor.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.Limits;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TrainingFileTests {

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void fileHasTypesAndItsBuildId(TrainingFile training) throws Exception {
        Path file = Files.write(folder.resolve(training.fileName()), training.bytes());
        ReadOptions options = new ReadOptions(Limits.DEFAULT, 1);

        assertThat(DebugInfo.read(file, options, DebugInfo::facts).buildId())
                .isEqualTo(BuildId.parse(TrainingFile.BUILD_ID));
        assertThat(DebugInfo.read(file, options, DebugInfo::extractAll).types().definitionsNamed("object"))
                .isNotEmpty();
        assertThat(DebugInfo.read(file, options, DebugInfo::sections))
                .filteredOn(section -> section.name().equals(".debug_info"))
                .singleElement()
                .satisfies(
                        section -> assertThat(section.bytes() < 1_000).isEqualTo(training == TrainingFile.COMPRESSED));
    }
}
