package dev.offsetd.server.startup.backup;

import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes a backup: a tar archive compressed with zstd, which any tar can unpack. It contains {@code header.json}, the
 * rows of each table in the text format of PostgreSQL's {@code COPY} as {@code tables/NAME/000001.copy} and so on, and
 * {@code manifest.json}.
 */
final class BackupWriter implements AutoCloseable {

    static final String HEADER = "header.json";
    static final String MANIFEST = "manifest.json";

    static final JsonMapper JSON = JsonMapper.builder().build();

    /** Size at which a chunk ends. Rows are not split, so a large value makes a larger chunk. */
    private static final int CHUNK_BYTES = 4 << 20;

    /** Regular file, readable and writable by its owner. */
    private static final int MODE = 0100600;

    private final BackupManifest.Header header;
    private final Progress progress;
    private final TarArchiveOutputStream tar;
    private final List<BackupManifest.SavedTable> tables = new ArrayList<>();
    private long bytesOfAll;

    BackupWriter(OutputStream out, BackupManifest.Header header, Progress progress) throws IOException {
        this.header = header;
        this.progress = progress;
        ZstdOutputStream compressed = new ZstdOutputStream(out);
        compressed.setChecksum(true);
        tar = new TarArchiveOutputStream(compressed);
        put(HEADER, JSON.writeValueAsBytes(header));
    }

    /** Starts a table, after the previous one has ended. */
    TableWriter table(String name, List<String> columns) {
        return new TableWriter(name, columns);
    }

    /** Writes the manifest and ends the archive. */
    BackupManifest finish() throws IOException {
        BackupManifest manifest = new BackupManifest(header, List.copyOf(tables));
        put(MANIFEST, JSON.writeValueAsBytes(manifest));
        tar.finish();
        tar.flush();
        return manifest;
    }

    private void put(String name, byte[] content) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setSize(content.length);
        entry.setMode(MODE);
        entry.setModTime(FileTime.from(header.takenAt()));
        tar.putArchiveEntry(entry);
        tar.write(content);
        tar.closeArchiveEntry();
    }

    @Override
    public void close() throws IOException {
        tar.close();
    }

    final class TableWriter {

        private final String name;
        private final List<String> columns;
        private final MessageDigest hash = DigestUtils.getSha256Digest();
        private final ByteArrayOutputStream chunk = new ByteArrayOutputStream();
        private int chunks;
        private long rows;
        private long bytes;

        private TableWriter(String name, List<String> columns) {
            this.name = name;
            this.columns = columns;
        }

        /** Adds a row, including its line end. */
        void row(byte[] row) throws IOException {
            chunk.write(row);
            rows++;
            if (chunk.size() >= CHUNK_BYTES) {
                writeChunk();
            }
        }

        void end() throws IOException {
            if (chunk.size() > 0) {
                writeChunk();
            }
            tables.add(new BackupManifest.SavedTable(
                    name, columns, chunks, rows, bytes, HexFormat.of().formatHex(hash.digest())));
        }

        private void writeChunk() throws IOException {
            byte[] content = chunk.toByteArray();
            chunk.reset();
            chunks++;
            put("tables/%s/%06d.copy".formatted(name, chunks), content);
            hash.update(content);
            bytes += content.length;
            bytesOfAll += content.length;
            progress.at("saving", name, rows, bytesOfAll);
        }
    }
}
