package dev.offsetd.extractor.dwarf.frame;

import dev.offsetd.extractor.bytes.AddressRanges;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.layout.Omission.Part;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The units of a file that may have code. Thread-safe. */
public final class CodeUnits {

    /** Heap of a unit that is kept with all attributes of its unit DIE. */
    private static final int SKELETON_BYTES = 1200;

    /** Heap of a number in a set. */
    private static final int ID_BYTES = 64;

    private final DwarfUnits dwarf;
    private final AddressRanges code;
    private final ReadingBudget programs = new ReadingBudget();
    private final ReadingBudget rangeLists = new ReadingBudget();

    /** By what they share with their split units. */
    private final Map<Long, CodeUnit> skeletons = new HashMap<>();

    /** The ids that the split units share with their skeletons. */
    private final Set<Long> splitUnits = new HashSet<>();

    /** @param code the parts of the file that have code, by address */
    public CodeUnits(DwarfUnits dwarf, AddressRanges code) throws ExtractionException {
        this.dwarf = dwarf;
        this.code = code;
        if (dwarf.hasSkeletonUnits()) {
            for (int index = 0; dwarf.hasOwnUnit(index); index++) {
                CodeUnit unit = readable(index);
                if (unit != null && unit.isSkeleton()) {
                    unit.keep(SKELETON_BYTES);
                    skeletons.put(unit.dwoId(), unit);
                } else if (unit != null && unit.isSplit()) {
                    unit.keep(ID_BYTES);
                    splitUnits.add(unit.dwoId());
                }
            }
        }
    }

    DwarfUnits dwarf() {
        return dwarf;
    }

    AddressRanges code() {
        return code;
    }

    /** Returns the bound on readings of line programs. */
    ReadingBudget programs() {
        return programs;
    }

    RangeReader ranges() {
        return new RangeReader(dwarf, code, rangeLists);
    }

    private @Nullable CodeUnit readable(int index) throws LimitExceededException {
        Unit unit = dwarf.unitIfReadable(index);
        if (unit == null) {
            return null;
        }
        try {
            return CodeUnit.read(dwarf, unit);
        } catch (LimitExceededException e) {
            throw e;
        } catch (ExtractionException unreadable) {
            return null;
        }
    }

    /**
     * Returns the unit of this index, or null if it has no code: a type unit, a unit that others import, the skeleton of a
     * unit that is there, or one with a fault, which is noted.
     */
    @Nullable
    CodeUnit at(int index) throws LimitExceededException {
        try {
            CodeUnit unit = CodeUnit.read(dwarf, dwarf.unit(index));
            if (unit == null || (unit.isSkeleton() && splitUnits.contains(unit.dwoId()))) {
                return null;
            }
            if (!unit.isSplit()) {
                return unit;
            }
            CodeUnit skeleton = skeletons.get(unit.dwoId());
            return skeleton == null ? null : unit.of(skeleton);
        } catch (ExtractionException e) {
            dwarf.omit(Part.UNIT, dwarf.startAddress(index), e);
            return null;
        }
    }

    /** Returns the indexes of all units. */
    public List<Integer> all() throws ExtractionException {
        List<Integer> indexes = new ArrayList<>();
        for (int index = 0; dwarf.hasOwnUnit(index); index++) {
            indexes.add(index);
        }
        return indexes;
    }

    /**
     * Returns the indexes of the units that state in their unit DIEs that they cover one of these addresses.
     *
     * @param addresses in ascending order, as unsigned numbers
     * @param orMay whether units that may cover one are among them, because they do not state where all of their code is
     */
    public List<Integer> covering(long[] addresses, boolean orMay) throws ExtractionException {
        RangeReader ranges = ranges();
        List<Integer> covering = new ArrayList<>();
        for (int index = 0; dwarf.hasOwnUnit(index); index++) {
            dwarf.deadline().check(".debug_info");
            CodeUnit unit = at(index);
            if (unit == null) {
                continue;
            }
            AddressRanges stated = unit.statedCode(ranges);
            if ((stated != null && stated.holdAny(addresses)) || (orMay && (stated == null || !unit.statesAllCode()))) {
                covering.add(index);
            }
        }
        return covering;
    }
}
