package dev.offsetd.extractor.dwarf.unit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.testkit.BinaryWriter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class UnitIndexTests {

    private static final int INFO = 1;
    private static final int TYPES = 2;
    private static final int ABBREV = 3;

    /** An index without slots, whose units each have an offset in a section and one in {@code .debug_abbrev.dwo}. */
    private static Section index(String name, int version, int section, long... offsets) {
        BinaryWriter out = new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                .u16(version)
                .u16(0)
                .u32(2)
                .u32(offsets.length / 2)
                .u32(0)
                .u32(section)
                .u32(ABBREV);
        for (long offset : offsets) {
            out.u32(offset);
        }
        for (int sizes = 0; sizes < offsets.length; sizes++) {
            out.u32(8);
        }
        return new Section(name, MemorySegment.ofArray(out.toBytes()), ByteOrder.LITTLE_ENDIAN);
    }

    /** Type units of the second compilation may stand before its compile unit, right behind the first one's. */
    @Test
    void typeUnitsOfDwarf5HaveSharesOfTheirOwn() throws ExtractionException {
        Section cuIndex = index(".debug_cu_index", 5, INFO, 0, 0, 300, 1000);
        Section tuIndex = index(".debug_tu_index", 5, INFO, 200, 1000, 100, 0);
        UnitIndex index = UnitIndex.ofInfo(cuIndex, tuIndex);
        assertThat(index.of(0).abbrev()).isZero();
        assertThat(index.of(100).abbrev()).isZero();
        assertThat(index.of(200).abbrev()).isEqualTo(1000);
        assertThat(index.of(300).abbrev()).isEqualTo(1000);
        assertThat(UnitIndex.ofTypes(tuIndex).of(200)).isEqualTo(Contribution.WHOLE);
    }

    @Test
    void typeUnitsOfDwarf4AreInASectionOfTheirOwn() throws ExtractionException {
        Section cuIndex = index(".debug_cu_index", 2, INFO, 0, 0, 300, 1000);
        Section tuIndex = index(".debug_tu_index", 2, TYPES, 0, 0, 200, 1000);
        assertThat(UnitIndex.ofInfo(cuIndex, tuIndex).of(200).abbrev()).isZero();
        assertThat(UnitIndex.ofTypes(tuIndex).of(200).abbrev()).isEqualTo(1000);
    }
}
