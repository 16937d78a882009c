package dev.offsetd.extractor.dwarf.scan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compilers of C that may put a type inside another. */
class NestedTagsTests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GNU C 4.0.2",
                "GNU C 4.8.5 20150623 (Red Hat 4.8.5-44) -mtune=generic",
                "GNU C89 8.3.0 -m64",
                "GNU C17 12.2.0 -g",
                "Debian clang version 14.0.6"
            })
    void laterGccAndClangWriteEachTypeAtTheTopLevel(String producer) {
        assertThat(NestedTags.isFlat(producer)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "GNU C",
                "GNU C ",
                "GNU C17",
                "GNU C 3.3.5 (Debian 1:3.3.5-13)",
                "GNU C 2.95.4 20011002",
                "GNU C++17 12.2.0",
                "GNU C99999999999 12.2.0",
                "Sun C 5.8"
            })
    void olderGccAndUnknownCompilersMayNestThem(String producer) {
        assertThat(NestedTags.isFlat(producer)).isFalse();
    }
}
