package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.AbbreviationTable;
import dev.offsetd.extractor.input.BytesKey;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.MalformedInputException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/** The abbreviation tables of a reading, each read when the first unit needs it. Thread-safe. */
final class AbbreviationTables {

    /** Heap of an abbreviation: its position, and the plan that used ones have. */
    private static final int ABBREVIATION_BYTES = 160;

    /**
     * How often the bytes of an abbreviation section may be read as part of a table. Tables of real files do not overlap;
     * one that units of several versions or address sizes use is read for each.
     */
    private static final int READINGS_OF_ABBREVIATIONS = 8;

    private final DwarfSections[] files;
    private final DwarfUnits dwarf;
    private final HeapBudget heap;
    private final Map<Key, AbbreviationTable> tables = new ConcurrentHashMap<>();

    /** Abbreviations that the tables share, by all that their plans depend on beside the declaration. */
    private final Map<Key, Map<BytesKey, Abbreviation>> declared = new ConcurrentHashMap<>();

    private final AtomicLong abbreviations = new AtomicLong();

    /** Bytes of the tables read so far, by file. */
    private final AtomicLongArray bytes;

    AbbreviationTables(DwarfSections[] files, DwarfUnits dwarf, HeapBudget heap) {
        this.files = files;
        this.dwarf = dwarf;
        this.heap = heap;
        this.bytes = new AtomicLongArray(files.length);
    }

    private record Key(int file, long offset, int version, int addressSize, int offsetSize) {

        // Every process would link those that a record has otherwise: docs/rationale/startup.md.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key
                    && key.file == file
                    && key.offset == offset
                    && key.version == version
                    && key.addressSize == addressSize
                    && key.offsetSize == offsetSize;
        }

        @Override
        public int hashCode() {
            return (int)
                    HashMixing.mix(offset ^ HashMixing.mix(file + ((long) version << 32) + addressSize + offsetSize));
        }
    }

    /** Returns the table of a unit. */
    AbbreviationTable of(UnitHeader header) throws ExtractionException {
        Key key = new Key(
                header.file(), header.abbrevOffset(), header.version(), header.addressSize(), header.offsetSize());
        AbbreviationTable known = tables.get(key);
        if (known != null) {
            return known;
        }
        Map<BytesKey, Abbreviation> shared = declared.computeIfAbsent(
                new Key(0, 0, key.version, key.addressSize, key.offsetSize), _ -> new ConcurrentHashMap<>());
        Section section = files[key.file].abbrev();
        // Before a table is read, because one that exceeds the bound, or is damaged, takes its unit along, not the
        // file.
        requireOverlapWithin(section, bytes.get(key.file), key.offset);
        AbbreviationTable table;
        try {
            table = AbbreviationTable.read(section, key.offset, shared, dwarf.limits());
        } catch (ExtractionException e) {
            bytes.addAndGet(key.file, Math.max(0, e.offset() - key.offset));
            throw e;
        }
        AbbreviationTable other = tables.putIfAbsent(key, table);
        if (other != null) {
            return other;
        }
        requireOverlapWithin(section, bytes.addAndGet(key.file, table.byteSize()), key.offset);
        dwarf.requireEntries(abbreviations.addAndGet(table.weight()), "abbreviations", section.name(), key.offset);
        heap.keep(table.weight() * ABBREVIATION_BYTES, section.name(), key.offset);
        return table;
    }

    private static void requireOverlapWithin(Section section, long bytes, long offset) throws MalformedInputException {
        if (bytes / READINGS_OF_ABBREVIATIONS > section.size()) {
            throw new MalformedInputException(
                    section.name(),
                    offset,
                    "abbreviation tables overlap: those read so far have " + bytes + " bytes; expected at most "
                            + READINGS_OF_ABBREVIATIONS + " times the " + section.size() + " bytes of the section");
        }
    }
}
