package dev.offsetd.server.startup.backup;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.github.luben.zstd.Zstd;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * Backup files. The first byte says what the rest of the input is: the file; its archive, compressed here; its header; or its
 * manifest. Compression and checksums keep nearly all inputs of the first kind from getting far.
 */
@ChecklistRow(1)
class BackupFuzzTests {

    /** The fuzzer's instrumentation allocates 52 MB for malformed JSON, for which the code allocates 0.7 MB. */
    private static final boolean MEMORY_IS_BOUNDED = System.getenv("JAZZER_FUZZ") == null;

    private static final Progress UNSEEN = (step, table, rows, bytes) -> {};

    private static final BackupManifest.Header HEADER = new BackupManifest.Header(
            BackupManifest.Header.FORMAT,
            BackupManifest.Header.FORMAT_VERSION,
            "0.1.0",
            "34",
            "18.6",
            Instant.parse("2030-01-31T12:00:00Z"),
            false);

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        if (data.length == 0) {
            return;
        }
        byte[] rest = Arrays.copyOfRange(data, 1, data.length);
        Path file = Files.createTempFile("backup", ".zst");
        try {
            Files.write(
                    file,
                    switch (data[0] & 3) {
                        case 0 -> rest;
                        case 1 -> Zstd.compress(rest);
                        case 2 -> archive(rest, json(new BackupManifest(HEADER, List.of())));
                        default -> archive(json(HEADER), rest);
                    });
            long maxAllocated = MEMORY_IS_BOUNDED ? HostileRun.allocationBound(data.length) : Long.MAX_VALUE;
            HostileRun.answer("backup", maxAllocated, () -> read(file));
        } finally {
            Files.delete(file);
        }
    }

    private static long read(Path file) throws IOException {
        try {
            BackupReader.header(file);
            return BackupReader.read(file, "checking", TableSink.NONE, UNSEEN).rows();
        } catch (BackupFileException e) {
            String message = String.valueOf(e.getMessage());
            if (message.isBlank() || message.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalStateException("refused without a message that can be shown", e);
            }
            return -1;
        } catch (SQLException e) {
            throw new IllegalStateException("no database was asked", e);
        }
    }

    private static byte[] json(Object value) {
        return BackupWriter.JSON.writeValueAsString(value).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] archive(byte[] header, byte[] manifest) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
            put(tar, BackupWriter.HEADER, header);
            put(tar, BackupWriter.MANIFEST, manifest);
        }
        return Zstd.compress(bytes.toByteArray());
    }

    private static void put(TarArchiveOutputStream tar, String name, byte[] content) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setSize(content.length);
        tar.putArchiveEntry(entry);
        tar.write(content);
        tar.closeArchiveEntry();
    }
}
