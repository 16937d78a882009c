package dev.offsetd.extractor.identity.scan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.identity.IdentityField.Kind;
import dev.offsetd.extractor.identity.Probes;
import dev.offsetd.extractor.identity.VariantToken;
import dev.offsetd.extractor.identity.VariantToken.Evidence;
import dev.offsetd.extractor.identity.VersionProbe;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VariantSearchTests {

    private static final Probes PROBES = new Probes(
            List.of(new VersionProbe("lang", "lang", ".rodata", "lang {version} (", "")),
            List.of(
                    new VariantToken("lang", "jit", Evidence.SYMBOL, "jit"),
                    new VariantToken("lang", "state", Evidence.SIZE, "lang_state"),
                    new VariantToken("lang", "debug", Evidence.TEXT, "debug build"),
                    new VariantToken("other", "x", Evidence.TEXT, "lang")));

    private static final String NAMES = "\0jit\0lang_state\0jitter\0";
    private static final int JIT = 1;
    private static final int STATE = 5;
    private static final int JITTER = 16;

    /** A symbol that is in section 1, or in none. */
    private record Entry(int name, long size, boolean defined) {}

    private static List<String> variants(int bits, ByteOrder order, String rodata, Entry... entries) {
        ByteBuffer table =
                ByteBuffer.allocate((bits == 64 ? 24 : 16) * entries.length).order(order);
        for (Entry entry : entries) {
            table.putInt(entry.name);
            short section = (short) (entry.defined ? 1 : 0);
            if (bits == 64) {
                table.putShort((short) 0x11).putShort(section).putLong(0x1000).putLong(entry.size);
            } else {
                table.putInt(0x1000)
                        .putInt((int) entry.size)
                        .putShort((short) 0x11)
                        .putShort(section);
            }
        }
        Map<String, byte[]> sections = new HashMap<>();
        sections.put(".rodata", rodata.getBytes(StandardCharsets.UTF_8));
        sections.put(".dynstr", NAMES.getBytes(StandardCharsets.UTF_8));
        if (entries.length > 0) {
            sections.put(".dynsym", table.array());
        }
        return SectionIdentity.read(new Sections(bits, order, sections), PROBES).all(Kind.VARIANT);
    }

    /** Sections without addresses and notes. */
    private record Sections(int bits, ByteOrder order, Map<String, byte[]> contents) implements SectionSource {

        @Override
        public Section section(String name) {
            return has(name) ? new Section(name, MemorySegment.ofArray(contents.get(name)), order) : absent();
        }

        private Section absent() {
            return Section.absent("section", order);
        }

        @Override
        public boolean has(String name) {
            return contents.containsKey(name);
        }

        @Override
        public Section note(String owner, int type) {
            return absent();
        }

        @Override
        public Section loadedAt(long address) {
            return absent();
        }

        @Override
        public List<Section> data() {
            return List.of();
        }

        @Override
        public int addressBytes() {
            return bits / Byte.SIZE;
        }
    }

    @ParameterizedTest
    @CsvSource({"64, LITTLE", "64, BIG", "32, LITTLE", "32, BIG"})
    void eachTokenThatIsLookedForHasAState(int bits, String order) {
        ByteOrder bytes = order.equals("BIG") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;

        assertThat(variants(
                        bits,
                        bytes,
                        "lang 1.2 (x)\0debug build 7\0",
                        new Entry(0, 0, false),
                        new Entry(JIT, 8, true),
                        new Entry(STATE, 4096, true)))
                .containsExactly("lang.jit=yes", "lang.state=4096", "lang.debug=yes");
        assertThat(variants(
                        bits,
                        bytes,
                        "lang 1.2 (x)\0a debug build\0",
                        new Entry(JIT, 0, false),
                        new Entry(JITTER, 9, true)))
                .containsExactly("lang.jit=no", "lang.state=no", "lang.debug=no");
    }

    @Test
    void withoutASymbolTableNothingIsStatedOfSymbols() {
        assertThat(variants(64, ByteOrder.LITTLE_ENDIAN, "lang 1.2 (x)\0")).containsExactly("lang.debug=no");
    }

    @Test
    void tokensAreLookedForOnlyWhereAVersionOfTheirSetIsFound() {
        assertThat(variants(64, ByteOrder.LITTLE_ENDIAN, "debug build\0", new Entry(JIT, 8, true)))
                .isEmpty();
    }

    @Test
    void namesOutsideTheirSectionAreNoTokens() {
        assertThat(variants(
                        64, ByteOrder.LITTLE_ENDIAN, "lang 1.2 (x)\0", new Entry(-1, 8, true), new Entry(99, 8, true)))
                .contains("lang.jit=no");
    }
}
