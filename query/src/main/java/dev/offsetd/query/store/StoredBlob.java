package dev.offsetd.query.store;

import dev.offsetd.extractor.input.Deadline;
import java.lang.ref.SoftReference;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A stored blob: header, blocks, and the directory that locates the blocks. The header has 24 bytes, big-endian: magic,
 * format, then offset, compressed length and raw length of the directory. Blocks and directory are zstd frames with a
 * checksum. The directory and some blocks are cached in memory. Thread-safe.
 */
public final class StoredBlob {

    private static final int HEADER_BYTES = 24;

    /** 2 MB: all blocks of a catalogue of some 5,000 types. */
    private static final int KEPT_BLOCKS = 64;

    /** Most bytes of a directory, which stays in memory. Hundreds of kilobytes are usual for large builds. */
    private static final long MAX_DIRECTORY_BYTES = BlobTooLargeException.shareOfHeap(64);

    private final BlobReader blob;
    private final boolean packed;
    private final byte[] directory;
    private final int keptBlocks;

    /** Whose unpacked blocks this one uses; null for one that unpacks them. */
    private final @Nullable StoredBlob opened;

    /** Soft, because a block may have an entry of many megabytes. */
    private final Map<Long, SoftReference<BlockTable.Entries>> kept = new LinkedHashMap<>(32, 0.75f, true);

    /**
     * Opens a blob: reads its header and directory.
     *
     * @throws CorruptBlobException if the blob has another kind or format
     */
    public StoredBlob(BlobReader blob, int magic, int format) {
        this(blob, magic, format, true);
    }

    /** @param packed false for a blob in memory whose blocks were not compressed */
    public StoredBlob(BlobReader blob, int magic, int format, boolean packed) {
        this.blob = blob;
        this.packed = packed;
        this.keptBlocks = KEPT_BLOCKS;
        this.opened = null;
        ByteBuffer header = ByteBuffer.wrap(read(0, HEADER_BYTES));
        int hasMagic = header.getInt();
        if (hasMagic != magic) {
            throw new CorruptBlobException(
                    "starts with 0x" + Integer.toHexString(hasMagic) + "; expected 0x" + Integer.toHexString(magic));
        }
        int hasFormat = header.getInt();
        if (hasFormat != format) {
            throw new CorruptBlobException("format " + hasFormat + "; expected " + format);
        }
        long offset = header.getLong();
        int compressedLength = header.getInt();
        directory = unpacked(read(offset, compressedLength), header.getInt());
    }

    private StoredBlob(StoredBlob opened, int keptBlocks) {
        this.blob = opened.blob;
        this.packed = opened.packed;
        this.directory = opened.directory;
        this.keptBlocks = keptBlocks;
        this.opened = opened;
    }

    /** Returns the same blob with its own cache of {@code blocks} more blocks, for a reader that visits many in any order. */
    public StoredBlob keeping(int blocks) {
        return new StoredBlob(this, blocks);
    }

    /** Returns the decompressed size of the directory of a blob. */
    public static int directoryBytes(BlobReader blob) {
        return ByteBuffer.wrap(blob.read(0, HEADER_BYTES)).getInt(HEADER_BYTES - Integer.BYTES);
    }

    /** Begins a blob with space for its header. Blocks follow. */
    public static BlobOutput begin() {
        return new BlobOutput(64, BlobOutput.MAX_ARRAY_BYTES).bytes(new byte[HEADER_BYTES]);
    }

    /** Completes a blob that {@link #begin} started. */
    public static byte[] finish(BlobOutput blob, int magic, int format, BlobOutput directory) {
        return finish(blob, magic, format, directory, true);
    }

    /**
     * Completes a blob that {@link #begin} started.
     *
     * @param packed false for a blob in memory whose blocks were not compressed
     */
    public static byte[] finish(BlobOutput blob, int magic, int format, BlobOutput directory, boolean packed) {
        int offset = blob.size();
        if (packed) {
            BlobTooLargeException.check("the list of names and blocks", directory.size(), MAX_DIRECTORY_BYTES);
        }
        byte[] raw = directory.toBytes();
        byte[] frame = packed ? Zstd.compress(raw) : raw;
        byte[] bytes = blob.bytes(frame).toBytes();
        ByteBuffer.wrap(bytes)
                .putInt(magic)
                .putInt(format)
                .putLong(offset)
                .putInt(frame.length)
                .putInt(directory.size());
        return bytes;
    }

    /** Returns a reader of bytes in memory. */
    public static BlobReader inMemory(byte[] bytes) {
        return (offset, length) -> {
            if (offset < 0 || length < 0 || offset > bytes.length - length) {
                throw new CorruptBlobException(
                        length + " bytes at " + offset + " of a blob of " + bytes.length + " bytes");
            }
            byte[] part = new byte[length];
            System.arraycopy(bytes, (int) offset, part, 0, length);
            return part;
        };
    }

    /** Returns a reader at the start of the directory. */
    public BlobInput directory() {
        return new BlobInput(directory);
    }

    /** Returns the entries of a block. */
    public BlockTable.Entries entries(BlockTable.Block block) {
        Deadline.checkCurrent();
        synchronized (kept) {
            SoftReference<BlockTable.Entries> reference = kept.get(block.offset());
            BlockTable.Entries known = reference == null ? null : reference.get();
            if (known != null) {
                return known;
            }
        }
        BlockTable.Entries entries = opened != null
                ? opened.entries(block)
                : new BlockTable.Entries(unpacked(read(block.offset(), block.compressedLength()), block.rawLength()));
        synchronized (kept) {
            kept.put(block.offset(), new SoftReference<>(entries));
            if (kept.size() > keptBlocks) {
                kept.remove(kept.keySet().iterator().next());
            }
        }
        return entries;
    }

    /** Returns a reader at entry {@code number} of a table. */
    public BlobInput entry(BlockTable.Directory table, int number) {
        BlockTable.Block block = table.holding(number);
        return entries(block).entry(number - block.firstEntry());
    }

    private byte[] unpacked(byte[] frame, int rawLength) {
        return packed ? Zstd.decompress(frame, rawLength) : frame;
    }

    private byte[] read(long offset, int length) {
        if (offset < 0 || length < 0) {
            throw new CorruptBlobException(length + " bytes at " + offset);
        }
        byte[] part = blob.read(offset, length);
        if (part.length != length) {
            throw new CorruptBlobException(part.length + " bytes at " + offset + " where " + length + " were expected");
        }
        return part;
    }
}
