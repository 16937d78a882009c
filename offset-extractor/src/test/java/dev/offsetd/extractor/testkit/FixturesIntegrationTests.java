package dev.offsetd.extractor.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The ground truth of the fixtures is true: several tools say the same, and so do several encodings of one source. */
class FixturesIntegrationTests {

    @ParameterizedTest
    @MethodSource("dev.offsetd.extractor.testkit.Fixture#all")
    void readelfSaysTheSame(Fixture fixture) throws IOException {
        assertThat(Readelf.definitions(fixture.debugFile(), fixture.order())).isEqualTo(fixture.expected());
    }

    /**
     * Compilers, DWARF versions and encodings of bit-fields differ, the layouts of one architecture do not. So the old
     * encoding of bit-fields, which counts from the other end, is checked against the new one.
     */
    @Test
    void everyEncodingOfOneArchitectureHasTheSameLayouts() {
        Map<String, List<String>> first = new HashMap<>();
        for (Fixture fixture : Fixture.all().toList()) {
            List<String> layouts = fixture.expected().stream()
                    .map(definition -> definition.kind() + " " + definition.name() + " " + definition.size() + " "
                            + definition.members() + definition.enumerators())
                    .distinct()
                    .sorted()
                    .toList();
            assertThat(layouts)
                    .as(fixture.toString())
                    .isEqualTo(first.computeIfAbsent(fixture.machine(), machine -> new ArrayList<>(layouts)));
        }
        assertThat(first).containsOnlyKeys("x86_64", "i386", "s390x");
    }
}
