package dev.offsetd.query.bundle;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Places of the files in an archive that {@link TarWriter} wrote. Any other archive is refused: links, devices, extensions for
 * long names, paths that no bundle has, duplicates, and bytes between or behind the files.
 */
final class TarIndex {

    private static final int CHUNK_BYTES = 64 << 10;

    private final FileChannel archive;
    private final SequencedMap<BundlePath, Place> places;

    private TarIndex(FileChannel archive, SequencedMap<BundlePath, Place> places) {
        this.archive = archive;
        this.places = places;
    }

    /** Place of a file in the archive. */
    record Place(long offset, int bytes) {}

    /** Receives the content of a file. */
    interface Sink {
        void add(byte[] bytes, int length);
    }

    /** @param maxFiles limit of files */
    static TarIndex read(FileChannel archive, int maxFiles) throws IOException, BundleException {
        SequencedMap<BundlePath, Place> places = new LinkedHashMap<>();
        long end = archive.size();
        long at = 0;
        while (true) {
            byte[] header = block(archive, at, end);
            if (isZero(header, 0, header.length)) {
                requireEnd(archive, at + TarWriter.BLOCK_BYTES, end);
                return new TarIndex(archive, places);
            }
            BundlePath path = path(header, at);
            if (places.size() == maxFiles) {
                throw new BundleException("more than " + maxFiles + " files");
            }
            long bytes = size(header, at, path);
            long offset = at + TarWriter.BLOCK_BYTES;
            int padding = TarWriter.padding(bytes);
            if (offset + bytes + padding > end) {
                throw new BundleException(
                        path + ": truncated: " + bytes + " bytes announced, " + (end - offset) + " left");
            }
            if (places.putIfAbsent(path, new Place(offset, (int) bytes)) != null) {
                throw new BundleException(path + ": duplicate file");
            }
            byte[] rest = new byte[padding];
            readFully(archive, rest, padding, offset + bytes);
            if (!isZero(rest, 0, padding)) {
                throw new BundleException(path + ": unexpected data after the file");
            }
            at = offset + bytes + padding;
        }
    }

    private static byte[] block(FileChannel archive, long at, long end) throws IOException, BundleException {
        if (end - at < TarWriter.BLOCK_BYTES) {
            throw new BundleException("truncated at byte " + at + ": the end of the archive is missing");
        }
        byte[] header = new byte[TarWriter.BLOCK_BYTES];
        readFully(archive, header, header.length, at);
        return header;
    }

    private static BundlePath path(byte[] header, long at) throws BundleException {
        if (!Arrays.equals(
                header,
                TarWriter.MAGIC_AT,
                TarWriter.MAGIC_AT + TarWriter.MAGIC.length,
                TarWriter.MAGIC,
                0,
                TarWriter.MAGIC.length)) {
            throw new BundleException("byte " + at + ": not an offsetd bundle: expected a header of a ustar archive");
        }
        String checksum = field(header, TarWriter.CHECKSUM_AT, TarWriter.CHECKSUM_BYTES);
        if (!checksum.equals("%06o".formatted(TarWriter.checksum(header)))) {
            throw new BundleException("byte " + at + ": the header's checksum is " + HostileText.quote(checksum)
                    + "; expected " + "%06o".formatted(TarWriter.checksum(header)));
        }
        String prefix = field(header, TarWriter.PREFIX_AT, TarWriter.PREFIX_BYTES);
        String name = field(header, 0, TarWriter.NAME_BYTES);
        String path = prefix.isEmpty() ? name : prefix + '/' + name;
        if (header[TarWriter.TYPE_AT] != '0') {
            throw new BundleException(HostileText.quote(path) + ": type "
                    + HostileText.quote(String.valueOf((char) (header[TarWriter.TYPE_AT] & 0xff)))
                    + "; expected \"0\", a regular file");
        }
        return BundlePath.require(path);
    }

    private static long size(byte[] header, long at, BundlePath path) throws BundleException {
        String octal = field(header, TarWriter.SIZE_AT, TarWriter.NUMBER_BYTES);
        if (!Pattern.matches("[0-7]{11}", octal)) {
            throw new BundleException(
                    "byte " + at + ": size " + HostileText.quote(octal) + "; expected eleven octal digits");
        }
        long bytes = Long.parseLong(octal, 8);
        if (bytes > path.part().maxBytes()) {
            throw new BundleException(
                    path + ": " + bytes + " bytes; the limit is " + path.part().maxBytes());
        }
        return bytes;
    }

    /** Returns the text before the first zero. */
    private static String field(byte[] header, int at, int length) {
        int end = at;
        while (end < at + length && header[end] != 0) {
            end++;
        }
        return new String(header, at, end - at, StandardCharsets.ISO_8859_1);
    }

    private static void requireEnd(FileChannel archive, long at, long end) throws IOException, BundleException {
        byte[] last = block(archive, at, end);
        if (!isZero(last, 0, last.length) || at + last.length != end) {
            throw new BundleException("byte " + at + ": unexpected data after the end of the archive");
        }
    }

    private static boolean isZero(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }

    Map<BundlePath, Place> places() {
        return places;
    }

    /** Returns the size of a file. */
    int bytes(BundlePath path) throws BundleException {
        return place(path).bytes();
    }

    /** Returns the content of a file. */
    byte[] read(BundlePath path) throws IOException, BundleException {
        Place place = place(path);
        byte[] content = new byte[place.bytes()];
        readFully(archive, content, content.length, place.offset());
        return content;
    }

    /** Passes on the content of a file in chunks. */
    void read(BundlePath path, Sink sink) throws IOException, BundleException {
        Place place = place(path);
        byte[] chunk = new byte[Math.min(CHUNK_BYTES, place.bytes())];
        for (int done = 0; done < place.bytes(); done += chunk.length) {
            int length = Math.min(chunk.length, place.bytes() - done);
            readFully(archive, chunk, length, place.offset() + done);
            sink.add(chunk, length);
        }
    }

    private Place place(BundlePath path) throws BundleException {
        Place place = places.get(path);
        if (place == null) {
            throw new BundleException(path + " is missing");
        }
        return place;
    }

    private static void readFully(FileChannel archive, byte[] bytes, int length, long at) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, length);
        while (buffer.hasRemaining()) {
            if (archive.read(buffer, at + buffer.position()) < 0) {
                throw new EOFException("the file was truncated while it was read");
            }
        }
    }
}
