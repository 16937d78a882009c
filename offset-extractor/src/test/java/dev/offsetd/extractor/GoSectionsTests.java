package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ElfWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoSectionsTests {

    /** By {@code elf.h} of glibc. */
    @ParameterizedTest
    @CsvSource({"62, 8", "183, 1027", "22, 12", "21, 22", "243, 3", "258, 3"})
    void relocationThatAddsTheLoadAddressIsThatOfTheMachine(int machine, int type) throws ExtractionException {
        byte[] program =
                new ElfWriter(64, ByteOrder.LITTLE_ENDIAN).machine(machine).toBytes();
        ElfFile elf = ElfFile.read(MemorySegment.ofArray(program), Arena.global(), Limits.DEFAULT);

        assertThat(new GoSections(elf).relativeRelocation()).isEqualTo(type);
    }
}
