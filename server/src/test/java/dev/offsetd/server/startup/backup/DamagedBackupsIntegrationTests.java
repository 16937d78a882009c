package dev.offsetd.server.startup.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import dev.offsetd.server.testkit.S3Service;
import dev.offsetd.server.testkit.TestDatabase;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A file that is not exactly what was written is refused, with the place, before anything is written. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DamagedBackupsIntegrationTests {

    private static final Progress UNSEEN = (step, table, rows, bytes) -> {};
    private static final String DEMAND = "tables/demand/000001.copy";

    private Path folder;
    private TestDatabase target;
    private Path sound;

    @BeforeAll
    void take(@TempDir Path scratch) throws Exception {
        folder = scratch;
        target = TestDatabase.empty();
        sound = folder.resolve("sound");
        TestDatabase source = TestDatabase.create();
        source.jdbc().sql("""
            insert into demand select decode(lpad(to_hex(n), 40, '0'), 'hex'), n, now(), now(), 'not_found'
            from generate_series(1, 500) as n
            """).update();
        try (NewFile written = NewFile.at(sound, false)) {
            new Backups(source.dataSource(), S3Service.store()).take(written.content(), "1.0", false, UNSEEN);
            written.finish();
        }
    }

    @AfterEach
    void nothingWasWritten() {
        assertThat(target.jdbc().sql("""
            select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where nspname in ('public', 'offsetd_restore')
            """).query(Long.class).single()).isZero();
    }

    private void refused(Path file, Class<? extends Exception> type, String... message) {
        assertThatThrownBy(() ->
                        new Restores(target.dataSource()).restore(file, Restores.check(file, UNSEEN), "test", UNSEEN))
                .isInstanceOf(type)
                .hasMessageContainingAll(message);
    }

    /** The files of the sound backup, changed, as another one. */
    private Path changed(Consumer<Map<String, byte[]>> change) throws IOException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        try (TarArchiveInputStream tar = new TarArchiveInputStream(new ZstdInputStream(Files.newInputStream(sound)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                files.put(entry.getName(), tar.readAllBytes());
            }
        }
        change.accept(files);
        Path file = folder.resolve("changed");
        try (TarArchiveOutputStream tar =
                new TarArchiveOutputStream(new ZstdOutputStream(Files.newOutputStream(file)))) {
            for (Map.Entry<String, byte[]> content : files.entrySet()) {
                TarArchiveEntry entry = new TarArchiveEntry(content.getKey());
                entry.setSize(content.getValue().length);
                tar.putArchiveEntry(entry);
                tar.write(content.getValue());
                tar.closeArchiveEntry();
            }
        }
        return file;
    }

    private static byte[] replaced(byte[] json, String from, String to) {
        String text = new String(json, StandardCharsets.UTF_8);
        assertThat(text).contains(from);
        return text.replace(from, to).getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void fileThatIsCutOffAnywhere() throws Exception {
        byte[] bytes = Files.readAllBytes(sound);
        Path cut = folder.resolve("cut");
        for (int i = 0; i < 40; i++) {
            Files.write(cut, Arrays.copyOf(bytes, (int) ((long) bytes.length * i / 40)));
            assertThatThrownBy(() -> BackupReader.read(cut, "checking", TableSink.NONE, UNSEEN))
                    .isInstanceOf(BackupFileException.class)
                    .hasMessageContaining("cut: ");
        }
        refused(cut, BackupFileException.class, "cut: damaged or truncated after ");
    }

    @Test
    void byteThatIsAnotherAnywhere() throws Exception {
        byte[] bytes = Files.readAllBytes(sound);
        byte[] content = decompressed(bytes).orElseThrow();
        Path flipped = folder.resolve("flipped");
        int damaged = 0;
        for (int i = 0; i < 200; i++) {
            byte[] other = bytes.clone();
            // Behind the header of the frame: another window size decompresses to the same bytes (RFC 8878 §3.1.1.1).
            other[18 + (int) ((bytes.length - 18L) * i / 200)] ^= (byte) (1 << (i % 8));
            // So does another encoding of the same sequences, which a bit may happen to select.
            if (decompressed(other).filter(same -> Arrays.equals(same, content)).isPresent()) {
                continue;
            }
            damaged++;
            Files.write(flipped, other);
            assertThatThrownBy(() -> BackupReader.read(flipped, "checking", TableSink.NONE, UNSEEN))
                    .as("bit %d of byte %d", i % 8, 18 + (int) ((bytes.length - 18L) * i / 200))
                    .isInstanceOf(BackupFileException.class);
        }
        assertThat(damaged).isGreaterThan(190);
    }

    private static Optional<byte[]> decompressed(byte[] frame) {
        try (ZstdInputStream in = new ZstdInputStream(new ByteArrayInputStream(frame))) {
            return Optional.of(in.readAllBytes());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Test
    void rowsThatWereChangedByHand() throws Exception {
        refused(
                changed(files -> files.computeIfPresent(DEMAND, (name, rows) -> replaced(rows, "\t7\t", "\t8\t"))),
                BackupFileException.class,
                "tables/demand: damaged: it has a SHA-256 of ");
        refused(
                changed(files -> files.computeIfPresent(DEMAND, (name, rows) -> Arrays.copyOf(rows, rows.length + 1))),
                BackupFileException.class,
                "tables/demand: damaged: it has bytes ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "header.json -> not an offsetd backup: its first file is \"tables/",
                "tables/demand/000001.copy -> tables/demand: damaged: it has rows 0, expected \"500\"",
                "manifest.json -> manifest.json is missing"
            })
    void fileThatIsMissingInIt(String name, String message) throws Exception {
        refused(changed(files -> files.remove(name)), BackupFileException.class, message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "tables/flyway_schema_history/000001.copy -> unknown table",
                "tables/spring_session/000001.copy -> unknown table",
                "../../etc/passwd -> unexpected file \"../../etc/passwd\"",
                "tables/demand/000003.copy -> expected chunk 2 of table demand",
            })
    void fileThatDoesNotBelongInIt(String name, String message) throws Exception {
        refused(
                changed(files -> {
                    byte[] manifest = files.remove(BackupWriter.MANIFEST);
                    byte[] demand = files.remove(DEMAND);
                    files.put(DEMAND, demand);
                    files.put(name, "x\n".getBytes(StandardCharsets.UTF_8));
                    files.put(BackupWriter.MANIFEST, manifest);
                }),
                BackupFileException.class,
                message);
    }

    @Test
    void somethingBehindTheManifest() throws Exception {
        refused(
                changed(files -> files.put("more", new byte[1])),
                BackupFileException.class,
                "unexpected file after manifest.json");
        Path longer = folder.resolve("longer");
        Files.write(longer, Files.readAllBytes(sound));
        Files.write(longer, new byte[] {1, 2, 3}, StandardOpenOption.APPEND);
        refused(longer, BackupFileException.class, "longer: damaged or truncated after ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "\"schemaVersion\":\" -> \"schemaVersion\":\"99 -> schema version 99",
                "\"formatVersion\":2 -> \"formatVersion\":3 -> format version 3, expected 2 or lower",
                "\"format\":\"offsetd backup\" -> \"format\":\"x\" -> format is \"x\"",
                "\"takenAt\":\" -> \"takenAt\":\"x -> header.json: ",
                "\"schemaVersion\":\" -> \"schemaVersion\":\"' -> expected schemaVersion and takenAt"
            })
    void headerOfALaterReleaseOrOfNone(String from, String to, String message) throws Exception {
        Path file = changed(files -> {
            files.computeIfPresent(BackupWriter.HEADER, (name, json) -> replaced(json, from, to));
            files.computeIfPresent(BackupWriter.MANIFEST, (name, json) -> replaced(json, from, to));
        });
        refused(file, Exception.class, message);
    }

    @Test
    void manifestOfAnotherBackup() throws Exception {
        refused(
                changed(files -> files.computeIfPresent(
                        BackupWriter.MANIFEST,
                        (name, json) -> replaced(json, "\"catalogues\":false", "\"catalogues\":true"))),
                BackupFileException.class,
                "manifest.json belongs to another backup than header.json");
    }

    @Test
    void columnsThatTheTablesDoNotHave() throws Exception {
        refused(
                changed(files -> files.computeIfPresent(
                        BackupWriter.MANIFEST,
                        (name, json) -> replaced(json, "\"first_asked\"", "\"a\\\") from program 'id' --\""))),
                BackupFileException.class,
                "table demand has no columns ");
    }

    @ParameterizedTest
    @CsvSource({
        "'\"tables\":', '\"other\":', manifest.json has no tables",
        "'\"first_asked\"', null, 'manifest.json: expected tables of offsetd with columns, each once'"
    })
    void manifestWithoutTablesOrNamesOfColumns(String from, String to, String message) throws Exception {
        refused(
                changed(files ->
                        files.computeIfPresent(BackupWriter.MANIFEST, (name, json) -> replaced(json, from, to))),
                BackupFileException.class,
                message);
    }

    @Test
    void fileOfAnotherFormatIsRefused() throws Exception {
        refused(folder.resolve("nowhere"), BackupFileException.class, "nowhere: no such file");
        Path text = Files.writeString(folder.resolve("text"), "once upon a time");
        refused(text, BackupFileException.class, "text: not an offsetd backup: the file is not compressed by zstd");
        Path zstd = folder.resolve("zstd");
        try (ZstdOutputStream out = new ZstdOutputStream(Files.newOutputStream(zstd))) {
            out.write("once upon a time".getBytes(StandardCharsets.UTF_8));
        }
        refused(zstd, BackupFileException.class, "zstd: ");
    }

    @Test
    void rowsThatTheTablesDoNotTake() throws Exception {
        Path file = written(writer -> {
            BackupWriter.TableWriter table =
                    writer.table("demand", List.of("build_id", "asked", "first_asked", "last_asked", "cause"));
            table.row("\\\\x0102030405060708\t1\tnow\tnow\tfirst\n".getBytes(StandardCharsets.UTF_8));
            table.row("\\\\x01\t1\tnow\tnow\ttoo short\n".getBytes(StandardCharsets.UTF_8));
            table.end();
        });
        refused(file, BackupFileException.class, "the database refused it", "COPY demand, line 2");
    }

    @Test
    void rowsThatReferToObjects() throws Exception {
        Path file = written(writer -> {
            BackupWriter.TableWriter builds = writer.table("builds", List.of("build_id", "state", "settled_at"));
            builds.row("\\\\x0102030405060708\textracted\tnow\n".getBytes(StandardCharsets.UTF_8));
            builds.end();
            BackupWriter.TableWriter types = writer.table("catalogues", List.of("build_id", "bytes", "object"));
            types.row(("\\\\x0102030405060708\t5\t\\\\x" + "ab".repeat(32) + "\n").getBytes(StandardCharsets.UTF_8));
            types.end();
        });
        refused(
                file,
                BackupFileException.class,
                "the database refused it",
                "is not present in table \"stored_objects\"");
    }

    /** A longer name is read into memory by the library. */
    @Test
    void headersBetweenTwoFilesAreBounded() throws Exception {
        Path file = folder.resolve("long-name");
        try (TarArchiveOutputStream tar =
                new TarArchiveOutputStream(new ZstdOutputStream(Files.newOutputStream(file)))) {
            TarArchiveEntry name = new TarArchiveEntry("././@LongLink", TarConstants.LF_GNUTYPE_LONGNAME);
            name.setSize(1 << 30);
            tar.putArchiveEntry(name);
            byte[] part = new byte[1 << 20];
            Arrays.fill(part, (byte) 'a');
            for (int i = 0; i < 1024; i++) {
                tar.write(part);
            }
            tar.closeArchiveEntry();
        }

        refused(file, BackupFileException.class, "more than 65536 bytes of headers of a file");
    }

    @ParameterizedTest
    @ValueSource(chars = {TarConstants.LF_SYMLINK, TarConstants.LF_LINK, TarConstants.LF_FIFO, TarConstants.LF_CHR})
    void onlyPlainFilesAreRead(char type) throws Exception {
        Path file = folder.resolve("link");
        try (TarArchiveOutputStream tar =
                new TarArchiveOutputStream(new ZstdOutputStream(Files.newOutputStream(file)))) {
            TarArchiveEntry entry = new TarArchiveEntry(BackupWriter.HEADER, (byte) type);
            entry.setLinkName("/etc/passwd");
            tar.putArchiveEntry(entry);
            tar.closeArchiveEntry();
        }

        refused(file, BackupFileException.class, "\"header.json\": expected a plain file");
    }

    @Test
    void tableWithoutTheRowThatServersNeed() throws Exception {
        Path file = written(
                writer -> writer.table("change_counter", List.of("value")).end());

        refused(file, BackupFileException.class, "tables/change_counter: 0 rows; expected 1");
    }

    @FunctionalInterface
    private interface Tables {
        void writeTo(BackupWriter writer) throws Exception;
    }

    private Path written(Tables tables) throws Exception {
        Path file = folder.resolve("unfit");
        String schema = BackupReader.header(sound).schemaVersion();
        BackupManifest.Header header = new BackupManifest.Header(
                BackupManifest.Header.FORMAT,
                BackupManifest.Header.FORMAT_VERSION,
                "1.0",
                schema,
                "18.6",
                Instant.now(),
                false);
        try (NewFile written = NewFile.at(file, true)) {
            try (BackupWriter writer = new BackupWriter(written.content(), header, UNSEEN)) {
                tables.writeTo(writer);
                writer.finish();
            }
            written.finish();
        }
        return file;
    }
}
