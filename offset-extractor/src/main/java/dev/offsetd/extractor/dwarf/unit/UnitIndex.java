package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.Search;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The index of a {@code .dwp} file: {@code .debug_cu_index} or {@code .debug_tu_index} (DWARF 5 §7.3.5.3; version 2 is
 * what GNU tools write for DWARF 4). Only the rows of its hash table are needed, because every unit is read anyway.
 * Immutable.
 */
final class UnitIndex {

    private static final int DW_SECT_INFO = 1;
    /** {@code .debug_types.dwo}, in version 2 only. */
    private static final int DW_SECT_TYPES = 2;

    private static final int DW_SECT_ABBREV = 3;
    private static final int DW_SECT_STR_OFFSETS = 6;
    /** Since version 5; before, it was that of macros. */
    private static final int DW_SECT_RNGLISTS = 8;

    private static final int MAX_COLUMNS = 64;

    private final Contribution[] contributions;

    private UnitIndex(Contribution[] contributions) {
        this.contributions = contributions;
    }

    /**
     * Returns the contributions to {@code .debug_info.dwo}, which since DWARF 5 has type units too, from a separate
     * index.
     */
    static UnitIndex ofInfo(Section cuIndex, Section tuIndex) throws ExtractionException {
        List<Contribution> found = new ArrayList<>();
        addRows(cuIndex, DW_SECT_INFO, found);
        addRows(tuIndex, DW_SECT_INFO, found);
        return of(found);
    }

    /** Returns the contributions to {@code .debug_types.dwo}. */
    static UnitIndex ofTypes(Section tuIndex) throws ExtractionException {
        List<Contribution> found = new ArrayList<>();
        addRows(tuIndex, DW_SECT_TYPES, found);
        return of(found);
    }

    private static UnitIndex of(List<Contribution> found) {
        Contribution[] sorted = found.toArray(Contribution[]::new);
        Arrays.sort(sorted, Comparator.comparingLong(Contribution::units));
        return new UnitIndex(sorted);
    }

    /** Adds the rows of an index that speak of this section; that of an empty index section has none. */
    private static void addRows(Section index, int unitsSection, List<Contribution> found) throws ExtractionException {
        if (index.size() == 0) {
            return;
        }
        ByteCursor in = index.cursor();
        // Version 2 is a 4-byte number; version 5 is a 2-byte one and 2 bytes of padding, which reads the same.
        long version = in.u32();
        if (version >>> 16 != 0 && (version & 0xffff) == 0) {
            version >>>= 16;
        }
        if (version != 2 && version != 5) {
            throw new UnsupportedInputException(
                    index.name(), 0, "index version " + version + " is not supported; versions 2 and 5 are");
        }
        long columns = in.u32();
        long rows = in.u32();
        long slots = in.u32();
        long tableBytes = slots * 12 + columns * 4 + rows * columns * 8;
        if (columns > MAX_COLUMNS || (columns == 0 && rows > 0) || tableBytes > index.size() - in.offset()) {
            throw new MalformedInputException(
                    index.name(),
                    4,
                    "the index has " + columns + " columns, " + rows + " rows and " + slots + " slots; the section has "
                            + index.size() + " bytes");
        }
        in.skip(slots * 12);
        int[] column = new int[DW_SECT_RNGLISTS + 1];
        Arrays.fill(column, -1);
        for (int i = 0; i < columns; i++) {
            long section = in.u32();
            if (section < column.length) {
                column[(int) section] = i;
            }
        }
        int units = column[unitsSection];
        if (units < 0) {
            return;
        }
        long[] row = new long[(int) columns];
        for (long i = 0; i < rows; i++) {
            for (int j = 0; j < row.length; j++) {
                row[j] = in.u32();
            }
            found.add(new Contribution(
                    row[units],
                    at(row, column[DW_SECT_ABBREV]),
                    at(row, column[DW_SECT_STR_OFFSETS]),
                    version < 5 ? 0 : at(row, column[DW_SECT_RNGLISTS])));
        }
    }

    private static long at(long[] row, int column) {
        return column < 0 ? 0 : row[column];
    }

    /** Returns the contribution that contains the unit at this section offset. */
    Contribution of(long unitOffset) {
        int after = Search.firstNot(contributions.length, i -> contributions[i].units() <= unitOffset);
        return after == 0 ? Contribution.WHOLE : contributions[after - 1];
    }
}
