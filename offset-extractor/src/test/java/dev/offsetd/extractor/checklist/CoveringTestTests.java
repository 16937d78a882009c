package dev.offsetd.extractor.checklist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CoveringTestTests {

    @ParameterizedTest
    @CsvSource({"a.b.CTests, CTests", "a.b.CTests$Cycles, CTests.Cycles", "CTests, CTests"})
    void classIsShownWithoutItsPackage(String className, String shown) {
        assertThat(new CoveringTest("m", className, "m", Set.of(1), "f").simpleClassName())
                .isEqualTo(shown);
    }
}
