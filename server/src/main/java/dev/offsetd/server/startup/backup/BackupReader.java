package dev.offsetd.server.startup.backup;

import com.github.luben.zstd.ZstdInputStream;
import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Reads a backup sequentially and compares it with its manifest. The file is untrusted: it may be damaged, truncated,
 * or not a backup.
 */
final class BackupReader {

    private static final Pattern CHUNK = Pattern.compile("tables/([a-z][a-z0-9_]{0,62})/([0-9]{6,9})\\.copy");
    private static final int MAX_HEADER_BYTES = 64 << 10;
    private static final int MAX_MANIFEST_BYTES = 1 << 20;
    private static final int BUFFER_BYTES = 64 << 10;
    private static final byte[] ZSTD_MAGIC = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd};

    private final Path file;
    private final Progress progress;
    private final List<BackupManifest.SavedTable> seen = new ArrayList<>();
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private long bytesOfAll;

    private BackupReader(Path file, Progress progress) {
        this.file = file;
        this.progress = progress;
    }

    /**
     * Reads the header.
     *
     * @throws BackupFileException if the file is not a backup that this release can read
     */
    static BackupManifest.Header header(Path file) throws BackupFileException {
        BackupReader reader = new BackupReader(file, (step, table, rows, bytes) -> {});
        return reader.open(false, (tar, header) -> header);
    }

    /**
     * Reads the whole file.
     *
     * @param step label for {@code progress}
     * @return the manifest, which the content matches
     * @throws BackupFileException if the file is damaged; the sink may have received a part
     * @throws SQLException from the sink
     */
    static BackupManifest read(Path file, String step, TableSink sink, Progress progress)
            throws BackupFileException, SQLException {
        BackupReader reader = new BackupReader(file, progress);
        return reader.open(true, (tar, header) -> reader.tables(tar, header, step, sink));
    }

    private interface ContentReader<T, E extends Exception> {

        T from(TarEntries tar, BackupManifest.Header header) throws IOException, BackupFileException, E;
    }

    /** @param whole whether the file must end after the content that is read */
    private <T, E extends Exception> T open(boolean whole, ContentReader<T, E> reader) throws BackupFileException, E {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES)) {
            in.mark(ZSTD_MAGIC.length);
            if (!Arrays.equals(in.readNBytes(ZSTD_MAGIC.length), ZSTD_MAGIC)) {
                throw wrong("not an offsetd backup: the file is not compressed by zstd");
            }
            in.reset();
            try (ZstdInputStream plain = new ZstdInputStream(in);
                    BoundedHeaders headers = new BoundedHeaders(plain);
                    TarEntries tar = new TarEntries(headers)) {
                T result = reader.from(tar, header(tar));
                if (whole) {
                    requireEnd(plain);
                }
                return result;
            }
        } catch (NoSuchFileException e) {
            throw new BackupFileException(file + ": no such file", e);
        } catch (IOException e) {
            throw new BackupFileException(
                    file + ": damaged or truncated after " + location() + ": " + e.getMessage(), e);
        } catch (IllegalArgumentException
                | IndexOutOfBoundsException
                | NegativeArraySizeException
                | ArithmeticException e) {
            // Thrown by the library for an invalid archive header.
            throw new BackupFileException(file + ": damaged after " + location() + ": " + e.getMessage(), e);
        }
    }

    private BackupManifest.Header header(TarEntries tar) throws IOException, BackupFileException {
        TarArchiveEntry entry = tar.getNextEntry();
        if (entry == null || !entry.getName().equals(BackupWriter.HEADER)) {
            throw wrong("not an offsetd backup: its first file is "
                    + (entry == null ? "missing" : HostileText.quote(entry.getName())) + ", expected "
                    + BackupWriter.HEADER);
        }
        BackupManifest.Header header = json(tar, entry, MAX_HEADER_BYTES, BackupManifest.Header.class);
        if (!BackupManifest.Header.FORMAT.equals(header.format())) {
            throw wrong(BackupWriter.HEADER + ": format is " + HostileText.quote(String.valueOf(header.format()))
                    + ", expected \"" + BackupManifest.Header.FORMAT + '"');
        }
        if (!header.formatIsKnown()) {
            throw wrong(BackupWriter.HEADER + ": format version " + header.formatVersion() + ", expected "
                    + BackupManifest.Header.FORMAT_VERSION
                    + " or lower; restore it with the release that took it, or a later one");
        }
        if (header.schemaVersion() == null
                || !Pattern.matches("[0-9]{1,9}(\\.[0-9]{1,9}){0,3}", header.schemaVersion())
                || header.takenAt() == null) {
            throw wrong(BackupWriter.HEADER + ": expected schemaVersion and takenAt");
        }
        return header;
    }

    private BackupManifest tables(TarEntries tar, BackupManifest.Header header, String step, TableSink sink)
            throws IOException, BackupFileException, SQLException {
        PartialTable table = null;
        while (true) {
            TarArchiveEntry entry = tar.getNextEntry();
            if (entry == null) {
                throw wrong("truncated after " + location() + ": " + BackupWriter.MANIFEST + " is missing");
            }
            Matcher chunk = CHUNK.matcher(entry.getName());
            boolean isChunk = chunk.matches();
            if (table != null && !(isChunk && chunk.group(1).equals(table.name))) {
                sink.end();
                seen.add(table.end());
                table = null;
            }
            if (!isChunk) {
                return manifest(tar, entry, header);
            }
            if (table == null) {
                table = new PartialTable(chunk.group(1));
                begin(table.name, sink);
            }
            if (Integer.parseInt(chunk.group(2)) != table.chunks + 1) {
                throw wrong(entry.getName() + ": expected chunk " + (table.chunks + 1) + " of table " + table.name);
            }
            requireFile(entry);
            copy(tar, table, sink);
            progress.at(step, table.name, table.rows, bytesOfAll);
        }
    }

    private void begin(String name, TableSink sink) throws BackupFileException, SQLException {
        if (!TableRules.isLoadable(name)) {
            throw wrong("tables/" + name + ": unknown table");
        }
        if (seen.stream().anyMatch(earlier -> earlier.name().equals(name))) {
            throw wrong("tables/" + name + ": duplicate table");
        }
        sink.begin(name);
    }

    private void copy(TarEntries tar, PartialTable table, TableSink sink) throws IOException, SQLException {
        table.chunks++;
        for (int n = tar.read(buffer); n >= 0; n = tar.read(buffer)) {
            table.add(buffer, n);
            bytesOfAll += n;
            sink.add(buffer, n);
        }
    }

    private BackupManifest manifest(TarEntries tar, TarArchiveEntry entry, BackupManifest.Header header)
            throws IOException, BackupFileException {
        if (!entry.getName().equals(BackupWriter.MANIFEST)) {
            throw wrong("unexpected file " + HostileText.quote(entry.getName()) + "; expected a table or "
                    + BackupWriter.MANIFEST);
        }
        BackupManifest manifest = json(tar, entry, MAX_MANIFEST_BYTES, BackupManifest.class);
        if (!header.equals(manifest.header())) {
            throw wrong(BackupWriter.MANIFEST + " belongs to another backup than " + BackupWriter.HEADER);
        }
        if (manifest.tables() == null) {
            throw wrong(BackupWriter.MANIFEST + " has no tables");
        }
        compare(manifest.tables());
        if (tar.getNextEntry() != null) {
            throw wrong("unexpected file after " + BackupWriter.MANIFEST);
        }
        return manifest;
    }

    /** Requires that exactly the tables of the manifest are present, each with the expected content. */
    private void compare(List<BackupManifest.SavedTable> expected) throws BackupFileException {
        List<String> names = new ArrayList<>();
        for (BackupManifest.SavedTable table : expected) {
            if (table == null
                    || table.name() == null
                    || table.columns() == null
                    || table.columns().isEmpty()
                    || table.columns().stream().anyMatch(Objects::isNull)
                    || !TableRules.isLoadable(table.name())
                    || names.contains(table.name())) {
                throw wrong(BackupWriter.MANIFEST + ": expected tables of offsetd with columns, each once");
            }
            names.add(table.name());
            BackupManifest.SavedTable found = seen.stream()
                    .filter(candidate -> candidate.name().equals(table.name()))
                    .findFirst()
                    .orElseGet(() -> new PartialTable(table.name()).end());
            requireSame(table.name(), "rows", Long.toString(table.rows()), Long.toString(found.rows()));
            requireSame(table.name(), "chunks", Long.toString(table.chunks()), Long.toString(found.chunks()));
            requireSame(table.name(), "bytes", Long.toString(table.bytes()), Long.toString(found.bytes()));
            requireSame(table.name(), "a SHA-256 of", String.valueOf(table.sha256()), found.sha256());
        }
        String unnamed = seen.stream()
                .map(BackupManifest.SavedTable::name)
                .filter(name -> !names.contains(name))
                .collect(Collectors.joining(", "));
        if (!unnamed.isEmpty()) {
            throw wrong(BackupWriter.MANIFEST + " does not name " + unnamed);
        }
    }

    private void requireSame(String table, String what, String expected, String found) throws BackupFileException {
        if (!expected.equals(found)) {
            throw wrong("tables/" + table + ": damaged: it has " + what + " " + found + ", expected "
                    + HostileText.quote(expected));
        }
    }

    private <T> T json(TarEntries tar, TarArchiveEntry entry, int maxBytes, Class<T> type)
            throws IOException, BackupFileException {
        requireFile(entry);
        byte[] content = tar.readNBytes(maxBytes + 1);
        if (content.length > maxBytes) {
            throw wrong(entry.getName() + ": larger than " + maxBytes + " bytes");
        }
        try {
            T value = BackupWriter.JSON.readValue(content, type);
            if (value != null) {
                return value;
            }
        } catch (JacksonException e) {
            throw new BackupFileException(
                    file + ": " + entry.getName() + ": " + HostileText.quote(String.valueOf(e.getOriginalMessage())),
                    e);
        }
        throw wrong(entry.getName() + ": null, expected an object");
    }

    /** Requires zeros up to the end of the stream: the padding of the last tar block. Reading on also checks the zstd checksum. */
    private void requireEnd(InputStream plain) throws IOException, BackupFileException {
        for (int n = plain.read(buffer); n >= 0; n = plain.read(buffer)) {
            for (int i = 0; i < n; i++) {
                if (buffer[i] != 0) {
                    throw wrong("unexpected data after the end of the archive");
                }
            }
        }
    }

    private void requireFile(TarArchiveEntry entry) throws BackupFileException {
        if (entry.getLinkFlag() != TarConstants.LF_NORMAL || entry.isSparse()) {
            throw wrong(HostileText.quote(entry.getName()) + ": expected a plain file");
        }
    }

    private BackupFileException wrong(String what) {
        return new BackupFileException(file + ": " + what);
    }

    /** Returns the last complete table, for messages. */
    private String location() {
        return Optional.ofNullable(seen.isEmpty() ? null : seen.getLast())
                .map(table -> "table " + table.name())
                .orElse("its beginning");
    }

    /** Bounds the bytes between two files: the library reads a name in an extended header into memory, however long it is. */
    private static final class BoundedHeaders extends FilterInputStream {

        private static final int MAX_BYTES = 64 << 10;

        private boolean isHeader;
        private int bytes;

        BoundedHeaders(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int read = in.read(into, offset, length);
            if (isHeader && read > 0) {
                bytes += read;
                if (bytes > MAX_BYTES) {
                    throw new IOException("more than " + MAX_BYTES + " bytes of headers of a file");
                }
            }
            return read;
        }

        @Override
        public long skip(long count) throws IOException {
            byte[] skipped = new byte[Math.clamp(count, 0, BUFFER_BYTES)];
            return Math.max(0, read(skipped, 0, skipped.length));
        }
    }

    /** The files of an archive. Each is read to its end before the next one. */
    private static final class TarEntries extends TarArchiveInputStream {

        private final BoundedHeaders headers;

        TarEntries(BoundedHeaders headers) {
            super(headers);
            this.headers = headers;
        }

        @Override
        public @Nullable TarArchiveEntry getNextEntry() throws IOException {
            headers.bytes = 0;
            headers.isHeader = true;
            try {
                return super.getNextEntry();
            } finally {
                headers.isHeader = false;
            }
        }
    }

    private static final class PartialTable {

        private final String name;
        private final MessageDigest hash = DigestUtils.getSha256Digest();
        private int chunks;
        private long rows;
        private long bytes;

        PartialTable(String name) {
            this.name = name;
        }

        /** COPY writes one line per row and escapes line feeds in values. */
        void add(byte[] buffer, int length) {
            hash.update(buffer, 0, length);
            bytes += length;
            for (int i = 0; i < length; i++) {
                if (buffer[i] == '\n') {
                    rows++;
                }
            }
        }

        BackupManifest.SavedTable end() {
            return new BackupManifest.SavedTable(
                    name, List.of(), chunks, rows, bytes, HexFormat.of().formatHex(hash.digest()));
        }
    }
}
