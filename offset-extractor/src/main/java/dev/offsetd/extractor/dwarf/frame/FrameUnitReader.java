package dev.offsetd.extractor.dwarf.frame;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Omission.Part;
import java.util.List;

/** Reads the frames of units, one after the other. A fault leaves out what it concerns: lines, functions, or both. Not thread-safe. */
public final class FrameUnitReader {

    private final CodeUnits units;
    private final DwarfUnits dwarf;
    private final ScopeReader scopes;
    private final FunctionNames names;
    private final LineRows rows;

    /** @param units of the file */
    public FrameUnitReader(CodeUnits units) {
        this.units = units;
        this.dwarf = units.dwarf();
        MemoryAccount kept = new MemoryAccount(dwarf);
        this.rows = new LineRows(kept);
        this.scopes = new ScopeReader(dwarf, units.ranges(), kept);
        this.names = new FunctionNames(dwarf);
    }

    /** Returns the frames of the unit with this index. */
    public FrameTable read(int index) throws LimitExceededException {
        CodeUnit unit = units.at(index);
        if (unit == null) {
            return new FrameTable(List.of(), List.of(), List.of(), List.of());
        }
        names.beginUnit();
        LineHeader header = null;
        rows.clear();
        try {
            header = unit.hasLines()
                    ? new LineHeader(dwarf, unit.linked().unit(), unit.lineProgram(), unit.folder())
                    : null;
            if (header != null) {
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
        return new UnitFrameBuilder(unit, scopes, names, rows, header).build();
    }

    private void run(LineHeader header, CodeUnit unit) throws ExtractionException {
        Section lines = dwarf.code(0).line();
        units.programs().require(lines, unit.lineProgram());
        units.programs().spend(header.programBytes());
        MalformedInputException fault =
                new LineProgram(header, units.code(), rows, dwarf.deadline(), lines.name()).run();
        if (fault != null) {
            dwarf.omit(Part.UNIT, unit.unit().header().startAddress(), fault);
        }
    }
}
