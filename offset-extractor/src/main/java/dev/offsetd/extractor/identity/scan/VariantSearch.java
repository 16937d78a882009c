package dev.offsetd.extractor.identity.scan;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.identity.VariantToken;
import dev.offsetd.extractor.identity.VariantToken.Evidence;
import dev.offsetd.extractor.identity.VersionProbe;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Search for variant tokens. A section without contents states nothing: neither that a token is there nor that it is not. */
final class VariantSearch {

    private static final String DYNSYM = ".dynsym";
    private static final String DYNSTR = ".dynstr";

    private static final int SHN_UNDEF = 0;

    /** Most symbols that are read; of a larger table nothing is stated. */
    private static final int MAX_SYMBOLS = 1 << 20;

    private VariantSearch() {}

    /** Returns the state of each token that is the name or the size of a symbol (gABI, "Symbol Table"). */
    static List<IdentityField> symbols(List<VariantToken> tokens, SectionSource sections) throws ExtractionException {
        List<VariantToken> ofSymbols = tokens.stream()
                .filter(token -> token.evidence() != Evidence.TEXT)
                .toList();
        Section table = sections.section(DYNSYM);
        boolean wide = sections.addressBytes() == 8;
        int entryBytes = wide ? 24 : 16;
        if (ofSymbols.isEmpty() || table.size() < entryBytes || table.size() / entryBytes > MAX_SYMBOLS) {
            return List.of();
        }
        Section names = sections.section(DYNSTR);
        Map<String, Long> sizes = new HashMap<>();
        ByteCursor in = table.cursor();
        for (long at = 0; at + entryBytes <= table.size(); at += entryBytes) {
            Deadline.checkCurrent();
            in.seek(at);
            long name = in.u32();
            in.skip(wide ? 2 : 4);
            long size = 0;
            if (!wide) {
                size = in.u32();
                in.skip(2);
            }
            int section = in.u16();
            if (wide) {
                in.skip(8);
                size = in.u64();
            }
            for (VariantToken token : section == SHN_UNDEF ? List.<VariantToken>of() : ofSymbols) {
                if (isAt(names, name, token.value())) {
                    sizes.merge(token.value(), size, Math::max);
                }
            }
        }
        return ofSymbols.stream()
                .map(token -> token.field(state(token, sizes), DYNSYM))
                .toList();
    }

    /** Compares a name where it is: a hostile table may name a long string a million times. */
    private static boolean isAt(Section names, long offset, String name) {
        int length = name.length();
        if (offset + length >= names.size() || names.byteAt(offset + length) != 0) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (names.byteAt(offset + i) != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static String state(VariantToken token, Map<String, Long> sizes) {
        Long size = sizes.get(token.value());
        if (size == null) {
            return VariantToken.ABSENT;
        }
        return token.evidence() == Evidence.SIZE ? Long.toUnsignedString(size) : VariantToken.PRESENT;
    }

    /** Returns the state of each token that is a text. */
    static List<IdentityField> texts(List<VariantToken> tokens, SectionSource sections) throws ExtractionException {
        List<VariantToken> ofTexts = tokens.stream()
                .filter(token -> token.evidence() == Evidence.TEXT)
                .toList();
        Section rodata = sections.section(VersionProbe.RODATA);
        if (ofTexts.isEmpty() || rodata.isEmpty()) {
            return List.of();
        }
        Set<String> present =
                ProbeSearch.present(ofTexts.stream().map(VariantToken::value).toList(), rodata);
        return ofTexts.stream()
                .map(token -> token.field(
                        present.contains(token.value()) ? VariantToken.PRESENT : VariantToken.ABSENT,
                        VersionProbe.RODATA))
                .toList();
    }
}
