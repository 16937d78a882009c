package dev.offsetd.extractor.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The part of the corpus that is compiled here in seconds. */
class CorpusIntegrationTests {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "clang-dwarf5",
                "gcc-lto",
                "gcc-type-units4",
                "gcc-type-units5",
                "gcc-split4",
                "s390x-dwarf3",
                "dwz-m",
                "gcc-spellings",
                "clang-spellings",
                "gcc-declarators",
                "gcc-bounds",
                "clang-bounds",
                "gcc-declared",
                "gcc-variants",
                "fortran",
                "ada",
                "pascal",
                "d",
                "d-modules",
                "fortran-modules",
                "clang-gmodules",
                "clang-objc"
            })
    void everyDefinitionAgreesWithTheDumps(String name) throws IOException, ExtractionException {
        CorpusEntry entry = new Compiled(folder)
                .entries().stream()
                        .filter(candidate -> candidate.name().equals(name))
                        .findAny()
                        .orElseThrow();
        long definitions = 0;
        for (CorpusFile file : entry.source().files()) {
            for (Oracle oracle : file.oracles()) {
                Comparison comparison = new Comparison(oracle.definitions(file));
                try (DebugInfo info =
                        DebugInfo.open(file.path(), new ReadOptions(Limits.DEFAULT, 1).followingAnyPath())) {
                    info.forEachDefinition(definition -> comparison.add(ReadDefinition.comparable(definition)));
                }
                Comparison.Result result = comparison.finish();
                assertThat(result.differences()).as("%s", oracle).isEmpty();
                definitions += result.definitions();
            }
        }
        // A library whose types are all in its modules has none itself.
        assertThat(definitions).isGreaterThan(2);
    }
}
