package dev.offsetd.extractor.dwarf.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class DwarfUnitsTests {

    private static final Section EMPTY = Section.absent(".debug_info", ByteOrder.LITTLE_ENDIAN);

    private static final DwarfSections FILE =
            new DwarfSections(EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, false, null);

    private static DwarfUnits open(int splitFiles) throws ExtractionException {
        return DwarfUnits.open(
                FILE,
                new SplitUnits(Collections.nCopies(splitFiles, FILE), List.of(), List.of()),
                FILE,
                Limits.DEFAULT,
                new HeapBudget(Limits.DEFAULT.maxKeptBytes()));
    }

    @Test
    void namesAndAddressesTellAllFilesApart() throws ExtractionException {
        int last = open(DwarfUnits.MAX_SPLIT_FILES).supplementaryFile();

        assertThat(NameRef.file(NameRef.of(NameRef.inFile(last) | NameRef.STR, 7)))
                .isEqualTo(last);
        assertThat(DieAddress.info(last)).isPositive();
        assertThat(DieAddress.file(DieAddress.info(last))).isEqualTo(last);
        assertThatThrownBy(() -> open(DwarfUnits.MAX_SPLIT_FILES + 1))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("8191 files; up to 8190 are supported");
    }
}
