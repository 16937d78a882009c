package dev.offsetd.extractor.layout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.IncompleteShape.Reason;
import java.util.List;
import org.junit.jupiter.api.Test;

class IncompleteShapeTests {

    @Test
    void reasonsAreKnownAgainByTheirTexts() {
        List<Reason> reasons = List.of(
                Reason.DECLARED,
                Reason.NOT_IN_BINARY,
                new Reason.Unsupported("DW_TAG_file_type"),
                new Reason.Unread("refers to itself"));
        assertThat(reasons)
                .allSatisfy(reason -> assertThat(Reason.of(reason.text())).isEqualTo(reason));
    }

    @Test
    void faultThatSpeaksOfDeclarationsIsNone() {
        assertThat(Reason.of("only declared, says the file")).isInstanceOf(Reason.Unread.class);
    }
}
