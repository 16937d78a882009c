package dev.offsetd.extractor.elf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SectionAddressesTests {

    private static SectionHeader section(int flags, long address, long size) {
        return new SectionHeader("", 0, SectionHeader.SHT_PROGBITS, flags, address, 0, size, 0, 0, 1, 0);
    }

    private static SectionHeader loaded(long address, long size) {
        return section(SectionHeader.SHF_ALLOC, address, size);
    }

    @Test
    void addressIsInTheFirstSectionThatIsLoadedThere() {
        SectionAddresses addresses = new SectionAddresses(List.of(
                section(0, 0, 0x9000),
                loaded(0x2000, 0x100),
                loaded(0x1000, 0x800),
                loaded(0x1000, 0x1800),
                loaded(0x1000, 0)));

        assertThat(addresses.indexAt(0xfff)).isEqualTo(-1);
        assertThat(addresses.indexAt(0x1000)).isEqualTo(2);
        assertThat(addresses.indexAt(0x17ff)).isEqualTo(2);
        assertThat(addresses.indexAt(0x1800)).isEqualTo(3);
        assertThat(addresses.indexAt(0x20ff)).isEqualTo(1);
        assertThat(addresses.indexAt(0x2100)).isEqualTo(3);
        assertThat(addresses.indexAt(0x2800)).isEqualTo(-1);
    }

    @Test
    void addressesAreUnsigned() {
        SectionAddresses addresses =
                new SectionAddresses(List.of(loaded(0xffff_ffff_8000_0000L, 0x7000_0000L), loaded(8, 8)));

        assertThat(addresses.indexAt(0xffff_ffff_8000_0000L)).isZero();
        assertThat(addresses.indexAt(0xffff_ffff_efff_ffffL)).isZero();
        assertThat(addresses.indexAt(0xffff_ffff_f000_0000L)).isEqualTo(-1);
        assertThat(addresses.indexAt(8)).isEqualTo(1);
    }
}
