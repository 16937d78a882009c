package dev.offsetd.extractor.checklist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CoveringTestTests {

    @ParameterizedTest
    @CsvSource({
        "siblingPointingBackwardsIsMalformed, sibling pointing backwards is malformed",
        "fileCutAtEvery64thByteIsAnAnswer, file cut at every 64th byte is an answer",
        "lebOf128BitsFits, leb of 128 bits fits",
        "aBuildIsNone, a build is none",
        "usesHTTP2Only, uses HTTP 2 only",
        "plain, plain"
    })
    void nameOfAMethodIsReadAsWords(String method, String words) {
        assertThat(new CoveringTest("m", "a.BTests", method, Set.of(1), "f").inWords())
                .isEqualTo(words);
    }

    @ParameterizedTest
    @CsvSource({"a.b.CTests, CTests", "a.b.CTests$Cycles, CTests.Cycles", "CTests, CTests"})
    void classIsShownWithoutItsPackage(String className, String shown) {
        assertThat(new CoveringTest("m", className, "m", Set.of(1), "f").simpleClassName())
                .isEqualTo(shown);
    }
}
