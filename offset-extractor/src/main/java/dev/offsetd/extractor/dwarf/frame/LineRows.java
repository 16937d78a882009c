package dev.offsetd.extractor.dwarf.frame;

import dev.offsetd.extractor.bytes.Overlay;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.input.LimitExceededException;
import java.util.Arrays;

/** Rows of a line program (DWARF 5 §6.2.2), in sequences whose addresses ascend. Reused for the next unit. Not thread-safe. */
final class LineRows {

    static final int NO_FILE = -1;

    /** Heap of a row, with what it takes to find the rows that count. */
    private static final int ROW_BYTES = 100;

    private final DwarfUnits dwarf;
    private final MemoryAccount account;

    private long[] addresses = new long[256];
    private int[] files = new int[256];
    private int[] lines = new int[256];
    private int[] columns = new int[256];
    private int[] discriminators = new int[256];
    private int count;

    /** For each row, the address behind its last byte. */
    private long[] ends = new long[256];

    /** Finished sequences: first row and row behind the last. */
    private int[] sequences = new int[16];

    private int sequenceCount;
    private int first;

    LineRows(DwarfUnits dwarf, MemoryAccount account) {
        this.dwarf = dwarf;
        this.account = account;
    }

    void clear() {
        count = 0;
        sequenceCount = 0;
        first = 0;
    }

    /** Returns whether the sequence that is being written has no row. */
    boolean isAtStart() {
        return count == first;
    }

    long lastAddress() {
        return addresses[count - 1];
    }

    /** Adds a row to the sequence. One at the same address replaces the row before, which no byte belongs to. */
    void add(long address, int file, int line, int column, int discriminator) throws LimitExceededException {
        if (count > first && addresses[count - 1] == address) {
            count--;
        }
        dwarf.requireEntries(count + 1L, "rows of lines", 0);
        if (count == addresses.length) {
            account.addBytes((long) ROW_BYTES * count, 0);
            addresses = Arrays.copyOf(addresses, count * 2);
            ends = Arrays.copyOf(ends, count * 2);
            files = Arrays.copyOf(files, count * 2);
            lines = Arrays.copyOf(lines, count * 2);
            columns = Arrays.copyOf(columns, count * 2);
            discriminators = Arrays.copyOf(discriminators, count * 2);
        }
        addresses[count] = address;
        files[count] = file;
        lines[count] = line;
        columns[count] = column;
        discriminators[count] = discriminator;
        count++;
    }

    /** Forgets the rows since the last sequence. */
    void dropSequence() {
        count = first;
    }

    /** Ends the sequence at an address, which no row belongs to. */
    void endSequence(long end) {
        if (count > first) {
            for (int row = first; row < count; row++) {
                ends[row] = row + 1 < count ? addresses[row + 1] : end;
            }
            if (2 * sequenceCount == sequences.length) {
                sequences = Arrays.copyOf(sequences, sequences.length * 2);
            }
            sequences[2 * sequenceCount] = first;
            sequences[2 * sequenceCount + 1] = count;
            sequenceCount++;
        }
        first = count;
    }

    /** Returns the rows by address; of sequences that overlap, those of the first. */
    Overlay.Parts parts() {
        Overlay overlay = new Overlay();
        for (int row = first - 1; row >= 0; row--) {
            overlay.add(addresses[row], ends[row]);
        }
        return overlay.parts();
    }

    /** Returns the row of a part. */
    int row(Overlay.Parts parts, int part) {
        return first - 1 - parts.range(part);
    }

    int file(int row) {
        return files[row];
    }

    int line(int row) {
        return lines[row];
    }

    int column(int row) {
        return columns[row];
    }

    int discriminator(int row) {
        return discriminators[row];
    }
}
