package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.layout.Omission.Part;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The headers of all units, in the order of their sections. A lookup reads headers only as far as needed, because the
 * section may still be in decompression; a lookup by signature waits for all of it. Thread-safe.
 */
final class UnitTable {

    private final Section[] sections;
    private final UnitIndex[] indexes;
    private final DwarfUnits dwarf;
    private final Map<Long, Long> typeBySignature = new HashMap<>();

    /** The section that is being read, and how far. */
    private int section;

    private long at;

    /** Units that have been passed, those with a fault in the header among them. */
    private int passed;

    /** All headers that are read, and where their units start. An array that a reader has got is only added to. */
    private volatile Snapshot known = new Snapshot(new UnitHeader[16], new long[16], 0, false);

    /** Immutable state of the table; its arrays are only appended to. */
    private static final class Snapshot {

        private final UnitHeader[] headers;
        private final long[] starts;
        private final int count;
        private final boolean complete;

        Snapshot(UnitHeader[] headers, long[] starts, int count, boolean complete) {
            this.headers = headers;
            this.starts = starts;
            this.count = count;
            this.complete = complete;
        }

        /** Returns whether a unit whose header was not read yet can hold the DIE. */
        boolean mayHoldLater(long dieAddress) {
            return !complete && (count == 0 || headers[count - 1].endAddress() <= dieAddress);
        }
    }

    /**
     * A table of the units of some sections.
     *
     * @param sections at the numbers that addresses of their DIEs have, see {@link DieAddress#section}
     * @param indexes what tells the shares of a section, at the same numbers
     * @param dwarf notes the units whose headers have a fault
     */
    UnitTable(Section[] sections, UnitIndex[] indexes, DwarfUnits dwarf) {
        this.sections = sections.clone();
        this.indexes = indexes.clone();
        this.dwarf = dwarf;
    }

    /** Returns whether there is a unit of this index. */
    boolean has(int index) throws ExtractionException {
        return index < known.count || index < readTo(index, Long.MAX_VALUE).count;
    }

    /** Returns the header of a unit that there is. */
    UnitHeader header(int index) {
        return known.headers[index];
    }

    /** Returns how many units there are. */
    int count() throws ExtractionException {
        return all().count;
    }

    /** Returns the index of the unit that holds the DIE at this address, or -1. */
    int indexOf(long dieAddress) throws ExtractionException {
        Snapshot units = known;
        if (units.mayHoldLater(dieAddress)) {
            units = readTo(Integer.MAX_VALUE, dieAddress);
        }
        int found = Arrays.binarySearch(units.starts, 0, units.count, dieAddress);
        int index = found >= 0 ? found : -found - 2;
        return index >= 0 && units.headers[index].holds(dieAddress) ? index : -1;
    }

    /** Returns the address of the DIE of the type that has this signature, or {@link DieScratch#UNRESOLVED}. */
    long typeOfSignature(long signature) throws ExtractionException {
        all();
        return typeBySignature.getOrDefault(signature, DieScratch.UNRESOLVED);
    }

    private Snapshot all() throws ExtractionException {
        Snapshot units = known;
        return units.complete ? units : readTo(Integer.MAX_VALUE, Long.MAX_VALUE);
    }

    /**
     * Reads headers until the unit of this index is there, or one that ends behind the address, or all are; of a section that
     * is there whole, those of all its units.
     */
    private synchronized Snapshot readTo(int index, long dieAddress) throws ExtractionException {
        Snapshot units = known;
        while (units.count <= index && units.mayHoldLater(dieAddress)) {
            known = units = readNext(units);
        }
        return units;
    }

    private Snapshot readNext(Snapshot units) throws ExtractionException {
        while (section < sections.length && isAtEnd(sections[section])) {
            section++;
            at = 0;
        }
        if (section == sections.length) {
            return new Snapshot(units.headers, units.starts, units.count, true);
        }
        Section read = sections[section];
        boolean arriving = read.progress() != null;
        UnitHeader[] headers = units.headers;
        long[] starts = units.starts;
        int count = units.count;
        do {
            UnitHeader header;
            try {
                header = readHeader();
            } catch (ExtractionException e) {
                if (count > units.count) {
                    // The units before it can be read; the error is thrown again when this unit is needed.
                    break;
                }
                throw e;
            }
            if (header == null) {
                continue;
            }
            if (count == headers.length) {
                headers = Arrays.copyOf(headers, count * 2);
                starts = Arrays.copyOf(starts, count * 2);
            }
            headers[count] = header;
            starts[count] = header.startAddress();
            count++;
            if (header.isTypeUnit()) {
                typeBySignature.putIfAbsent(header.typeSignature(), header.typeDie());
            }
        } while (!arriving && !isAtEnd(read));
        return new Snapshot(headers, starts, count, false);
    }

    /** Returns whether a section has no more units: zeros that are fewer than the bytes of a length only align its end. */
    private boolean isAtEnd(Section read) throws ExtractionException {
        long left = read.size() - at;
        if (left <= 0 || left >= Integer.BYTES) {
            return left <= 0;
        }
        ByteCursor in = read.cursor(at, left);
        boolean zero = true;
        while (in.hasRemaining()) {
            zero &= in.u8() == 0;
        }
        return zero;
    }

    /**
     * Reads the header of the next unit, and goes to the end of the unit.
     *
     * @return null if the header tells no more than where the unit ends
     */
    private @Nullable UnitHeader readHeader() throws ExtractionException {
        Section read = sections[section];
        int most = dwarf.limits().maxUnits();
        if (passed == most) {
            throw new LimitExceededException(
                    read.name(), at, "maxUnits", most, "unit " + (passed + 1) + " starts here");
        }
        long start = at;
        long end = UnitHeader.end(read, start);
        UnitHeader header = null;
        try {
            header = UnitHeader.read(read, start, end, DieAddress.ofSection(section), indexes[section].of(start));
        } catch (ExtractionException e) {
            dwarf.omit(Part.UNIT, DieAddress.ofSection(section) + start, e);
        }
        at = end;
        passed++;
        return header;
    }
}
