package dev.offsetd.packages;

import dev.offsetd.extractor.input.ExtractionException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PushbackInputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.tukaani.xz.BasicArrayCache;

/** Copies the ELF files of a package, archive or image to a folder, within the {@link ArchiveLimits}. */
public final class PackageUnpacker {

    private PackageUnpacker() {}

    /** Takes the copies, one at a time. */
    public interface Taker {

        /**
         * Returns whether to copy an ELF file.
         *
         * @param place the path of the package, and the names inside of archives after each {@code !}
         */
        default boolean wants(String place) {
            return true;
        }

        /**
         * Takes an ELF file.
         *
         * @param place the path of the package, and the names inside of archives after each {@code !}
         * @return whether to keep the copy
         * @throws IOException if the copy cannot be read: the disk has failed
         * @throws ExtractionException if it is malformed or unsupported: a file in an archive is skipped
         */
        boolean take(String place, Path copy) throws IOException, ExtractionException;

        /** Takes note of a file in the package that is unreadable. */
        void skipped(String place, String reason);
    }

    /** Returns whether the file is a package, an archive or compressed. */
    public static boolean isPackage(Path file) throws IOException {
        FileFormat format = format(file);
        return format != FileFormat.ELF && format != FileFormat.OTHER;
    }

    public static boolean isElf(Path file) throws IOException {
        return format(file) == FileFormat.ELF;
    }

    /** Returns what a file is, such as "a Debian package". */
    public static String description(Path file) throws IOException {
        return format(file).description();
    }

    /** Returns why a package cannot be read. Some decoders have no words for the end of their input. */
    public static String reason(IOException e) {
        return e instanceof EOFException
                ? "it ends too early"
                : Objects.requireNonNullElse(e.getMessage(), e.toString());
    }

    private static FileFormat format(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return FileFormat.of(in.readNBytes(FileFormat.START_BYTES));
        }
    }

    /**
     * Returns the contents of a file that is compressed or not.
     *
     * @throws IOException if it is malformed; reading throws {@link ArchiveLimitException} beyond a limit
     */
    public static InputStream decompressed(InputStream file, long maxBytes) throws IOException {
        PushbackInputStream whole = new PushbackInputStream(file, FileFormat.START_BYTES);
        byte[] start = whole.readNBytes(FileFormat.START_BYTES);
        whole.unread(start);
        MeteredInput in = new MeteredInput(whole, (_, _) -> {});
        FileFormat format = FileFormat.of(start);
        InputStream contents = switch (format) {
            case GZIP, XZ, ZSTD, BZIP2 -> ArchiveReader.decoder(format, in, new BasicArrayCache());
            default -> in;
        };
        return new MeteredInput(contents, (_, total) -> {
            if (total > maxBytes) {
                throw new ArchiveLimitException("it exceeds the limit of " + maxBytes + " decompressed bytes");
            }
            ArchiveLimits.INDEX.requireRatio(in.count(), total);
        });
    }

    /**
     * Copies each ELF file, and deletes the copies that are not kept.
     *
     * @param place the path of the package
     * @throws IOException if the package is unreadable, malformed or exceeds a limit, or {@linkplain #isOfTheDisk the disk} fails
     */
    public static void unpack(String place, InputStream in, Path folder, Taker taker) throws IOException {
        unpack(place, in, folder, taker, ArchiveLimits.DEFAULT.maxDecompressedBytes());
    }

    /**
     * Copies each ELF file, and deletes the copies that are not kept.
     *
     * @param place the path of the package
     * @param maxDecompressedBytes limit of the output of all compressed parts
     * @throws IOException if the package is unreadable, malformed or exceeds a limit, or {@linkplain #isOfTheDisk the disk} fails
     */
    public static void unpack(String place, InputStream in, Path folder, Taker taker, long maxDecompressedBytes)
            throws IOException {
        unpack(place, in, folder, taker, ArchiveLimits.DEFAULT.withMaxDecompressedBytes(maxDecompressedBytes));
    }

    static void unpack(String place, InputStream in, Path folder, Taker taker, ArchiveLimits limits)
            throws IOException {
        new ArchiveReader(limits, new Copying(folder, taker, limits.maxBuilds())).read(EntryPath.ofPath(place), in);
    }

    /** Returns whether a failure is one of the disk, and not of what is read. */
    public static boolean isOfTheDisk(IOException failure) {
        return failure instanceof CopyFailedException || failure instanceof FileSystemException;
    }

    private static final class Copying implements ArchiveReader.Sink {

        private final Path folder;
        private final Taker taker;
        private final int maxCopies;

        /** Copies that the taker keeps, and holds in memory. */
        private int copies;

        Copying(Path folder, Taker taker, int maxCopies) {
            this.folder = folder;
            this.taker = taker;
            this.maxCopies = maxCopies;
        }

        @Override
        public boolean wants(EntryPath place) {
            return taker.wants(place.path());
        }

        @Override
        public void elf(EntryPath place, InputStream file) throws IOException {
            Path copy = Files.createTempFile(folder, "elf-", "");
            boolean kept = false;
            try {
                try (OutputStream out = new CopyOutput(copy)) {
                    file.transferTo(out);
                }
                kept = taken(place, copy);
            } finally {
                if (!kept) {
                    Files.delete(copy);
                }
            }
            if (kept && ++copies > maxCopies) {
                throw new ArchiveLimitException("it exceeds the limit of " + maxCopies + " builds");
            }
        }

        private boolean taken(EntryPath place, Path copy) throws IOException {
            try {
                return taker.take(place.path(), copy);
            } catch (IOException e) {
                throw new CopyFailedException(e);
            } catch (ExtractionException e) {
                if (place.archives() == 0) {
                    throw new IOException(e.getMessage(), e);
                }
                skipped(place, String.valueOf(e.getMessage()));
                return false;
            }
        }

        @Override
        public void other(EntryPath place) {
            // Most files in packages are not ELF files.
        }

        @Override
        public void skipped(EntryPath place, String reason) {
            taker.skipped(place.path(), reason);
        }

        @Override
        public void progress(EntryPath place, long entries) {
            // The progress of a push is that of its uploads.
        }
    }
}
