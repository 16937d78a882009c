package dev.offsetd.packages;

import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.ar.ArArchiveEntry;
import org.apache.commons.compress.archivers.ar.ArArchiveOutputStream;
import org.apache.commons.compress.archivers.cpio.CpioArchiveEntry;
import org.apache.commons.compress.archivers.cpio.CpioArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/** Archives of a few files, as packaging tools lay them out. */
public final class Archives {

    private Archives() {}

    /** A tar archive of these files, in the order of the map; a name that ends in a slash is a folder. */
    public static byte[] tar(Map<String, byte[]> files) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                TarArchiveEntry entry = new TarArchiveEntry(file.getKey());
                entry.setSize(file.getValue().length);
                tar.putArchiveEntry(entry);
                tar.write(file.getValue());
                tar.closeArchiveEntry();
            }
        }
        return bytes.toByteArray();
    }

    /** A tar archive whose first file has a name of this many bytes, as GNU tar writes long ones. */
    public static byte[] tarWithNameOf(int bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(out)) {
            TarArchiveEntry name = new TarArchiveEntry("././@LongLink", TarConstants.LF_GNUTYPE_LONGNAME);
            name.setSize(bytes);
            tar.putArchiveEntry(name);
            tar.write("x".repeat(bytes).getBytes(StandardCharsets.US_ASCII));
            tar.closeArchiveEntry();
            tar.putArchiveEntry(new TarArchiveEntry("x"));
            tar.closeArchiveEntry();
        }
        return out.toByteArray();
    }

    /**
     * A tar archive with sparse files of one name, as GNU tar stores them in its POSIX format 0.1, and others after them.
     *
     * @param count of sparse files
     * @param start what is before the hole
     * @param size with the hole
     */
    public static byte[] tarWithSparse(int count, String name, byte[] start, int size, Map<String, byte[]> files)
            throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
            String map = record("GNU.sparse.size=" + size)
                    + record("GNU.sparse.numblocks=2")
                    + record("GNU.sparse.map=0," + start.length + "," + size + ",0");
            for (int i = 0; i < count; i++) {
                add(
                        tar,
                        new TarArchiveEntry("map", TarConstants.LF_PAX_EXTENDED_HEADER_LC),
                        map.getBytes(StandardCharsets.US_ASCII));
                add(tar, new TarArchiveEntry(name), start);
            }
        }
        // Without the two blocks, and what fills the record, that end an archive.
        int end = count * (3 * 512 + (start.length + 511) / 512 * 512);
        byte[] rest = tar(files);
        byte[] both = Arrays.copyOf(bytes.toByteArray(), end + rest.length);
        System.arraycopy(rest, 0, both, end, rest.length);
        return both;
    }

    private static void add(TarArchiveOutputStream tar, TarArchiveEntry entry, byte[] content) throws IOException {
        entry.setSize(content.length);
        tar.putArchiveEntry(entry);
        tar.write(content);
        tar.closeArchiveEntry();
    }

    /** A record of an extended header, which begins with its size in two digits. */
    private static String record(String field) {
        return (field.length() + 4) + " " + field + "\n";
    }

    /** A package of Debian with these files. */
    public static byte[] deb(Map<String, byte[]> files) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ArArchiveOutputStream ar = new ArArchiveOutputStream(bytes)) {
            add(ar, "debian-binary", "2.0\n".getBytes(StandardCharsets.US_ASCII));
            add(ar, "control.tar.xz", xz(tar(Map.of("./control", new byte[10]))));
            add(ar, "data.tar.xz", xz(tar(files)));
        }
        return bytes.toByteArray();
    }

    /** A package of Ubuntu with these files, its parts compressed by zstd. */
    public static byte[] ubuntuDeb(Map<String, byte[]> files) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ArArchiveOutputStream ar = new ArArchiveOutputStream(bytes)) {
            add(ar, "debian-binary", "2.0\n".getBytes(StandardCharsets.US_ASCII));
            add(ar, "control.tar.zst", zstd(tar(Map.of("./control", new byte[10]))));
            add(ar, "data.tar.zst", zstd(tar(files)));
        }
        return bytes.toByteArray();
    }

    private static void add(ArArchiveOutputStream ar, String name, byte[] content) throws IOException {
        ar.putArchiveEntry(new ArArchiveEntry(name, content.length));
        ar.write(content);
        ar.closeArchiveEntry();
    }

    /** A package of the RPM kind with these files, its payload compressed by zstd. */
    public static byte[] rpm(Map<String, byte[]> files) throws IOException {
        ByteArrayOutputStream cpio = new ByteArrayOutputStream();
        try (CpioArchiveOutputStream out = new CpioArchiveOutputStream(cpio)) {
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                out.putArchiveEntry(new CpioArchiveEntry(file.getKey(), file.getValue().length));
                out.write(file.getValue());
                out.closeArchiveEntry();
            }
        }
        return rpm(zstd(cpio.toByteArray()));
    }

    /** A package of the RPM kind with this payload. */
    static byte[] rpm(byte[] payload) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(ByteBuffer.allocate(96).putInt(0xedabeedb).array());
        // A store of 13 bytes, so that the signature has to be padded.
        bytes.write(rpmHeader(2, 13));
        bytes.write(new byte[3]);
        bytes.write(rpmHeader(1, 7));
        bytes.write(payload);
        return bytes.toByteArray();
    }

    private static byte[] rpmHeader(int entries, int storeBytes) {
        return ByteBuffer.allocate(16 + 16 * entries + storeBytes)
                .putInt(0x8eade801)
                .putInt(0)
                .putInt(entries)
                .putInt(storeBytes)
                .array();
    }

    /** An image as {@code docker save} writes it: its layers, the later ones on top, and what tells of them. */
    public static byte[] image(List<byte[]> layers) throws IOException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        for (int i = 0; i < layers.size(); i++) {
            files.put("blobs/sha256/" + Integer.toString(i).repeat(64), layers.get(i));
        }
        files.put("manifest.json", "[]".getBytes(StandardCharsets.US_ASCII));
        return tar(files);
    }

    /** Compressed by gzip, in two members as some tools write a layer. */
    public static byte[] gzip(byte[] content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int half = 0; half < 2; half++) {
            try (OutputStream out = new GZIPOutputStream(bytes)) {
                out.write(
                        content,
                        half * (content.length / 2),
                        half == 0 ? content.length / 2 : content.length - content.length / 2);
            }
        }
        return bytes.toByteArray();
    }

    public static byte[] xz(byte[] content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new XZOutputStream(bytes, new LZMA2Options(0))) {
            out.write(content);
        }
        return bytes.toByteArray();
    }

    public static byte[] zstd(byte[] content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new ZstdOutputStream(bytes)) {
            out.write(content);
        }
        return bytes.toByteArray();
    }

    public static byte[] bzip2(byte[] content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new BZip2CompressorOutputStream(bytes)) {
            out.write(content);
        }
        return bytes.toByteArray();
    }
}
