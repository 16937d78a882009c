package dev.offsetd.query.bundle;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes regular files as a POSIX ustar archive. Equal files give equal bytes: no times, no owners. */
final class TarWriter {

    static final int BLOCK_BYTES = 512;
    static final int NAME_BYTES = 100;
    static final int PREFIX_AT = 345;
    static final int PREFIX_BYTES = 155;
    static final int SIZE_AT = 124;
    static final int NUMBER_BYTES = 12;
    static final int CHECKSUM_AT = 148;
    static final int CHECKSUM_BYTES = 8;
    static final int TYPE_AT = 156;
    static final int MAGIC_AT = 257;
    static final byte[] MAGIC = "ustar\00000".getBytes(StandardCharsets.US_ASCII);

    private final OutputStream out;

    TarWriter(OutputStream out) {
        this.out = out;
    }

    /** Writes a file. */
    void put(BundlePath path, byte[] content) throws IOException {
        out.write(header(path.toString(), content.length));
        out.write(content);
        out.write(new byte[padding(content.length)]);
    }

    /** Writes the end of the archive. */
    void finish() throws IOException {
        out.write(new byte[2 * BLOCK_BYTES]);
        out.flush();
    }

    static int padding(long bytes) {
        return (int) (-bytes & (BLOCK_BYTES - 1));
    }

    private static byte[] header(String path, long bytes) {
        byte[] header = new byte[BLOCK_BYTES];
        String name = path;
        if (path.length() > NAME_BYTES) {
            int slash = path.lastIndexOf('/');
            put(header, PREFIX_AT, path.substring(0, slash));
            name = path.substring(slash + 1);
        }
        put(header, 0, name);
        put(header, NAME_BYTES, "0000644");
        put(header, 108, "0000000");
        put(header, 116, "0000000");
        put(header, SIZE_AT, "%011o".formatted(bytes));
        put(header, 136, "00000000000");
        header[TYPE_AT] = '0';
        System.arraycopy(MAGIC, 0, header, MAGIC_AT, MAGIC.length);
        put(header, CHECKSUM_AT, "%06o\0 ".formatted(checksum(header)));
        return header;
    }

    /** Returns the sum of the bytes of a header, where the checksum itself counts as spaces. */
    static int checksum(byte[] header) {
        byte[] counted = header.clone();
        Arrays.fill(counted, CHECKSUM_AT, CHECKSUM_AT + CHECKSUM_BYTES, (byte) ' ');
        int sum = 0;
        for (byte b : counted) {
            sum += b & 0xff;
        }
        return sum;
    }

    private static void put(byte[] header, int at, String text) {
        byte[] ascii = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(ascii, 0, header, at, ascii.length);
    }
}
