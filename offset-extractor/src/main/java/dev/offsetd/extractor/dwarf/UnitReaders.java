package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.input.ExtractionException;
import org.jspecify.annotations.Nullable;

/** Readers for DIEs at any offset: one for the unit read last, made anew when another unit's turn comes. For one thread. */
final class UnitReaders {

    private final DwarfTypes dwarf;
    private final @Nullable DieReader[] recent = new DieReader[8];

    UnitReaders(DwarfTypes dwarf) {
        this.dwarf = dwarf;
    }

    /** A reader that stands at this DIE. */
    DieReader at(long dieAddress) throws ExtractionException {
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
