package dev.offsetd.server.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestIdsTests {

    @ParameterizedTest
    @ValueSource(strings = {"1", "job-7", "6d0c6a3b-6e0f-4d0c-8f6e-0a4d2c1b7a55", "a.b_c:d+e/f=g@h"})
    void callersIdIsKept(String id) {
        assertThat(RequestIds.choose(id)).isEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a\nb", "a\u001bb", "\u00fc", "<script>", "a\"b"})
    void idThatIsUnfitForLogsAndHeadersIsReplaced(String id) {
        assertThat(RequestIds.choose(id)).isNotEqualTo(id).matches("[0-9a-f-]{36}");
    }

    @Test
    void idsAreBoundedAndMadeUpWhenThereIsNone() {
        assertThat(RequestIds.choose("a".repeat(128))).hasSize(128);
        assertThat(RequestIds.choose("a".repeat(129))).hasSize(36);
        assertThat(RequestIds.choose(null)).hasSize(36);
    }
}
