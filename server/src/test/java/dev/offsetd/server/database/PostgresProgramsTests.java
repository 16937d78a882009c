package dev.offsetd.server.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresProgramsTests {

    @ParameterizedTest
    @ValueSource(strings = {"/postgres-linux-x86_64.txz", "/postgres-linux-arm_64.txz"})
    void hashOfEveryArchiveIsKnown(String name) throws Exception {
        URL archive = PostgresProgramsTests.class.getResource(name);
        assertThat(archive).as(name).isNotNull();
        try (InputStream known = PostgresPrograms.class.getResourceAsStream("postgres-programs.sha256")) {
            assertThat(known).isNotNull();
            assertThat(new String(known.readAllBytes(), StandardCharsets.US_ASCII))
                    .contains(PostgresPrograms.line(archive) + "\n");
        }
    }
}
