package dev.offsetd.extractor;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Variables of split units, whose addresses are in a table of the linked file. */
class SplitVariablesTests {

    private static final long DWO_ID = 0x1234;
    private static final int DISCARDED = 1;
    private static final int STATIC = 2;
    private static final int THREAD_LOCAL = 3;

    /** The table of addresses of two units; that of the second, with the unit's own addresses, starts at 24. */
    private static final byte[] ADDRESSES = new BinaryWriter(DwarfStyle.DEFAULT.order())
            .u64(0)
            .u64(0x7001)
            .u64(0x7002)
            .u64(0x2000)
            .u64(0)
            .u64(0x2010)
            .u64(0x18)
            .toBytes();

    @TempDir
    private Path folder;

    private static Unit skeleton(long addressBase) {
        return new Unit(
                null,
                DW_UT_skeleton,
                DWO_ID,
                null,
                die(
                        DW_TAG_skeleton_unit,
                        attribute(DW_AT_dwo_name, DW_FORM_string, "unit.dwo"),
                        attribute(DW_AT_addr_base, DW_FORM_sec_offset, addressBase)));
    }

    private static Die variable(String name, int... location) {
        return die(
                DW_TAG_variable, name(name), type("int"), attribute(DW_AT_location, DW_FORM_exprloc, blob(location)));
    }

    private List<Variable> variables(Unit... skeletons) throws IOException, ExtractionException {
        Unit split = new Unit(
                null,
                DW_UT_split_compile,
                DWO_ID,
                null,
                die(
                        DW_TAG_compile_unit,
                        name("a.c"),
                        attribute(DW_AT_language, DW_FORM_data1, DW_LANG_C11),
                        baseType("int", 4, DW_ATE_signed),
                        variable("global", DW_OP_addrx, 0),
                        variable("discarded", DW_OP_addrx, DISCARDED),
                        variable("per_thread", DW_OP_constx, THREAD_LOCAL, DW_OP_form_tls_address),
                        variable("per_thread_of_gnu", DW_OP_GNU_const_index, THREAD_LOCAL, DW_OP_GNU_push_tls_address),
                        die(
                                DW_TAG_subprogram,
                                name("f"),
                                variable("kept", DW_OP_addrx, STATIC),
                                variable("gone", DW_OP_addrx, DISCARDED))));
        DwarfSections dwo = DwarfWriter.write(DwarfStyle.DEFAULT, split);
        ElfWriter elf = new ElfWriter(64, DwarfStyle.DEFAULT.order());
        for (String name : List.of(".debug_info", ".debug_abbrev", ".debug_str")) {
            elf.section(name + ".dwo", dwo.section(name));
        }
        elf.writeTo(folder.resolve("unit.dwo"));
        Path file = DwarfWriter.write(DwarfStyle.DEFAULT, skeletons)
                .with(".debug_addr", ADDRESSES)
                .writeTo(folder.resolve("linked"));
        return DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll)
                .types()
                .variables();
    }

    /** The entry of a thread-local variable is its offset for clang, its address for GCC. */
    @Test
    void addressesAreWhereTheSkeletonSays() throws IOException, ExtractionException {
        assertThat(variables(skeleton(24)))
                .extracting(Variable::name, Variable::function, Variable::address, Variable::blockOffset)
                .containsExactly(
                        tuple("global", null, 0x2000L, null),
                        tuple("per_thread", null, null, null),
                        tuple("per_thread_of_gnu", null, null, null),
                        tuple("kept", "f", 0x2010L, null));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 56, 0xffff_fff0L, Long.MAX_VALUE})
    void baseOutsideTheTableLeavesAddressesUnknown(long base) throws IOException, ExtractionException {
        assertThat(variables(skeleton(base))).extracting(Variable::address).containsOnlyNulls();
    }

    @Test
    void twoSkeletonsOfOneSplitUnitLeaveItsAddressesUnknown() throws IOException, ExtractionException {
        assertThat(variables(skeleton(0), skeleton(24)))
                .extracting(Variable::address)
                .containsOnlyNulls();
    }
}
