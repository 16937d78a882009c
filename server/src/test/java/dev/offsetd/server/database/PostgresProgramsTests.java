package dev.offsetd.server.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresProgramsTests {

    @TempDir
    private Path folder;

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

    @Test
    void programsBesideTheJarAreUsedInsteadOfUnpackedOnes() throws Exception {
        Path jar = Files.createFile(folder.resolve("server.jar"));
        Path data = Files.createDirectories(folder.resolve("data"));
        Path unpacked = PostgresPrograms.in(data.resolve("postgres-bin"), jar).program("postgres");
        assertThat(unpacked).startsWith(data).isExecutable();
        byte[] program = Files.readAllBytes(unpacked);

        PostgresPrograms.unpackTo(folder.resolve("postgresql"));
        Path shipped = PostgresPrograms.in(data.resolve("postgres-bin"), jar).program("postgres");

        assertThat(shipped)
                .isEqualTo(folder.resolve("postgresql/bin/postgres"))
                .isExecutable()
                .hasBinaryContent(program);
        assertThat(data).isEmptyDirectory();
    }
}
