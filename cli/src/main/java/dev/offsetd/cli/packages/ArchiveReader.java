package dev.offsetd.cli.packages;

import com.github.luben.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.ArchiveEntry;
import org.apache.commons.compress.archivers.ArchiveInputStream;
import org.apache.commons.compress.archivers.ar.ArArchiveInputStream;
import org.apache.commons.compress.archivers.cpio.CpioArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * Goes through a file of one path, and through archives and compressed streams in it, and hands out every ELF file. Everything
 * is read as a stream, once; nothing is written to disk, and of no file more than its start is kept. What an archive holds is
 * believed only as far as {@link ArchiveLimits} go.
 */
final class ArchiveReader {

    /** What decompressing may take; {@code xz -9} needs 65 MiB. */
    private static final int MAX_XZ_KIBIBYTES = 256 << 10;

    private static final int BUFFER_BYTES = 1 << 16;

    private final ArchiveLimits limits;
    private final Sink sink;
    private long entries;
    private long decompressedBytes;

    ArchiveReader(ArchiveLimits limits, Sink sink) {
        this.limits = limits;
        this.sink = sink;
    }

    /** Gets what was found. */
    interface Sink {

        /** Whether files of this name are wanted. */
        boolean wants(Place place);

        /**
         * Gets an ELF file; what it leaves of it is skipped.
         *
         * @throws IOException if it cannot be read
         */
        void elf(Place place, InputStream file) throws IOException;

        /** Told of a file inside of an archive that cannot be read, or is broken. */
        void passedOver(Place place, String reason);

        /** Told now and then that there is progress. */
        void progress(Place place, long entries);
    }

    /**
     * Reads a file from its first byte to its end, or to where it is of no more interest.
     *
     * @throws ArchiveLimitException if it asks for too much
     * @throws IOException if it cannot be read, or breaks its format's rules
     */
    void read(Place place, InputStream file) throws IOException {
        PushbackInputStream whole = new PushbackInputStream(file, Format.START_BYTES);
        byte[] start = whole.readNBytes(Format.START_BYTES);
        whole.unread(start);
        Format format = Format.of(start);
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
            case OTHER -> {
                // Most files are of no interest.
            }
        }
    }

    private void compressed(Format format, Place place, InputStream file) throws IOException {
        MeteredInput in = new MeteredInput(file, (_, _) -> {});
        try (InputStream coded = decoder(format, new Buffer(in))) {
            InputStream bounded = new MeteredInput(coded, (bytes, total) -> {
                decompressedBytes += bytes;
                if (decompressedBytes > limits.maxDecompressedBytes()) {
                    throw new ArchiveLimitException("more than " + limits.maxDecompressedBytes()
                            + " bytes come out of its compressed parts, which is the limit");
                }
                if (total > limits.freeBytes() && total / limits.maxCompressionRatio() > in.count()) {
                    throw new ArchiveLimitException("a compressed part gives " + total + " bytes out of " + in.count()
                            + ", more than " + limits.maxCompressionRatio() + " for one, which is the limit");
                }
            });
            read(place.decompressed(), bounded);
        } catch (RuntimeException e) {
            throw broken(format, e);
        }
    }

    private static InputStream decoder(Format format, InputStream in) throws IOException {
        return switch (format) {
            case GZIP -> new GZIPInputStream(in, BUFFER_BYTES);
            case XZ -> new XZInputStream(in, MAX_XZ_KIBIBYTES);
            case ZSTD -> new ZstdInputStream(in);
            case BZIP2 -> new BZip2CompressorInputStream(in, true);
            default -> throw new IllegalArgumentException(format + " is not compressed");
        };
    }

    private void archive(Format format, Place place, InputStream file) throws IOException {
        if (format == Format.RPM) {
            RpmLead.skip(file);
            // The files of the package count as directly in it, however many formats that takes.
            read(new Place(place.path(), place.name(), limits.maxArchives() - 1, place.codings()), file);
            return;
        }
        HeaderBudget budget = new HeaderBudget(limits.maxHeaderBytes());
        try (ArchiveInputStream<?> archive = opened(format, new MeteredInput(file, budget))) {
            while (true) {
                budget.renew();
                Optional<ArchiveEntry> entry = Optional.ofNullable(archive.getNextEntry());
                budget.suspend();
                if (entry.isEmpty()) {
                    return;
                }
                if (++entries > limits.maxEntries()) {
                    throw new ArchiveLimitException(
                            "more than " + limits.maxEntries() + " files in archives, which is the limit");
                }
                Place inside = place.inside(entry.get().getName());
                sink.progress(inside, entries);
                if (!entry.get().isDirectory()) {
                    readEntry(inside, archive);
                }
                drain(archive);
            }
        } catch (RuntimeException e) {
            throw broken(format, e);
        }
    }

    /** A broken file in an archive does not keep the others from being read; a broken archive fails at the next of them. */
    private void readEntry(Place place, InputStream archive) throws IOException {
        try {
            read(place, archive);
        } catch (ArchiveLimitException e) {
            throw e;
        } catch (IOException e) {
            sink.passedOver(place, Objects.requireNonNullElse(e.getMessage(), e.toString()));
        }
    }

    private static ArchiveInputStream<?> opened(Format format, InputStream in) {
        return switch (format) {
            case TAR -> new TarArchiveInputStream(in, "UTF-8");
            case DEB -> new ArArchiveInputStream(in);
            case CPIO -> new CpioArchiveInputStream(in, "UTF-8");
            default -> throw new IllegalArgumentException(format + " is no archive");
        };
    }

    private static void drain(InputStream in) throws IOException {
        byte[] scratch = new byte[1 << 13];
        while (in.read(scratch) >= 0) {
            // Of a file that is read to its end nothing is left.
        }
    }

    /** The libraries throw these where a header holds what nobody writes. */
    private static IOException broken(Format format, RuntimeException e) {
        return new IOException("its " + format.name().toLowerCase(Locale.ROOT) + " part is broken: " + e, e);
    }

    /**
     * A buffer that knows whether there is more. {@link GZIPInputStream} takes a stream of which nothing is available for one
     * that has ended; a pipe is often waited for, and a layer of an image often has a stream for each file.
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

    /** What an archive may hold between two files; the libraries keep that in memory whatever it says of its size. */
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
                        "the header of a file in it has more than " + maxBytes + " bytes, which is the limit");
            }
        }
    }
}
