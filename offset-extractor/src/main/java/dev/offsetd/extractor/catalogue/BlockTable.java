package dev.offsetd.extractor.catalogue;

import java.util.ArrayList;
import java.util.List;

/**
 * Entries of one kind, in blocks. Each block starts with the number of its entries and their lengths, so that one entry
 * is found without reading those before it.
 */
final class BlockTable {

    /**
     * Where a block is.
     *
     * @param firstEntry number of its first entry
     * @param firstKey key of its first entry, or empty if the table is not sorted by key
     */
    record Block(long offset, int compressedLength, int rawLength, int firstEntry, String firstKey) {}

    private BlockTable() {}

    /** Collects entries and writes them as blocks. */
    static final class Writer {

        private final BlobOutput blob;
        private final List<Block> blocks = new ArrayList<>();
        private final List<byte[]> pending = new ArrayList<>();
        private int pendingBytes;
        private int entries;
        private String firstKey = "";

        Writer(BlobOutput blob) {
            this.blob = blob;
        }

        void add(String key, byte[] entry) {
            if (pending.isEmpty()) {
                firstKey = key;
            }
            pending.add(entry);
            pendingBytes += entry.length;
            if (pendingBytes >= CatalogueFormat.BLOCK_BYTES) {
                flush();
            }
        }

        private void flush() {
            if (pending.isEmpty()) {
                return;
            }
            BlobOutput raw = new BlobOutput().unsigned(pending.size());
            pending.forEach(entry -> raw.unsigned(entry.length));
            pending.forEach(raw::bytes);
            byte[] frame = CatalogueFormat.compress(raw.toBytes());
            blocks.add(new Block(blob.size(), frame.length, raw.size(), entries, firstKey));
            blob.bytes(frame);
            entries += pending.size();
            pending.clear();
            pendingBytes = 0;
        }

        /** Writes the last block, and the table of blocks to the directory. */
        void finish(BlobOutput directory) {
            flush();
            directory.unsigned(entries).unsigned(blocks.size());
            for (Block block : blocks) {
                directory
                        .unsigned(block.offset())
                        .unsigned(block.compressedLength())
                        .unsigned(block.rawLength())
                        .unsigned(block.firstEntry())
                        .string(block.firstKey());
            }
        }
    }

    /** A table of blocks as the directory has it. */
    record Directory(int entries, List<Block> blocks) {

        static Directory read(BlobInput in) {
            int entries = in.count();
            int count = in.count();
            List<Block> blocks = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                blocks.add(new Block(in.unsigned(), in.count(), in.count(), in.count(), in.string()));
            }
            return new Directory(entries, List.copyOf(blocks));
        }

        /** The block that holds entry number {@code entry}. */
        Block holding(int entry) {
            if (entry < 0 || entry >= entries || blocks.isEmpty()) {
                throw new CorruptCatalogueException("entry " + entry + " of " + entries);
            }
            int low = 0;
            int high = blocks.size() - 1;
            while (low < high) {
                int middle = (low + high + 1) >>> 1;
                if (blocks.get(middle).firstEntry() <= entry) {
                    low = middle;
                } else {
                    high = middle - 1;
                }
            }
            return blocks.get(low);
        }

        /** Index of the block that holds this key if any does, or -1. */
        int blockOf(String key) {
            int low = 0;
            int high = blocks.size() - 1;
            int found = -1;
            while (low <= high) {
                int middle = (low + high) >>> 1;
                if (blocks.get(middle).firstKey().compareTo(key) <= 0) {
                    found = middle;
                    low = middle + 1;
                } else {
                    high = middle - 1;
                }
            }
            return found;
        }
    }

    /** One decompressed block. */
    static final class Entries {

        private final byte[] raw;
        private final int[] starts;

        Entries(byte[] raw) {
            this.raw = raw;
            BlobInput in = new BlobInput(raw);
            int count = in.count();
            if (count > raw.length) {
                throw new CorruptCatalogueException("block of " + raw.length + " bytes claims " + count + " entries");
            }
            int[] lengths = new int[count];
            for (int i = 0; i < count; i++) {
                lengths[i] = in.count();
            }
            starts = new int[count];
            int at = in.position();
            for (int i = 0; i < count; i++) {
                starts[i] = at;
                at += lengths[i];
            }
        }

        int size() {
            return starts.length;
        }

        /** A reader at entry number {@code index} of this block. */
        BlobInput entry(int index) {
            if (index < 0 || index >= starts.length) {
                throw new CorruptCatalogueException("entry " + index + " of a block of " + starts.length);
            }
            BlobInput in = new BlobInput(raw);
            in.seek(starts[index]);
            return in;
        }
    }
}
