package dev.offsetd.query.store;

import dev.offsetd.extractor.frames.FrameRange;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.frames.FunctionName;

/** Writes the functions and lines of a build as the blob that {@link StoredFrames} reads; see {@link FramesFormat}. */
public final class FramesWriter {

    /** Small, because the functions at one address are anywhere in their table. */
    private static final int BLOCK_BYTES = 8 << 10;

    private FramesWriter() {}

    /** Encodes a table; equal ones give equal bytes. */
    public static byte[] encode(FrameTable table) {
        BlobOutput blob = StoredBlob.begin();
        long base = table.ranges().isEmpty() ? 0 : table.ranges().getFirst().start();
        BlockTable.Writer functions = new BlockTable.Writer(true, BLOCK_BYTES);
        for (FunctionName function : table.functions()) {
            functions.add(
                    "",
                    new BlobOutput()
                            .string(function.name())
                            .optional(function.linkageName())
                            .toBytes());
        }
        BlockTable.Writer files = new BlockTable.Writer(true, BLOCK_BYTES);
        table.files()
                .forEach(path -> files.add("", new BlobOutput().string(path).toBytes()));
        BlockTable.Writer ranges = new BlockTable.Writer(true, BLOCK_BYTES);
        for (FrameRange range : table.ranges()) {
            ranges.add(FramesFormat.key(range.start()), encode(range, base));
        }
        BlobOutput directory = new BlobOutput().unsigned(base);
        functions.finish(blob, directory);
        files.finish(blob, directory);
        ranges.finish(blob, directory);
        return StoredBlob.finish(blob, FramesFormat.MAGIC, FramesFormat.FORMAT, directory);
    }

    private static byte[] encode(FrameRange range, long base) {
        int[] scopes = range.scopes();
        int[] rows = range.rows();
        BlobOutput out = new BlobOutput().unsigned(range.start() - base).unsigned(range.end() - range.start());
        out.unsigned(scopes.length / FrameRange.SCOPE_INTS);
        writeFields(scopes, FrameRange.SCOPE_INTS, out);
        out.unsigned(rows.length / FrameRange.ROW_INTS);
        writeFields(rows, FrameRange.ROW_INTS, out);
        return out.toBytes();
    }

    /** Writes the differences between neighbours, field by field. */
    private static void writeFields(int[] numbers, int fields, BlobOutput out) {
        for (int field = 0; field < fields; field++) {
            long last = 0;
            for (int i = field; i < numbers.length; i += fields) {
                out.signed(numbers[i] - last);
                last = numbers[i];
            }
        }
    }
}
