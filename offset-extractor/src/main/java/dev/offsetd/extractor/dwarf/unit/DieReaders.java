package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import org.jspecify.annotations.Nullable;

/** Readers of DIEs at any address, cached for the units used last. Not thread-safe. */
public final class DieReaders {

    private final DwarfUnits dwarf;
    private final @Nullable DieReader[] recent = new DieReader[8];

    public DieReaders(DwarfUnits dwarf) {
        this.dwarf = dwarf;
    }

    public DwarfUnits dwarf() {
        return dwarf;
    }

    /**
     * Returns a reader positioned at this DIE. It is shared: the next call may move it.
     *
     * @throws MalformedInputException if no unit has a DIE there
     */
    public DieReader at(long dieAddress) throws ExtractionException {
        DieReader reader = readerOf(dieAddress);
        if (dieAddress < reader.firstDie()) {
            throw dwarf.malformed(dieAddress, "a reference leads into the header of a unit");
        }
        reader.seek(dieAddress);
        return reader;
    }

    private DieReader readerOf(long dieAddress) throws ExtractionException {
        for (DieReader reader : recent) {
            if (reader != null && reader.header().holds(dieAddress)) {
                return reader;
            }
        }
        Unit unit = dwarf.unit(dieAddress);
        DieReader reader = dwarf.reader(unit);
        recent[unit.index() % recent.length] = reader;
        return reader;
    }
}
