package dev.offsetd.packages;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * Start of an RPM package (RPM V4 format): a lead of 96 bytes and two headers, of which the first is padded to 8 bytes.
 * A compressed cpio archive follows.
 */
final class RpmLead {

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
