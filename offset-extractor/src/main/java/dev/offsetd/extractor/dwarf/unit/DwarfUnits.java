package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.AbbreviationTable;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Omission.Part;
import dev.offsetd.extractor.omission.OmissionLog;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The units of a file and of the split and supplementary files that it is read with. Headers, unit DIEs and abbreviation
 * tables are read when a unit is first needed. Thread-safe; the readers it creates are not.
 */
public final class DwarfUnits {

    /** Heap of a unit: its header, its record and its places in tables. */
    private static final int UNIT_BYTES = 320;

    /** Heap of a name that no section has, without its text. */
    private static final int NAME_BYTES = 250;

    /** Split files beside the file itself and the supplementary file. */
    static final int MAX_SPLIT_FILES = NameRef.MAX_FILES - 2;

    private final DwarfSections[] files;
    private final int supplementaryFile;
    private final boolean splitUnitsGiven;
    private final List<SkeletonUnit> missing;

    /** Where the addresses of a split unit start, by {@link SkeletonUnit#dwoId()}. */
    private final Map<Long, Long> addressBases = new HashMap<>();

    private final Section[] unitSections;
    private final Limits limits;
    private final HeapBudget heap;
    private final Deadline deadline;
    private final DieNames names;
    private final UnitTable headers;

    /** By index, as far as read. Units are immutable, so an unsynchronized read of an element is safe. */
    private volatile @Nullable Unit[] units = new Unit[16];

    private final OmissionLog omissions;

    private final AbbreviationTables tables;

    /** The units that stand for a module of clang, by address, as far as read. */
    private final Map<Long, SkeletonUnit> modules = new ConcurrentSkipListMap<>();

    private final UnitUsers users;

    private DwarfUnits(
            DwarfSections own, SplitUnits split, @Nullable DwarfSections supplementary, Limits limits, HeapBudget heap)
            throws ExtractionException {
        List<DwarfSections> all = new ArrayList<>();
        all.add(own);
        all.addAll(split.sections());
        this.supplementaryFile = all.size();
        this.splitUnitsGiven = !split.sections().isEmpty() || !split.missing().isEmpty();
        this.missing = split.missing();
        for (SkeletonUnit skeleton : split.skeletons()) {
            // Two that share a split unit do not tell which one its addresses are from.
            addressBases.merge(
                    skeleton.dwoId(),
                    skeleton.addressBase(),
                    (one, other) -> one.equals(other) ? one : UnitHeader.NO_BASE);
        }
        // Last, so that the units that are the file's own have the lower indexes.
        if (supplementary != null) {
            all.add(supplementary);
        }
        this.files = all.toArray(DwarfSections[]::new);
        this.unitSections = all.stream()
                .flatMap(file -> Stream.of(file.info(), file.types()))
                .toArray(Section[]::new);
        this.limits = limits;
        this.heap = heap;
        this.tables = new AbbreviationTables(files, this, heap);
        this.users = new UnitUsers(supplementaryFile);
        this.omissions = new OmissionLog(heap);
        this.deadline = Deadline.currentOr(limits);
        this.names = new DieNames(files, limits, deadline);
        List<UnitIndex> indexes = new ArrayList<>();
        for (DwarfSections file : files) {
            indexes.add(UnitIndex.ofInfo(file.cuIndex(), file.tuIndex()));
            indexes.add(UnitIndex.ofTypes(file.tuIndex()));
        }
        this.headers = new UnitTable(unitSections, indexes.toArray(UnitIndex[]::new), this);
    }

    /** Opens the debug information of a file that has all of it. */
    public static DwarfUnits open(DwarfSections own, Limits limits, HeapBudget heap) throws ExtractionException {
        return open(own, SplitUnits.NONE, null, limits, heap);
    }

    /**
     * Opens the debug information of a file. Units are read when they are first needed.
     *
     * @param supplementary the sections of the file that this one refers to (DWARF 5 §7.3.6), or null
     * @param heap charged with the memory of the units
     */
    public static DwarfUnits open(
            DwarfSections own, SplitUnits split, @Nullable DwarfSections supplementary, Limits limits, HeapBudget heap)
            throws ExtractionException {
        int files = split.sections().size();
        if (files > MAX_SPLIT_FILES) {
            throw new UnsupportedInputException(
                    own.info().name(),
                    ExtractionException.NO_OFFSET,
                    "its units are split over " + files + " files; up to " + MAX_SPLIT_FILES
                            + " are supported, more in one .dwp file");
        }
        return new DwarfUnits(own, split, supplementary, limits, heap);
    }

    /**
     * Returns the skeleton units of the file: what they stand for is in other files.
     *
     * @param beforeDwarf5 whether to look for those of GNU's older way too, which only their unit DIE gives away
     */
    public List<SkeletonUnit> skeletonUnits(boolean beforeDwarf5) throws ExtractionException {
        List<SkeletonUnit> found = new ArrayList<>();
        for (int index = 0; headers.has(index); index++) {
            UnitHeader header = headers.header(index);
            boolean skeleton = header.unitType() == Dwarf.DW_UT_skeleton;
            if (header.file() == 0 && (skeleton || (beforeDwarf5 && header.version() < 5 && !header.isTypeUnit()))) {
                UnitDie die = unitDieIfReadable(header);
                if (die != null && die.isSkeleton()) {
                    found.add(skeleton(header, die));
                }
            }
        }
        return found;
    }

    private SkeletonUnit skeleton(UnitHeader header, UnitDie die) throws ExtractionException {
        String section = section(header.base()).name();
        return new SkeletonUnit(
                section,
                header.unitOffset(),
                die.dwoName(),
                die.compilationFolder(),
                die.dwoId(),
                die.addressBase(),
                die.isModule() ? "a module of clang, which is not read" : null);
    }

    private @Nullable UnitDie unitDie(UnitHeader header, AbbreviationTable table) throws ExtractionException {
        return UnitDie.read(new DieReader(this, header, table, null), names);
    }

    /** Returns the DIE of a unit, or null if it has none or a fault, which the scan of the unit notes. */
    private @Nullable UnitDie unitDieIfReadable(UnitHeader header) throws LimitExceededException {
        try {
            return unitDie(header, tables.of(header));
        } catch (LimitExceededException e) {
            throw e;
        } catch (ExtractionException e) {
            return null;
        }
    }

    /** Returns the ids of the split units of the file ({@link SkeletonUnit#dwoId()}). */
    public Set<Long> dwoIds() throws ExtractionException {
        Set<Long> found = new HashSet<>();
        for (int index = 0; headers.has(index); index++) {
            UnitHeader header = headers.header(index);
            UnitDie die = header.isTypeUnit() ? null : unitDieIfReadable(header);
            if (die != null) {
                found.add(die.dwoId());
            }
        }
        return found;
    }

    /**
     * Returns whether the file itself has a unit of this index, split ones included; they count from 0. Waits until it
     * is there.
     */
    public boolean hasOwnUnit(int index) throws ExtractionException {
        return headers.has(index) && headers.header(index).file() < supplementaryFile;
    }

    /** Returns the address of the first byte of the unit with this index, which must exist. */
    public long startAddress(int index) {
        return headers.header(index).startAddress();
    }

    /** Returns the bytes of the unit with this index, which must exist, header included. */
    public long byteSize(int index) {
        UnitHeader header = headers.header(index);
        return header.end() - header.unitOffset();
    }

    /** Returns how many units the file itself has, split ones included. */
    public int ownUnitCount() throws ExtractionException {
        int count = headers.count();
        while (count > 0 && !hasOwnUnit(count - 1)) {
            count--;
        }
        return count;
    }

    /** Returns the bytes of the sections of units of the file itself, split ones included. */
    public long ownBytes() {
        return Arrays.stream(unitSections)
                .limit(supplementaryFile * 2L)
                .mapToLong(Section::size)
                .sum();
    }

    /** Returns the units that were left out because their file was not found, as far as units have been scanned. */
    public List<SkeletonUnit> missing() {
        List<SkeletonUnit> all = new ArrayList<>(missing);
        modules.values().forEach(all::add);
        return all;
    }

    /** Notes a part that is left out, see {@link OmissionLog#omit}. */
    public void omit(Part part, long dieAddress, ExtractionException fault) throws LimitExceededException {
        omissions.omit(part, dieAddress, fault);
    }

    /** Returns the parts that were left out, as far as units have been scanned. */
    public OmissionLog omissions() {
        return omissions;
    }

    public Limits limits() {
        return limits;
    }

    public Deadline deadline() {
        return deadline;
    }

    /**
     * Checks how many entries of one kind are kept.
     *
     * @param what the entries, in the plural
     * @throws LimitExceededException if there are more than may be kept
     */
    public void requireEntries(long count, String what, long dieAddress) throws LimitExceededException {
        requireEntries(count, what, section(dieAddress).name(), DieAddress.offset(dieAddress));
    }

    void requireEntries(long count, String what, String section, long offset) throws LimitExceededException {
        if (count > limits.maxEntries()) {
            throw new LimitExceededException(
                    section, offset, "maxEntries", limits.maxEntries(), count + " " + what + " up to here");
        }
    }

    /** Charges heap memory to the DIE at this address. */
    public void keep(long heapBytes, long dieAddress) throws LimitExceededException {
        heap.keep(heapBytes, section(dieAddress).name(), DieAddress.offset(dieAddress));
    }

    public void release(long heapBytes) {
        heap.release(heapBytes);
    }

    public DieNames names() {
        return names;
    }

    /** Returns a resolved name with this text, which is kept as long as the file is read. */
    public long name(String text, long dieAddress) throws LimitExceededException {
        long known = names.composed(text);
        if (known != NameRef.NONE) {
            return known;
        }
        keep(NAME_BYTES + 4L * text.length(), dieAddress);
        return names.compose(text);
    }

    /**
     * Returns where the addresses of a unit start in {@link #addresses()}, or {@link UnitHeader#NO_BASE}. The
     * skeleton of a split unit states it, the unit does not (DWARF 5 §3.1.3).
     *
     * @param root the unit DIE
     */
    public long addressBase(Unit unit, DieScratch root) {
        UnitHeader header = unit.header();
        if (header.file() == 0) {
            return header.addressBase(root);
        }
        return header.isTypeUnit()
                ? UnitHeader.NO_BASE
                : addressBases.getOrDefault(root.get(Slot.DWO_ID, header.dwoId()), UnitHeader.NO_BASE);
    }

    /** Returns the table that indexed addresses of the file and of its split units are in. */
    public Section addresses() {
        return files[0].addr();
    }

    /** Returns whether the program has something at address 0, which linkers write for what they discard. */
    public boolean hasZero() {
        return files[0].hasZero();
    }

    /** Returns whether what DIEs say of code is read. */
    public boolean readsCode() {
        return files[0].code() != null;
    }

    /** Returns the sections that locate the code of the file itself, numbered 0, or of a split file. */
    public CodeSections code(int file) {
        return Objects.requireNonNull(files[file].code());
    }

    /** Returns whether some units are skeletons: what they stand for is in other files, or missing. */
    public boolean hasSkeletonUnits() {
        return splitUnitsGiven;
    }

    public boolean isBigEndian() {
        return unitSections[0].byteOrder() == ByteOrder.BIG_ENDIAN;
    }

    boolean hasSupplementaryFile() {
        return files.length > supplementaryFile;
    }

    /** Returns the number of the supplementary file; the one that it would have, if it has none. */
    public int supplementaryFile() {
        return supplementaryFile;
    }

    boolean isSupplementary(long dieAddress) {
        return DieAddress.file(dieAddress) == supplementaryFile;
    }

    /** Returns the section that holds the DIE at this address. */
    public Section section(long dieAddress) {
        return unitSections[DieAddress.section(dieAddress)];
    }

    /** Returns the address of the DIE of the type that has this signature, or {@link DieScratch#UNRESOLVED}. */
    long typeOfSignature(long signature) throws ExtractionException {
        return headers.typeOfSignature(signature);
    }

    /** Returns the unit that holds the DIE at this address. */
    public Unit unit(long dieAddress) throws ExtractionException {
        return unit(unitIndex(dieAddress));
    }

    private int unitIndex(long dieAddress) throws ExtractionException {
        int index = headers.indexOf(dieAddress);
        if (index < 0) {
            throw malformed(dieAddress, "offset outside every unit");
        }
        return index;
    }

    /** Returns the unit with this index, which must exist. */
    public Unit unit(int index) throws ExtractionException {
        @Nullable Unit[] read = units;
        Unit known = index < read.length ? read[index] : null;
        if (known != null) {
            return known;
        }
        Unit unit = readUnit(index, headers.header(index));
        keep(unit);
        return unit;
    }

    /** Returns the unit with this index, which must exist, or null if it has a fault, which its scan notes. */
    public @Nullable Unit unitIfReadable(int index) throws LimitExceededException {
        try {
            return unit(index);
        } catch (LimitExceededException e) {
            throw e;
        } catch (ExtractionException e) {
            return null;
        }
    }

    private synchronized void keep(Unit unit) throws LimitExceededException {
        keep(
                UNIT_BYTES + (long) Character.BYTES * unit.name().length(),
                unit.header().startAddress());
        if (unit.index() >= units.length) {
            units = Arrays.copyOf(units, Math.max(unit.index() + 1, units.length * 2));
        }
        units[unit.index()] = unit;
    }

    private Unit readUnit(int index, UnitHeader header) throws ExtractionException {
        AbbreviationTable table = tables.of(header);
        UnitDie die = unitDie(header, table);
        if (die == null) {
            return new Unit(
                    index,
                    header,
                    table,
                    "",
                    Languages.UNKNOWN,
                    NameRef.NONE,
                    NameRef.NONE,
                    header.defaultStrOffsetsBase());
        }
        if (die.isModule() && !isSplit(header)) {
            modules.put(header.startAddress(), skeleton(header, die));
        } else if (die.isSkeleton() && !splitUnitsGiven && !isSplit(header)) {
            throw new UnsupportedInputException(
                    section(header.base()).name(),
                    header.unitOffset(),
                    "the unit is split: its types are in another file; needs " + HostileText.quote(die.dwoName()));
        }
        return new Unit(
                index, header, table, die.name(), die.language(), die.producer(), die.folder(), die.strOffsetsBase());
    }

    /** Returns whether the unit is a split unit, which names its own file, too. */
    private boolean isSplit(UnitHeader header) {
        return section(header.base()).name().endsWith(".dwo");
    }

    public DieReader reader(Unit unit) throws ExtractionException {
        return new DieReader(this, unit);
    }

    /**
     * Notes that a unit imports the unit that holds the DIE at {@code dieAddress}, or refers to it.
     *
     * @return header of the unit that is used
     */
    public UnitHeader usedBy(long dieAddress, Unit user) throws ExtractionException {
        UnitHeader used = headers.header(unitIndex(dieAddress));
        users.add(used.startAddress(), language(user));
        return used;
    }

    /**
     * Returns the units of the supplementary file that the units scanned so far import or refer to, by index. Others
     * of its units belong to other files.
     */
    public List<Integer> usedOfSupplementaryFile() throws ExtractionException {
        return indexes(users.supplementary());
    }

    /**
     * Returns the units of the supplementary file that were first used since the last call of this method, or of {@link
     * #usedOfSupplementaryFile}.
     */
    public List<Integer> newlyUsedOfSupplementaryFile() throws ExtractionException {
        return indexes(users.newSupplementary());
    }

    private List<Integer> indexes(List<Long> startAddresses) throws ExtractionException {
        List<Integer> found = new ArrayList<>();
        for (long start : startAddresses) {
            found.add(unitIndex(start));
        }
        found.sort(null);
        return found;
    }

    /** Returns the language of a unit: its own, or for a partial unit that of its users, C before all others. */
    public Language language(Unit unit) {
        return unit.namesLanguage()
                ? unit.language()
                : users.language(unit.header().startAddress());
    }

    /** Returns whether one of the file's own units is written in a language of this family. */
    public boolean hasLanguage(Language.Family family) throws ExtractionException {
        for (int index = 0; hasOwnUnit(index); index++) {
            Unit unit = unitIfReadable(index);
            if (unit != null && unit.language().family() == family) {
                return true;
            }
        }
        return false;
    }

    public MalformedInputException malformed(long dieAddress, String problem) {
        return new MalformedInputException(section(dieAddress).name(), DieAddress.offset(dieAddress), problem);
    }

    public LimitExceededException tooManyMembers(long dieAddress) {
        return exceeded(
                dieAddress,
                "maxMembersPerType",
                limits.maxMembersPerType(),
                "a type has at least " + (limits.maxMembersPerType() + 1L) + " members");
    }

    public LimitExceededException tooDeep(long dieAddress) {
        return exceeded(
                dieAddress,
                "maxTypeDepth",
                limits.maxTypeDepth(),
                "a chain of at least " + (limits.maxTypeDepth() + 1L) + " type references");
    }

    /** Returns a limit that a DIE exceeds, see {@link LimitExceededException}. */
    public LimitExceededException exceeded(long dieAddress, String limit, long allowed, String observed) {
        return new LimitExceededException(
                section(dieAddress).name(), DieAddress.offset(dieAddress), limit, allowed, observed);
    }
}
