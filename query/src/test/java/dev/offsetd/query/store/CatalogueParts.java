package dev.offsetd.query.store;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The contents of a stored catalogue without compression and checksums, so that a mutation of them gets as far as the
 * decoder. The parts are the units and languages of the directory and one block for each of the six tables, each behind
 * its length in two bytes. Bytes behind the last part overwrite bytes of the directory: two for the place, one to put
 * there.
 */
final class CatalogueParts {

    private static final int TABLES = 6;

    private CatalogueParts() {}

    /** Unpacks a sound catalogue whose tables have at most one block each. */
    static byte[] unpack(byte[] blob) {
        ByteBuffer header = ByteBuffer.wrap(blob).position(2 * Integer.BYTES);
        int directoryAt = (int) header.getLong();
        int compressed = header.getInt();
        byte[] directory =
                BlobParts.raw(Arrays.copyOfRange(blob, directoryAt, directoryAt + compressed), header.getInt());
        BlobInput in = new BlobInput(directory);
        int units = in.count();
        for (int i = 0; i < units; i++) {
            in.string();
        }
        int languages = in.count();
        for (int i = 0; i < languages; i++) {
            in.string();
            in.count();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        add(out, Arrays.copyOf(directory, in.position()));
        for (int i = 0; i < TABLES; i++) {
            List<BlockTable.Block> blocks = BlockTable.Directory.read(in).blocks();
            if (blocks.size() > 1) {
                throw new IllegalArgumentException("table " + i + " has " + blocks.size() + " blocks; expected 1");
            }
            add(out, blocks.isEmpty() ? new byte[0] : raw(blob, blocks.getFirst()));
        }
        return out.toByteArray();
    }

    private static byte[] raw(byte[] blob, BlockTable.Block block) {
        int at = (int) block.offset();
        return BlobParts.raw(Arrays.copyOfRange(blob, at, at + block.compressedLength()), block.rawLength());
    }

    private static void add(ByteArrayOutputStream out, byte[] part) {
        out.write(part.length >>> 8);
        out.write(part.length);
        out.writeBytes(part);
    }

    /** Packs parts, whatever they hold, into a blob whose frames and checksums are sound. */
    static byte[] pack(byte[] unpacked) {
        ByteBuffer in = ByteBuffer.wrap(unpacked);
        BlobOutput blob = StoredBlob.begin();
        BlobOutput directory = new BlobOutput().bytes(next(in));
        for (int i = 0; i < TABLES; i++) {
            byte[] raw = next(in);
            byte[] frame = BlobParts.frame(raw);
            directory
                    .unsigned(entries(raw))
                    .unsigned(1)
                    .unsigned(blob.size())
                    .unsigned(frame.length)
                    .unsigned(raw.length)
                    .unsigned(0)
                    .string("");
            blob.bytes(frame);
        }
        byte[] bytes = directory.toBytes();
        while (in.remaining() > Short.BYTES) {
            int place = in.getShort() & 0xffff;
            bytes[place % bytes.length] = in.get();
        }
        return StoredBlob.finish(blob, CatalogueFormat.MAGIC, CatalogueFormat.FORMAT, new BlobOutput().bytes(bytes));
    }

    private static byte[] next(ByteBuffer in) {
        if (in.remaining() < Short.BYTES) {
            return new byte[0];
        }
        byte[] part = new byte[Math.min(in.getShort() & 0xffff, in.remaining())];
        in.get(part);
        return part;
    }

    /** How many entries the block itself claims. */
    private static int entries(byte[] raw) {
        try {
            return new BlobInput(raw).count();
        } catch (CorruptBlobException e) {
            return 0;
        }
    }

    /** The names that a catalogue has, as far as it can be read. */
    static List<String> names(StoredCatalogue catalogue, int limit) {
        List<String> names = new ArrayList<>();
        catalogue.forEachTypeName("", name -> {
            names.add(name);
            return names.size() < limit;
        });
        return names;
    }
}
