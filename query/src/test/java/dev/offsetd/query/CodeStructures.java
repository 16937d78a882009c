package dev.offsetd.query;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;

import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.HugeFile;
import dev.offsetd.extractor.testkit.LineProgramWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** Structures of functions and lines that may grow without bound. A structure is added by a line of the table. */
final class CodeStructures {

    private CodeStructures() {}

    /** Address of the code of these files. */
    static final long CODE = 0x1000;

    private static final int DW_AT_ranges = 0x55;

    /** Returns files with functions and lines: rows, files, functions, and what functions and units share. */
    static Map<String, IntFunction<byte[]>> all() {
        Map<String, IntFunction<byte[]>> files = new LinkedHashMap<>();
        files.put("rows of lines", n -> code(lines(n, 1, 1), unit(0)));
        files.put("sequences of lines", n -> code(lines(1, n, 1), unit(0)));
        files.put("files of lines", n -> code(lines(1, 1, n), unit(0)));
        files.put("files and folders without names", n -> code(lines(1, 1, 1).nameless(n, n), unit(0)));
        files.put(
                "units with one table of files",
                n -> code(lines(1, 1, n), FileStructures.each(n, _ -> unit(0)).toArray(Unit[]::new)));
        files.put("ranges of a unit", n -> code(lines(1, 1, 1), n, rangedUnit()));
        files.put(
                "units with one list of ranges",
                n -> code(
                        lines(1, 1, 1),
                        n,
                        FileStructures.each(n, _ -> rangedUnit()).toArray(Unit[]::new)));
        files.put(
                "symbols in a function without a name",
                n -> HugeFile.SYMBOLS_OF_A_FUNCTION.write(8 * n).toBytes());
        files.put(
                "path of a file",
                n -> code(
                        program()
                                .file("d/".repeat(n))
                                .setFile(0)
                                .address(CODE)
                                .row(0, 1)
                                .end(4),
                        unit(0)));
        files.put("folder of files", n -> code(lines(1, 1, n), unit(0, "d/".repeat(n))));
        files.put(
                "units with one line program",
                n -> code(lines(n, 1, 1), FileStructures.each(n, _ -> unit(0)).toArray(Unit[]::new)));
        files.put(
                "functions",
                n -> code(
                        lines(1, 1, 1),
                        unit(0, FileStructures.parts(FileStructures.each(n, i -> function("f" + i, CODE + i))))));
        files.put(
                "functions at one place",
                n -> code(
                        lines(n, 1, 1),
                        unit(0, FileStructures.parts(FileStructures.each(n, i -> function("f" + i, CODE))))));
        files.put("functions in functions", n -> code(lines(1, 1, 1), unit(0, nested(Math.min(n, 400)))));
        files.put(
                "functions with one list of ranges",
                n -> code(
                        lines(1, 1, 1), unit(0, FileStructures.parts(FileStructures.each(n, CodeStructures::ranged)))));
        files.put(
                "name of functions",
                n -> code(
                        lines(1, 1, 1),
                        unit(0, FileStructures.parts(FileStructures.each(n, _ -> function("f".repeat(n), CODE))))));
        return files;
    }

    private static LineProgramWriter program() {
        return new LineProgramWriter(5, DwarfStyle.DEFAULT.order());
    }

    private static LineProgramWriter lines(int rows, int sequences, int files) {
        LineProgramWriter program = program();
        FileStructures.each(files, i -> program.file("f" + i + ".c"));
        for (int i = 0; i < sequences; i++) {
            program.address(CODE + i);
            for (int row = 0; row < rows; row++) {
                program.setFile(row % files).row(1, 1);
            }
            FileStructures.each(
                    rows == 1 ? files : 0, file -> program.setFile(file).row(1, 1));
            program.end(2);
        }
        return program;
    }

    private static byte[] code(LineProgramWriter lines, Unit... units) {
        return code(lines, units.length == 1 ? units[0].root().parts().size() : 1, units);
    }

    private static byte[] code(LineProgramWriter lines, int count, Unit... units) {
        BinaryWriter ranges = new BinaryWriter(DwarfStyle.DEFAULT.order()).u8(5).u64(CODE);
        for (int i = 0; i < count; i++) {
            ranges.u8(4).uleb(2L * i).uleb(2L * i + 1);
        }
        return DwarfWriter.write(DwarfStyle.DEFAULT, units)
                .toElf()
                .code(".text", CODE, 1 << 24)
                .section(".debug_line", lines.toBytes())
                .section(".debug_rnglists", ranges.u8(0).toBytes())
                .toBytes();
    }

    private static Unit rangedUnit() {
        return unitOf(die(
                DW_TAG_compile_unit,
                name("a.c"),
                attribute(DW_AT_stmt_list, DW_FORM_sec_offset, 0),
                attribute(DW_AT_ranges, DW_FORM_sec_offset, 0)));
    }

    private static Unit unit(long lines, Part... children) {
        return unit(lines, "/src", children);
    }

    private static Unit unit(long lines, String folder, Part... children) {
        return unitOf(die(
                DW_TAG_compile_unit,
                name("a.c"),
                attribute(DW_AT_comp_dir, new Text(folder)),
                attribute(DW_AT_stmt_list, DW_FORM_sec_offset, lines),
                attribute(DW_AT_low_pc, DW_FORM_addr, CODE),
                attribute(DW_AT_high_pc, DW_FORM_data4, 1 << 24),
                FileStructures.parts(List.of(children))));
    }

    private static Die function(String name, long address) {
        return die(
                DW_TAG_subprogram,
                name(name),
                attribute(DW_AT_low_pc, DW_FORM_addr, address),
                attribute(DW_AT_high_pc, DW_FORM_data4, 16));
    }

    private static Die ranged(int number) {
        return die(DW_TAG_subprogram, name("f" + number), attribute(DW_AT_ranges, DW_FORM_sec_offset, 0));
    }

    private static Die nested(int levels) {
        Die inner = die(DW_TAG_lexical_block);
        for (int level = 0; level < levels; level++) {
            inner = die(
                    level + 1 == levels ? DW_TAG_subprogram : DW_TAG_inlined_subroutine,
                    name("f" + level),
                    attribute(DW_AT_low_pc, DW_FORM_addr, CODE + levels - level),
                    attribute(DW_AT_high_pc, DW_FORM_data4, 2L * level + 1),
                    inner);
        }
        return inner;
    }
}
