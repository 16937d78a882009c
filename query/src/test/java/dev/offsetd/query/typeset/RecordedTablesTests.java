package dev.offsetd.query.typeset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.input.ExtractionException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Maps in builds that no suite has, beside the tables of the OpenTelemetry eBPF profiler, commit b442421a, as
 * {@code dev/profilertables} prints them.
 */
class RecordedTablesTests {

    @ParameterizedTest
    @CsvSource({
        "3.1.2-amd64, 59, ''",
        "3.4.5-amd64, 60, ''",
        "3.4.5-arm64, 60, 'iseq_constant_body.size_of_iseq_constant_body: 352, 296'",
    })
    void mapOfRubyIsTheTableOfTheProfiler(String build, int names, String different)
            throws IOException, ExtractionException {
        SetBuild recorded = Runtimes.recorded().stream()
                .filter(candidate -> candidate.name().equals("ruby-" + build))
                .findAny()
                .orElseThrow();
        ProfilerTables.Table theirs =
                ProfilerTables.parse(Files.readString(CompiledRuntimes.resource("ruby-" + build + ".json")));

        List<ProfilerTables.Difference> differences = ProfilerTables.differences(
                "ruby",
                build.substring(0, build.indexOf('-')),
                theirs.values(),
                ProfilerTables.ours("ruby", recorded.source().files()));

        assertThat(theirs.values()).hasSize(names);
        assertThat(differences)
                .allSatisfy(difference -> assertThat(difference.reason()).isNotNull())
                .extracting(difference -> difference.name() + ": " + difference.theirs() + ", " + difference.ours())
                .containsExactlyElementsOf(different.isEmpty() ? List.of() : List.of(different));
    }
}
