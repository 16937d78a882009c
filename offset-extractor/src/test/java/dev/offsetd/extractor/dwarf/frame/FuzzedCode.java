package dev.offsetd.extractor.dwarf.frame;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Reads three units, of DWARF 4 and 5, with sections that a fuzzer made. */
final class FuzzedCode {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);
    private static final long CODE = 0x1000;

    private FuzzedCode() {}

    static void requireSafe(Path folder, boolean bigEndian, Consumer<ElfWriter> sections, long bytes)
            throws IOException {
        ByteOrder order = bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        ElfWriter elf = DwarfWriter.write(DwarfStyle.DEFAULT.withOrder(order), unit(0), unit(1).in(4), unit(7))
                .toElf()
                .code(".text", CODE, 0x1000);
        sections.accept(elf);
        Path file = Files.write(folder.resolve("code"), elf.toBytes());
        HostileRun.answer("frames", HostileRun.allocationBound(1024 + bytes), () -> {
            FrameTable whole = DebugInfo.read(file, OPTIONS, DebugInfo::allFrames);
            return whole.at(CODE).size()
                    + whole.at(0).size()
                    + DebugInfo.read(file, OPTIONS, info -> info.frames(CODE, -1))
                            .ranges()
                            .size();
        });
    }

    private static Unit unit(long place) {
        return unitOf(die(
                DW_TAG_compile_unit,
                name("a.c"),
                attribute(DW_AT_comp_dir, new Text("/src")),
                attribute(DW_AT_low_pc, DW_FORM_addr, CODE),
                attribute(0x55, DW_FORM_sec_offset, place),
                attribute(DW_AT_stmt_list, DW_FORM_sec_offset, place),
                die(
                        DW_TAG_subprogram,
                        label("f" + place),
                        name("f"),
                        attribute(0x55, DW_FORM_sec_offset, place),
                        die(
                                DW_TAG_inlined_subroutine,
                                attribute(DW_AT_abstract_origin, new Ref("f" + place)),
                                attribute(0x55, DW_FORM_sec_offset, place),
                                attribute(0x58, DW_FORM_data1, 1))),
                die(
                        DW_TAG_subprogram,
                        name("g"),
                        attribute(DW_AT_low_pc, DW_FORM_addr, CODE),
                        attribute(DW_AT_high_pc, DW_FORM_data4, 64))));
    }
}
