package dev.offsetd.server.sources;

import static org.assertj.core.api.Assertions.assertThat;

import okhttp3.Headers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers of an upstream are passed on only if they are short, printable and of their form. */
class FileHeadersTests {

    private static FileHeaders headers(String name, String value) {
        return FileHeaders.of(Headers.of(name, value));
    }

    @Test
    void namesLoseTheirFolders() {
        assertThat(headers(FileHeaders.FILE, "/usr/bin/ruby 3").file()).isEqualTo("ruby 3");
        assertThat(headers(FileHeaders.ARCHIVE, "x").archive()).isEqualTo("x");
        assertThat(FileHeaders.of(Headers.of())).isEqualTo(FileHeaders.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "/usr/bin/", "a/b\tc"})
    void namesThatAreEmptyOrNotPrintableAreDropped(String name) {
        assertThat(headers(FileHeaders.FILE, name).file()).isNull();
        assertThat(headers(FileHeaders.FILE, "x".repeat(255)).file()).hasSize(255);
        assertThat(headers(FileHeaders.FILE, "x".repeat(256)).file()).isNull();
    }

    @Test
    void signaturesAreBytesInHexUpToALimit() {
        String longest = "0a".repeat(2048);
        assertThat(headers(FileHeaders.IMA_SIGNATURE, longest).imaSignature()).isEqualTo(longest);
        for (String refused : new String[] {longest + "0a", "0a0", "0g", ""}) {
            assertThat(headers(FileHeaders.IMA_SIGNATURE, refused).imaSignature())
                    .isNull();
        }
    }
}
