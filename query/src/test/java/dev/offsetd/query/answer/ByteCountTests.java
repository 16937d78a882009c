package dev.offsetd.query.answer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteCountTests {

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "0; 0 bytes",
                "1; 1 byte",
                "1023; 1,023 bytes",
                "1024; 1.0 KiB",
                "1536; 1.5 KiB",
                "1023948; 999.9 KiB",
                "1024000; 1.0 MiB",
                "1048524; 1.0 MiB",
                "1048575; 1.0 MiB",
                "5368709120; 5.0 GiB",
                "9223372036854775807; 8,388,608.0 TiB"
            })
    void sizeIsInTheLargestUnitThatItFills(long bytes, String text) {
        assertThat(ByteCount.text(bytes)).isEqualTo(text);
    }
}
