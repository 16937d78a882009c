package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Language;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The units of a file's {@code .debug_info}, and what they share. Headers are read when it is opened; unit DIEs and
 * abbreviation tables when a unit is first needed. Safe for several threads; the readers made from it are not.
 *
 * <p>Types are read in three phases. {@link DefinitionScanner} walks a unit and notes where its named types are, as
 * numbers. {@link LayoutHasher} gives each a key by which equal definitions of many units are found to be one.
 * {@link TypeBuilder} makes records of those that remain.
 */
public final class DwarfTypes {

    private final DwarfSections sections;
    private final Limits limits;
    private final Names names;
    private final UnitHeader[] headers;
    private final long[] starts;
    private final AtomicReferenceArray<Unit> units;
    private final Map<Long, Long> typeBySignature;
    private final Map<TableKey, AbbreviationTable> tables = new ConcurrentHashMap<>();

    /** Language of partial units, by the unit that imports them first; they have none of their own. */
    private final Map<Long, Language> importedLanguages = new ConcurrentHashMap<>();

    private static final Comparator<Language> LANGUAGE_RANK =
            Comparator.comparing(Language::family).thenComparing(Language::name);

    private record TableKey(long offset, int version, int addressSize, int offsetSize) {}

    private DwarfTypes(DwarfSections sections, Limits limits, UnitHeader[] headers) {
        this.sections = sections;
        this.limits = limits;
        this.names = new Names(sections, limits);
        this.headers = headers;
        this.starts = new long[headers.length];
        this.units = new AtomicReferenceArray<>(headers.length);
        this.typeBySignature = new HashMap<>();
        for (int i = 0; i < headers.length; i++) {
            starts[i] = headers[i].unitOffset();
            if (headers[i].isTypeUnit()) {
                typeBySignature.putIfAbsent(headers[i].typeSignature(), headers[i].typeOffset());
            }
        }
    }

    /** Reads the headers of all units. */
    public static DwarfTypes open(DwarfSections sections, Limits limits) throws ExtractionException {
        UnitHeader[] headers = new UnitHeader[64];
        int count = 0;
        for (long at = 0; at < sections.info().size(); ) {
            if (count == limits.maxUnits()) {
                throw new LimitExceededException(
                        sections.info().name(), at, "maxUnits", limits.maxUnits(), "the section has more");
            }
            if (count == headers.length) {
                headers = Arrays.copyOf(headers, count * 2);
            }
            UnitHeader header = UnitHeader.read(sections.info(), at);
            headers[count++] = header;
            at = header.end();
        }
        return new DwarfTypes(sections, limits, Arrays.copyOf(headers, count));
    }

    public int unitCount() {
        return headers.length;
    }

    /** Size in bytes of one unit, by which work is shared out. */
    public long unitBytes(int index) {
        return headers[index].end() - headers[index].unitOffset();
    }

    DwarfSections sections() {
        return sections;
    }

    Limits limits() {
        return limits;
    }

    Names names() {
        return names;
    }

    boolean isBigEndian() {
        return sections.info().byteOrder() == ByteOrder.BIG_ENDIAN;
    }

    /** DIE of the type that has this signature, or {@link DieScratch#UNRESOLVED}. */
    long typeOfSignature(long signature) {
        return typeBySignature.getOrDefault(signature, DieScratch.UNRESOLVED);
    }

    /** The unit that holds the byte at {@code dieOffset}. */
    Unit unit(long dieOffset) throws ExtractionException {
        int at = Arrays.binarySearch(starts, dieOffset);
        int index = at >= 0 ? at : -at - 2;
        if (index < 0) {
            throw new MalformedInputException(sections.info().name(), dieOffset, "no unit holds this offset");
        }
        return unit(index);
    }

    /** The unit at this place of the section. */
    Unit unit(int index) throws ExtractionException {
        Unit known = units.get(index);
        if (known != null) {
            return known;
        }
        Unit unit = readUnit(index, headers[index]);
        units.set(index, unit);
        return unit;
    }

    private Unit readUnit(int index, UnitHeader header) throws ExtractionException {
        AbbreviationTable table = table(header);
        DieReader reader = new DieReader(this, header, table);
        Abbreviation abbreviation = reader.hasRemaining() ? reader.read() : null;
        if (abbreviation == null) {
            return new Unit(index, header, table, "", Languages.UNKNOWN, header.defaultStrOffsetsBase(), 0);
        }
        DieScratch die = reader.die;
        long base = die.get(Slot.STR_OFFSETS_BASE, header.defaultStrOffsetsBase());
        if (die.has(Slot.DWO_NAME)) {
            throw new UnsupportedInputException(
                    sections.info().name(),
                    header.unitOffset(),
                    "the unit is split: its types are in another file; needs "
                            + HostileText.quote(names.text(die.get(Slot.DWO_NAME), header, base)));
        }
        String name = die.has(Slot.NAME) ? names.text(die.get(Slot.NAME), header, base) : "";
        Language language = die.has(Slot.LANGUAGE) ? Languages.of(die.get(Slot.LANGUAGE)) : Languages.UNKNOWN;
        return new Unit(index, header, table, name, language, base, abbreviation.tag());
    }

    private AbbreviationTable table(UnitHeader header) throws ExtractionException {
        TableKey key = new TableKey(header.abbrevOffset(), header.version(), header.addressSize(), header.offsetSize());
        AbbreviationTable known = tables.get(key);
        if (known != null) {
            return known;
        }
        AbbreviationTable table = AbbreviationTable.read(
                sections.abbrev(), key.offset, key.version, key.addressSize, key.offsetSize, limits);
        tables.put(key, table);
        return table;
    }

    DieReader reader(Unit unit) throws ExtractionException {
        return new DieReader(this, unit.header(), unit.abbreviations());
    }

    /** Notes that a unit imports the partial unit at {@code unitDie}. */
    void importedBy(long unitDie, Unit importer) throws ExtractionException {
        if (unitDie > 0) {
            long partial = unit(unitDie).header().unitOffset();
            importedLanguages.merge(
                    partial,
                    importer.language(),
                    (known, next) -> LANGUAGE_RANK.compare(known, next) <= 0 ? known : next);
        }
    }

    /** The language of a unit: its own, or for a partial unit that of its importers, C before all others. */
    Language language(Unit unit) {
        return !unit.language().equals(Languages.UNKNOWN)
                ? unit.language()
                : importedLanguages.getOrDefault(unit.header().unitOffset(), Languages.UNKNOWN);
    }

    LimitExceededException tooManyMembers(long dieOffset) {
        return new LimitExceededException(
                sections.info().name(),
                dieOffset,
                "maxMembersPerType",
                limits.maxMembersPerType(),
                "a type has more members");
    }
}
