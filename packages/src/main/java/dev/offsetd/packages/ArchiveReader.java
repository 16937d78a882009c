package dev.offsetd.packages;

import com.github.luben.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.ArchiveEntry;
import org.apache.commons.compress.archivers.ArchiveInputStream;
import org.apache.commons.compress.archivers.ar.ArArchiveInputStream;
import org.apache.commons.compress.archivers.cpio.CpioArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.tukaani.xz.ArrayCache;
import org.tukaani.xz.BasicArrayCache;
import org.tukaani.xz.XZInputStream;

/**
 * Finds the ELF files in a file, and in archives and compressed streams in it. It reads everything as a stream, once, within
 * the {@link ArchiveLimits}; it writes nothing to disk, and keeps only the start of a file.
 */
final class ArchiveReader {

    /** Memory limit of the decoder; {@code xz -9} needs 65 MiB. */
    private static final int MAX_XZ_KIBIBYTES = 66 << 10;

    private static final int BUFFER_BYTES = 1 << 16;

    private final ArchiveLimits limits;
    private final Sink sink;

    /** Windows of xz, which a stream of a hundred bytes may ask for: reused, so that many streams cost no more than one. */
    private final ArrayCache windows = new BasicArrayCache();

    private long entries;
    private long decompressedBytes;

    ArchiveReader(ArchiveLimits limits, Sink sink) {
        this.limits = limits;
        this.sink = sink;
    }

    interface Sink {

        /** Returns whether to read a file of this name. */
        boolean wants(EntryPath place);

        /**
         * Takes an ELF file; the reader skips the rest of the stream.
         *
         * @throws IOException if the file is unreadable
         */
        void elf(EntryPath place, InputStream file) throws IOException;

        /**
         * Takes note of a file that is neither an ELF file nor contains files.
         *
         * @throws IOException if one is not expected here
         */
        void other(EntryPath place) throws IOException;

        /** Reports an unreadable or broken file in an archive. */
        void skipped(EntryPath place, String reason);

        void progress(EntryPath place, long entries);
    }

    /**
     * Reads a file.
     *
     * @throws ArchiveLimitException if it exceeds a limit
     * @throws IOException if it is unreadable or malformed
     */
    void read(EntryPath place, InputStream file) throws IOException {
        PushbackInputStream whole = new PushbackInputStream(file, FileFormat.START_BYTES);
        FileFormat format = formatOf(whole);
        switch (format) {
            case ELF -> {
                if (sink.wants(place)) {
                    sink.elf(place, whole);
                }
            }
            case TAR, DEB, CPIO, RPM -> {
                if (place.archives() < limits.maxArchives()) {
                    archive(format, place, whole);
                }
            }
            case GZIP, XZ, ZSTD, BZIP2 -> {
                if (place.codings() < limits.maxCodings()) {
                    compressed(format, place, whole);
                }
            }
            case OTHER -> sink.other(place);
        }
    }

    /** Returns the format of a file at its start, which can be read again. */
    private static FileFormat formatOf(PushbackInputStream file) throws IOException {
        byte[] start = file.readNBytes(FileFormat.START_BYTES);
        file.unread(start);
        return FileFormat.of(start);
    }

    private void compressed(FileFormat format, EntryPath place, InputStream file) throws IOException {
        MeteredInput in = new MeteredInput(file, (_, _) -> {});
        try (InputStream coded = decoder(format, in, windows)) {
            read(place.decompressed(), bounded(coded, in));
        } catch (RuntimeException e) {
            throw broken(format, e);
        }
    }

    /** Limits the bytes that a decoder or a sparse file makes of its input. */
    private InputStream bounded(InputStream output, MeteredInput input) {
        long before = input.count();
        return new MeteredInput(output, (bytes, total) -> {
            decompressedBytes += bytes;
            if (decompressedBytes > limits.maxDecompressedBytes()) {
                throw new ArchiveLimitException("compressed and sparse parts exceed the limit of "
                        + limits.maxDecompressedBytes() + " decompressed bytes");
            }
            limits.requireRatio(input.count() - before, total);
        });
    }

    static InputStream decoder(FileFormat format, InputStream file, ArrayCache windows) throws IOException {
        InputStream in = new Buffer(file);
        return switch (format) {
            case GZIP -> new GZIPInputStream(in, BUFFER_BYTES);
            case XZ -> new XZInputStream(in, MAX_XZ_KIBIBYTES, true, windows);
            case ZSTD -> new ZstdInputStream(in);
            case BZIP2 -> new BZip2CompressorInputStream(in, true);
            default -> throw new IllegalArgumentException(format + " is not compressed");
        };
    }

    private void archive(FileFormat format, EntryPath place, PushbackInputStream file) throws IOException {
        if (format == FileFormat.RPM) {
            RpmLead.skip(file);
            switch (formatOf(file)) {
                case CPIO, GZIP, XZ, ZSTD, BZIP2 -> {}
                default ->
                    throw new IOException(
                            "the payload of the RPM is in an unknown format; expected a cpio archive, compressed or not");
            }
            // Its packages are not unpacked, as if lead and payload were the last archive but one.
            read(new EntryPath(place.path(), place.name(), limits.maxArchives() - 1, place.codings()), file);
            return;
        }
        HeaderBudget budget = new HeaderBudget(limits.maxHeaderBytes());
        MeteredInput in = new MeteredInput(file, budget);
        try (ArchiveInputStream<?> archive = opened(format, in)) {
            while (true) {
                budget.renew();
                Optional<ArchiveEntry> entry = Optional.ofNullable(archive.getNextEntry());
                budget.suspend();
                if (entry.isEmpty()) {
                    return;
                }
                if (++entries > limits.maxEntries()) {
                    throw new ArchiveLimitException("archives exceed the limit of " + limits.maxEntries() + " files");
                }
                EntryPath inside = place.inside(entry.get().getName());
                sink.progress(inside, entries);
                boolean sparse = entry.get() instanceof TarArchiveEntry tar && tar.isSparse();
                if (!entry.get().isDirectory()) {
                    readEntry(inside, sparse ? bounded(archive, in) : archive);
                }
                if (sparse) {
                    // Skipping a hole takes no time; reading the zeros of one may never end.
                    var _ = archive.skip(Long.MAX_VALUE);
                } else {
                    drain(archive);
                }
                // Some writers of image layers, such as umoci, pad neither the last file nor the archive.
                if (format == FileFormat.TAR && isAtEnd(file)) {
                    return;
                }
            }
        } catch (RuntimeException e) {
            throw broken(format, e);
        }
    }

    /** Skips a broken file in an archive; a broken archive fails at its next file. */
    private void readEntry(EntryPath place, InputStream archive) throws IOException {
        try {
            read(place, archive);
        } catch (ArchiveLimitException | CopyFailedException | FileSystemException e) {
            throw e;
        } catch (IOException e) {
            sink.skipped(place, PackageUnpacker.reason(e));
        }
    }

    private static ArchiveInputStream<?> opened(FileFormat format, InputStream in) {
        return switch (format) {
            case TAR -> new TarArchiveInputStream(in, "UTF-8");
            case DEB -> new ArArchiveInputStream(in);
            case CPIO -> new CpioArchiveInputStream(in, "UTF-8");
            default -> throw new IllegalArgumentException(format + " is not an archive");
        };
    }

    private static boolean isAtEnd(PushbackInputStream in) throws IOException {
        int next = in.read();
        if (next >= 0) {
            in.unread(next);
        }
        return next < 0;
    }

    private static void drain(InputStream in) throws IOException {
        byte[] scratch = new byte[1 << 13];
        while (in.read(scratch) >= 0) {
            // Skips the rest of the file.
        }
    }

    /** The libraries throw unchecked exceptions for invalid headers. */
    private static IOException broken(FileFormat format, RuntimeException e) {
        return new IOException("its " + format.name().toLowerCase(Locale.ROOT) + " part is broken: " + e, e);
    }

    /**
     * A buffer whose {@code available} is exact. {@link GZIPInputStream} treats a stream with nothing available as ended, but
     * a pipe may only be slow, and image layers often have one gzip stream per file.
     */
    private static final class Buffer extends BufferedInputStream {

        Buffer(InputStream in) {
            super(in, BUFFER_BYTES);
        }

        @Override
        public synchronized int available() throws IOException {
            mark(1);
            int next = read();
            reset();
            return next < 0 ? 0 : 1;
        }
    }

    /** Limits the bytes between two files of an archive, which the libraries keep in memory. */
    private static final class HeaderBudget implements MeteredInput.Meter {

        private final int maxBytes;
        private long left;
        private boolean running;

        HeaderBudget(int maxBytes) {
            this.maxBytes = maxBytes;
        }

        void renew() {
            left = maxBytes;
            running = true;
        }

        void suspend() {
            running = false;
        }

        @Override
        public void read(int bytes, long total) throws IOException {
            left -= running ? bytes : 0;
            if (left < 0) {
                throw new ArchiveLimitException(
                        "the header of a file in it exceeds the limit of " + maxBytes + " bytes");
            }
        }
    }

    /**
     * Start of an RPM package (RPM V4 format): a lead of 96 bytes and two headers, of which the first is padded to 8 bytes.
     * A compressed cpio archive follows.
     */
    private static final class RpmLead {

        private static final int LEAD_BYTES = 96;
        private static final int HEADER_MAGIC = 0x8eade801;
        private static final int INDEX_ENTRY_BYTES = 16;

        private RpmLead() {}

        /** Skips to the archive. */
        static void skip(InputStream in) throws IOException {
            try {
                in.skipNBytes(LEAD_BYTES);
                long signatureBytes = skipHeader(in, "signature");
                in.skipNBytes(-signatureBytes & 7);
                skipHeader(in, "header");
            } catch (EOFException e) {
                throw new IOException("the RPM package ends in its headers", e);
            }
        }

        /** @return its size in bytes */
        private static long skipHeader(InputStream in, String name) throws IOException {
            byte[] intro = in.readNBytes(16);
            if (intro.length < 16) {
                throw new EOFException();
            }
            ByteBuffer fields = ByteBuffer.wrap(intro);
            int magic = fields.getInt();
            if (magic != HEADER_MAGIC) {
                throw new IOException("the " + name + " of the RPM package starts with 0x" + Integer.toHexString(magic)
                        + "; expected 0x8eade801");
            }
            fields.getInt();
            long entries = Integer.toUnsignedLong(fields.getInt());
            long storeBytes = Integer.toUnsignedLong(fields.getInt());
            long size = entries * INDEX_ENTRY_BYTES + storeBytes;
            in.skipNBytes(size);
            return size;
        }
    }
}
