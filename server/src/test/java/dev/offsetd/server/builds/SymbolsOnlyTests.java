package dev.offsetd.server.builds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.server.sources.outcome.Origin;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SymbolsOnlyTests {

    private static final Upload MINE =
            new Upload(UUID.fromString("00000000-0000-0000-0000-000000000001"), "a", true, 0);
    private static final Upload OTHERS =
            new Upload(UUID.fromString("00000000-0000-0000-0000-000000000002"), "a", true, 0);

    private static SymbolsOnly symbols(int count, @Nullable Upload upload, String sha256, int extractor) {
        return new SymbolsOnly(
                new StoredFile(
                        new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN),
                        upload == null ? Origin.DEBUGINFOD : Origin.UPLOAD,
                        "somewhere",
                        sha256,
                        1,
                        "build-id note",
                        new PartVersions(3, extractor),
                        Instant.EPOCH,
                        0,
                        null,
                        upload,
                        null),
                count);
    }

    @Test
    void sourceOutranksAnUpload() {
        SymbolsOnly ofSource = symbols(1, null, "aa", 3);
        SymbolsOnly ofUpload = symbols(9, MINE, "bb", 3);
        assertThat(ofSource.replaces(ofUpload)).isTrue();
        assertThat(ofUpload.replaces(ofSource)).isFalse();
    }

    @Test
    void fewerSymbolsOfASourceDoNotReplaceMore() {
        assertThat(symbols(1, null, "aa", 3).replaces(symbols(2, null, "bb", 3)))
                .isFalse();
        assertThat(symbols(2, null, "aa", 3).replaces(symbols(2, null, "bb", 3)))
                .isTrue();
    }

    @Test
    void onlyTheSameTokenReplacesAnUploadWithMoreSymbolsOrANewerReading() {
        SymbolsOnly known = symbols(5, MINE, "aa", 3);
        assertThat(symbols(6, OTHERS, "bb", 3).replaces(known)).isFalse();
        assertThat(symbols(6, MINE, "bb", 3).replaces(known)).isTrue();
        assertThat(symbols(5, MINE, "bb", 3).replaces(known)).isFalse();
        assertThat(symbols(5, MINE, "aa", 3).replaces(known)).isFalse();
        assertThat(symbols(5, MINE, "aa", 4).replaces(known)).isTrue();
    }
}
