package dev.offsetd.server.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 9110 sections 12.4.2 and 12.5.3. */
class ContentCodingTests {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gzip | GZIP",
                "GZIP | GZIP",
                "x-gzip | GZIP",
                "gzip, deflate, br | GZIP",
                "br;q=1.0, gzip;q=0.8, *;q=0.1 | GZIP",
                "* | GZIP",
                "identity;q=0.5, gzip | GZIP",
                "gzip;q=0.001, identity;q=0 | GZIP",
                "gzip;q=0 | IDENTITY",
                "gzip; q=0.0, * | IDENTITY",
                "*;q=0 | IDENTITY",
                "identity | IDENTITY",
                "identity, gzip;q=0.5 | IDENTITY",
                "deflate, br | IDENTITY",
                "'' | IDENTITY",
                "gzipped | IDENTITY",
            })
    void codingIsTheOneThatIsLikedMost(String header, ContentCoding coding) {
        assertThat(ContentCoding.accepted(header, ContentCoding.COMMON)).isEqualTo(coding);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gzip, zstd | ZSTD",
                "gzip | GZIP",
                "gzip;q=1.0, zstd;q=0.5 | GZIP",
                "* | ZSTD",
                "zstd;q=0, * | GZIP",
                "identity | IDENTITY",
                "br | IDENTITY",
            })
    void zstdIsPreferredWhereItIsOffered(String header, ContentCoding coding) {
        assertThat(ContentCoding.accepted(header, EnumSet.allOf(ContentCoding.class)))
                .isEqualTo(coding);
    }

    @Test
    void sameBytesAreEncodedToTheSameBytes() throws IOException {
        byte[] bytes = "an answer".repeat(100).getBytes(StandardCharsets.US_ASCII);
        for (ContentCoding coding : List.of(ContentCoding.GZIP, ContentCoding.ZSTD)) {
            byte[] encoded = encoded(coding, bytes);
            assertThat(encoded).hasSizeLessThan(bytes.length);
            assertThat(encoded(coding, bytes)).isEqualTo(encoded);
        }
        assertThat(encoded(ContentCoding.IDENTITY, bytes)).isEqualTo(bytes);
    }

    private static byte[] encoded(ContentCoding coding, byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (OutputStream encoded = coding.encoder(out)) {
            encoded.write(bytes);
        }
        return out.toByteArray();
    }
}
