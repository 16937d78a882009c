package dev.offsetd.query.store;

import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.extractor.frames.FrameRange;
import dev.offsetd.extractor.frames.FunctionName;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Functions and lines that are read from their blob, block by block, as they are looked up; see {@link FramesFormat}. Any method
 * may throw {@link CorruptBlobException}. Thread-safe.
 */
public final class StoredFrames {

    private final StoredBlob blob;
    private final long base;
    private final BlockTable.Directory functions;
    private final BlockTable.Directory files;
    private final BlockTable.Directory ranges;

    /**
     * Opens the blob: reads its header and directory.
     *
     * @throws CorruptBlobException if the blob has no functions and lines in a supported format
     */
    public StoredFrames(BlobReader blob) {
        this.blob = new StoredBlob(blob, FramesFormat.MAGIC, FramesFormat.FORMAT);
        BlobInput in = this.blob.directory();
        base = in.unsigned();
        functions = BlockTable.Directory.read(in);
        files = BlockTable.Directory.read(in);
        ranges = BlockTable.Directory.read(in);
    }

    private StoredFrames(StoredFrames opened, int keptBlocks) {
        blob = opened.blob.keeping(keptBlocks);
        base = opened.base;
        functions = opened.functions;
        files = opened.files;
        ranges = opened.ranges;
    }

    /** Opens functions and lines in memory. */
    public static StoredFrames of(byte[] blob) {
        return new StoredFrames(StoredBlob.inMemory(blob));
    }

    /** Returns the same with a cache of so many blocks, for a reader of many addresses. */
    public StoredFrames keeping(int blocks) {
        return new StoredFrames(this, blocks);
    }

    /** Returns the most bytes that a range of code can take when it is decompressed. */
    public long mostBytesOfRange() {
        return ranges.mostBytes(1);
    }

    /** Begins look-ups. */
    public Lookups lookups() {
        return new Lookups();
    }

    /**
     * Look-ups of one thread, in ascending order of addresses: a range of code, which may have millions of rows, is decoded for all
     * addresses in it together.
     */
    public final class Lookups {

        private @Nullable FrameRange last;

        private Lookups() {}

        /** Returns the frames at an address, the innermost first; none if it is in no function and no line. */
        public List<Frame> at(long address) {
            return rangeAt(address)
                    .map(range -> range.frames(address, StoredFrames.this::function, StoredFrames.this::file))
                    .orElse(List.of());
        }

        /** Returns where the code without a gap begins that an address is in; empty if it is in no function and no line. */
        public OptionalLong startAt(long address) {
            return rangeAt(address).stream().mapToLong(FrameRange::start).findFirst();
        }

        private Optional<FrameRange> rangeAt(long address) {
            if (last == null || !last.holds(address)) {
                // The one before is garbage while the next is decoded.
                last = null;
                last = StoredFrames.this.rangeAt(address).orElse(null);
            }
            return Optional.ofNullable(last);
        }
    }

    private Optional<FrameRange> rangeAt(long address) {
        int number = ranges.blockOf(FramesFormat.key(address));
        if (number < 0) {
            return Optional.empty();
        }
        BlockTable.Entries entries = blob.entries(ranges.blocks().get(number));
        int after = entries.firstNot(entry -> Long.compareUnsigned(base + entry.unsigned(), address) <= 0);
        if (after == 0) {
            return Optional.empty();
        }
        BlobInput entry = entries.entry(after - 1);
        long start = base + entry.unsigned();
        long bytes = entry.unsigned();
        // Most addresses outside of code are behind the last range before them, whose numbers need not be read.
        return Long.compareUnsigned(address - start, bytes) < 0
                ? Optional.of(range(start, bytes, entry))
                : Optional.empty();
    }

    private FrameRange range(long start, long bytes, BlobInput in) {
        int[] scopes = numbers(in, FrameRange.SCOPE_INTS);
        int[] rows = numbers(in, FrameRange.ROW_INTS);
        require(bytes <= FrameRange.MAX_BYTES && rows.length > 0 && rows[0] == 0, start);
        int scopeCount = scopes.length / FrameRange.SCOPE_INTS;
        for (int i = 0; i < scopeCount; i++) {
            int parent = scopes[i * FrameRange.SCOPE_INTS + 1];
            require(parent >= FrameRange.NONE && parent < i, start);
        }
        for (int i = 0; i < rows.length; i += FrameRange.ROW_INTS) {
            require(i == 0 || rows[i] > rows[i - FrameRange.ROW_INTS], start);
            require(rows[i + 1] >= FrameRange.NONE && rows[i + 1] < scopeCount, start);
        }
        return new FrameRange(start, start + bytes, scopes, rows);
    }

    private static void require(boolean condition, long start) {
        if (!condition) {
            throw new CorruptBlobException("rows or calls of the range at 0x" + Long.toHexString(start));
        }
    }

    private static int[] numbers(BlobInput in, int fields) {
        int count = in.count();
        // Each number takes a byte at least.
        if (count > in.remaining() / fields) {
            throw new CorruptBlobException(count + " entries in " + in.remaining() + " bytes");
        }
        int[] numbers = new int[count * fields];
        for (int field = 0; field < fields; field++) {
            int last = 0;
            for (int i = field; i < numbers.length; i += fields) {
                last += (int) in.signed();
                numbers[i] = last;
            }
        }
        return numbers;
    }

    private FunctionName function(int number) {
        BlobInput in = blob.entry(functions, number);
        return new FunctionName(in.string(), in.optional());
    }

    private String file(int number) {
        return blob.entry(files, number).string();
    }
}
