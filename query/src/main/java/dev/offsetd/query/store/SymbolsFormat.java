package dev.offsetd.query.store;

import dev.offsetd.extractor.layout.SymbolBinding;
import dev.offsetd.extractor.layout.SymbolSection;
import dev.offsetd.extractor.layout.SymbolSource;
import dev.offsetd.extractor.layout.SymbolType;
import dev.offsetd.extractor.layout.SymbolVisibility;
import dev.offsetd.extractor.layout.ValueRule;
import java.util.HexFormat;

/**
 * The layout of stored symbols, in words and constants.
 *
 * <p>A {@link StoredBlob} with three tables of blocks: distinct names, symbols, places. A name's
 * entry says which symbols have it; they lie side by side, sorted by name. A place is an address that answers, sorted by
 * it, with the number of its symbol. The directory also has what symbols share: versions, sections and the tables that
 * they were found in, and for each block of places how far its places reach. So a name costs two or three blocks of some 32
 * KiB and an address as many, however many symbols there are.
 */
final class SymbolsFormat {

    static final int MAGIC = 0x4f465359;

    /** Rises when old readers cannot read new blobs. */
    static final int FORMAT = 1;

    static final SymbolType[] TYPES = SymbolType.values();
    static final SymbolBinding[] BINDINGS = SymbolBinding.values();
    static final SymbolVisibility[] VISIBILITIES = SymbolVisibility.values();
    static final SymbolSection.Kind[] SECTION_KINDS = SymbolSection.Kind.values();
    static final SymbolSource.Table[] TABLES = SymbolSource.Table.values();
    static final ValueRule[] VALUE_RULES = ValueRule.values();

    private SymbolsFormat() {}

    /** An address as a key that sorts like it. */
    static String key(long address) {
        return HexFormat.of().toHexDigits(address);
    }
}
