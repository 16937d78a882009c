package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.input.ExtractionException;
import org.jspecify.annotations.Nullable;

/** Readers of DIEs at any address, cached for the units used last. Not thread-safe. */
public final class UnitReaders {

    private final DwarfUnits dwarf;
    private final @Nullable DieReader[] recent = new DieReader[8];

    public UnitReaders(DwarfUnits dwarf) {
        this.dwarf = dwarf;
    }

    /** Returns a reader positioned at this DIE. It is shared: the next call may move it. */
    public DieReader at(long dieAddress) throws ExtractionException {
        for (DieReader reader : recent) {
            if (reader != null && reader.header().holds(dieAddress)) {
                reader.seek(dieAddress);
                return reader;
            }
        }
        Unit unit = dwarf.unit(dieAddress);
        DieReader reader = dwarf.reader(unit);
        recent[unit.index() % recent.length] = reader;
        reader.seek(dieAddress);
        return reader;
    }
}
