package dev.offsetd.extractor.dwarf.frame;

import dev.offsetd.extractor.bytes.AddressRanges;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Omission.Part;

/** Reads the frames of units, one after the other. A fault leaves out what it concerns: lines, functions, or both. Not thread-safe. */
public final class FrameUnitReader {

    private static final AddressRanges EVERYWHERE = new AddressRanges();

    static {
        EVERYWHERE.add(0, -1);
    }

    private final CodeUnits units;
    private final DwarfUnits dwarf;
    private final RangeReader ranges;
    private final ScopeReader scopes;
    private final MemoryAccount ofUnit;
    private final FunctionNames names;
    private final LineRows rows;

    /** @param units of the file */
    public FrameUnitReader(CodeUnits units) {
        this.units = units;
        this.dwarf = units.dwarf();
        MemoryAccount kept = new MemoryAccount(dwarf);
        this.rows = new LineRows(dwarf, kept);
        this.ranges = units.ranges();
        this.scopes = new ScopeReader(dwarf, ranges, kept);
        this.ofUnit = new MemoryAccount(dwarf);
        this.names = new FunctionNames(dwarf, ofUnit);
    }

    /** Returns the frames of the unit with this index. Their texts are charged until the caller releases them. */
    public FrameTable read(int index) throws LimitExceededException {
        CodeUnit unit = units.at(index);
        if (unit == null) {
            return FrameTable.EMPTY;
        }
        LineHeader header = null;
        rows.clear();
        try {
            // Without the section, which strip can remove, the file has functions only.
            if (unit.hasLines() && dwarf.code(0).line().size() > 0) {
                header = header(unit);
                run(header, unit);
            }
        } catch (ExtractionException e) {
            dwarf.omit(Part.UNIT, unit.unit().header().startAddress(), e);
        }
        try {
            scopes.read(unit);
        } catch (ExtractionException e) {
            dwarf.omit(Part.UNIT, unit.unit().header().startAddress(), e);
        }
        AddressRanges stated = unit.statesAllCode() ? unit.statedCode(ranges) : null;
        FrameTable table = new UnitFrameBuilder(unit, scopes, names, rows, header)
                .build(stated == null ? EVERYWHERE : stated.sorted());
        names.endUnit();
        ofUnit.clear();
        unit.keep(table.textBytes());
        return table;
    }

    private LineHeader header(CodeUnit unit) throws ExtractionException {
        units.programs().require(dwarf.code(0).line(), unit.lineProgram());
        LineHeader header = new LineHeader(dwarf, unit.linked().unit(), unit.lineProgram(), unit.folder(), ofUnit);
        // Before the tables are read: their fault may be at their end.
        units.programs().spend(header.byteSize());
        header.readTables();
        return header;
    }

    private void run(LineHeader header, CodeUnit unit) throws ExtractionException {
        String section = dwarf.code(0).line().name();
        MalformedInputException fault = new LineProgram(header, units.code(), rows, dwarf.deadline(), section).run();
        if (fault != null) {
            dwarf.omit(Part.UNIT, unit.unit().header().startAddress(), fault);
        }
    }
}
