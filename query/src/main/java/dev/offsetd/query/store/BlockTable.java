package dev.offsetd.query.store;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.Search;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * Table of entries of one kind, in blocks. Each block starts with the number of its entries and their lengths, so one entry
 * is found without parsing those before it.
 */
public final class BlockTable {

    /**
     * Location of a block.
     *
     * @param firstEntry number of its first entry
     * @param firstKey key of its first entry, or empty if the table is not sorted by key
     */
    public record Block(long offset, int compressedLength, int rawLength, int firstEntry, String firstKey) {}

    /** Usual raw size at which a block is closed. Larger blocks compress better, smaller ones are faster to read. */
    private static final int BLOCK_BYTES = 32 << 10;

    /** Most entries of a block, far more than the writer puts into one: none is empty. Each takes heap. */
    private static final int MAX_ENTRIES = 1 << 19;

    private BlockTable() {}

    /** A block that is being compressed. */
    private static final class Uncompressed {

        private final byte[] raw;
        private final boolean packed;
        private final int firstEntry;
        private final String firstKey;
        private final AtomicBoolean begun = new AtomicBoolean();
        private final CompletableFuture<byte[]> frame = new CompletableFuture<>();

        private Uncompressed(byte[] raw, boolean packed, int firstEntry, String firstKey) {
            this.raw = raw;
            this.packed = packed;
            this.firstEntry = firstEntry;
            this.firstKey = firstKey;
        }

        /** Compresses the block, unless another thread has begun. */
        private void compress() {
            if (begun.compareAndSet(false, true)) {
                frame.completeAsync(() -> packed ? Zstd.compress(raw) : raw, Runnable::run);
            }
        }

        private Compressed compressed() {
            // Here, if no thread has begun: waiting for one would leave a processor idle.
            compress();
            return new Compressed(frame.join(), raw.length, firstEntry, firstKey);
        }
    }

    /** A block that is not in the blob yet. */
    // Never compared.
    @SuppressWarnings("ArrayRecordComponent")
    private record Compressed(byte[] frame, int rawLength, int firstEntry, String firstKey) {

        private Block appendTo(BlobOutput blob) {
            Block block = new Block(blob.size(), frame.length, rawLength, firstEntry, firstKey);
            blob.bytes(frame);
            return block;
        }
    }

    /** Collects entries in blocks, which are compressed in parallel. */
    public static final class Writer {

        /** Blocks that are being compressed. */
        private static final int MAX_UNCOMPRESSED = 16;

        /** Raw size above which a block is compressed at once. */
        private static final int LARGE_BLOCK_BYTES = 1 << 20;

        /** Most bytes of all compressed blocks: a catalogue has six tables, and its blob is a copy of them. */
        private static final long MAX_COMPRESSED_BYTES = BlobTooLargeException.shareOfHeap(16);

        private final boolean packed;
        private final int blockBytes;
        private final List<Compressed> compressed = new ArrayList<>();
        private long compressedBytes;
        private final Queue<Uncompressed> uncompressed = new ArrayDeque<>();
        private final List<byte[]> pending = new ArrayList<>();
        private int pendingBytes;
        private int entries;
        private String firstKey = "";

        /** An empty table. */
        public Writer() {
            this(true);
        }

        /** @param packed whether to compress blocks; false for a blob that stays in memory */
        public Writer(boolean packed) {
            this(packed, BLOCK_BYTES);
        }

        /** @param blockBytes raw size at which a block is closed */
        Writer(boolean packed, int blockBytes) {
            this.packed = packed;
            this.blockBytes = blockBytes;
        }

        /**
         * Adds an entry.
         *
         * @param key empty if the table is not sorted by key; else not before that of the entry before
         */
        public void add(String key, byte[] entry) {
            if (pending.isEmpty()) {
                firstKey = key;
            }
            pending.add(entry);
            pendingBytes += entry.length;
            if (pendingBytes >= blockBytes) {
                flush();
            }
        }

        /** Returns the number of entries so far. */
        public int size() {
            return entries + pending.size();
        }

        private void flush() {
            if (pending.isEmpty()) {
                return;
            }
            Deadline.checkCurrent();
            // Each entry with its length, in up to five bytes.
            BlobOutput raw = new BlobOutput(pendingBytes + 5 * (pending.size() + 1), BlobOutput.MAX_ARRAY_BYTES)
                    .unsigned(pending.size());
            pending.forEach(entry -> raw.unsigned(entry.length));
            pending.forEach(raw::bytes);
            Uncompressed block = new Uncompressed(raw.toBytes(), packed, entries, firstKey);
            if (packed) {
                ForkJoinPool.commonPool().execute(block::compress);
            }
            uncompressed.add(block);
            entries += pending.size();
            pending.clear();
            pendingBytes = 0;
            // A block with a large entry does not wait in memory.
            compressAllBut(block.raw.length > LARGE_BLOCK_BYTES ? 0 : MAX_UNCOMPRESSED);
        }

        private void compressAllBut(int count) {
            while (uncompressed.size() > count) {
                Compressed block = uncompressed.remove().compressed();
                compressedBytes += block.frame.length;
                if (packed) {
                    BlobTooLargeException.check("a table", compressedBytes, MAX_COMPRESSED_BYTES);
                }
                compressed.add(block);
            }
        }

        /**
         * Writes the blocks to the blob, and the table of blocks to the directory.
         *
         * @return the blocks
         */
        public List<Block> finish(BlobOutput blob, BlobOutput directory) {
            flush();
            compressAllBut(0);
            List<Block> blocks =
                    compressed.stream().map(block -> block.appendTo(blob)).toList();
            directory.unsigned(entries).unsigned(blocks.size());
            for (Block block : blocks) {
                directory
                        .unsigned(block.offset())
                        .unsigned(block.compressedLength())
                        .unsigned(block.rawLength())
                        .unsigned(block.firstEntry())
                        .string(block.firstKey());
            }
            return blocks;
        }
    }

    /** The blocks of a table, as listed in the directory. */
    public record Directory(int entries, List<Block> blocks) {

        /** Reads the output of {@link Writer#finish}. */
        public static Directory read(BlobInput in) {
            int entries = in.count();
            int count = in.count();
            List<Block> blocks = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                blocks.add(new Block(in.unsigned(), in.count(), in.count(), in.count(), in.string()));
            }
            return new Directory(entries, List.copyOf(blocks));
        }

        /** Returns the most bytes that so many decompressed entries can take. A block has at most one oversized entry. */
        public long mostBytes(int entries) {
            long largest = 0;
            long all = 0;
            for (Block block : blocks) {
                largest = Math.max(largest, block.rawLength());
                all += block.rawLength();
            }
            return Math.min(all, largest * entries);
        }

        /** Returns the block that holds entry number {@code entry}. */
        public Block holding(int entry) {
            if (entry < 0 || entry >= entries || blocks.isEmpty()) {
                throw new CorruptBlobException("entry " + entry + " of " + entries);
            }
            int next = Search.firstNot(blocks.size(), i -> blocks.get(i).firstEntry() <= entry);
            return blocks.get(Math.max(0, next - 1));
        }

        /** Returns the index of the only block that may hold this key, or -1. */
        public int blockOf(String key) {
            return Search.firstNot(blocks.size(), i -> blocks.get(i).firstKey().compareTo(key) <= 0) - 1;
        }
    }

    /** The entries of one block. */
    public static final class Entries {

        private final byte[] raw;
        private final int[] starts;

        Entries(byte[] raw) {
            this.raw = raw;
            BlobInput in = new BlobInput(raw);
            int count = in.count();
            if (count > Math.min(MAX_ENTRIES, raw.length)) {
                throw new CorruptBlobException("block of " + raw.length + " bytes claims " + count + " entries");
            }
            int[] lengths = new int[count];
            for (int i = 0; i < count; i++) {
                lengths[i] = in.count();
            }
            starts = new int[count + 1];
            int at = in.position();
            for (int i = 0; i < count; i++) {
                starts[i] = at;
                at += lengths[i];
            }
            starts[count] = at;
        }

        /** Returns the number of entries. */
        public int size() {
            return starts.length - 1;
        }

        /** Returns the index of the first entry that is not before the sought one; the number of entries if all are. */
        public int firstNot(Predicate<BlobInput> before) {
            return Search.firstNot(size(), i -> before.test(entry(i)));
        }

        /** Returns a reader at entry number {@code index} of this block. */
        public BlobInput entry(int index) {
            if (index < 0 || index >= size()) {
                throw new CorruptBlobException("entry " + index + " of a block of " + size());
            }
            return new BlobInput(raw, starts[index], starts[index + 1]);
        }
    }
}
