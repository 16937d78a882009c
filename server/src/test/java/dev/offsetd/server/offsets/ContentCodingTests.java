package dev.offsetd.server.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.query.SpooledBody;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
        assertThat(ContentCoding.accepted(header)).isEqualTo(coding);
    }

    @Test
    void sameBytesAreEncodedToTheSameBytes() throws IOException {
        byte[] bytes = "an answer".repeat(100).getBytes(StandardCharsets.US_ASCII);
        byte[] encoded = encoded(ContentCoding.GZIP, bytes);
        assertThat(encoded).hasSizeLessThan(bytes.length);
        assertThat(encoded(ContentCoding.GZIP, bytes)).isEqualTo(encoded);
        assertThat(encoded(ContentCoding.IDENTITY, bytes)).isEqualTo(bytes);
    }

    private static byte[] encoded(ContentCoding coding, byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        coding.encode(SpooledBody.of(body -> body.write(bytes)), out);
        return out.toByteArray();
    }
}
