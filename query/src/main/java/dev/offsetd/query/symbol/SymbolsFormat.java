package dev.offsetd.query.symbol;

import dev.offsetd.extractor.symbols.GoFunction;
import dev.offsetd.extractor.symbols.SymbolBinding;
import dev.offsetd.extractor.symbols.SymbolSection;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.symbols.SymbolVisibility;
import dev.offsetd.extractor.symbols.ValueRule;
import dev.offsetd.query.store.StoredBlob;
import java.util.HexFormat;

/**
 * Format of stored symbols.
 *
 * <p>A {@link StoredBlob} with three tables of blocks: distinct names, symbols, and addresses. The entry of a name has the
 * range of its symbols, which are sorted by name. Entries of addresses are sorted by address and have the number of the
 * symbol there. The directory also has the values that symbols share, versions, sections and source tables, and the
 * greatest end in each block of addresses, the program header table, and the source files of Go functions. So a name or an address costs two or three blocks of about 32 KiB, however many
 * symbols there are.
 */
final class SymbolsFormat {

    static final int MAGIC = 0x4f465359;

    /** Incremented when old readers cannot read new blobs. */
    static final int FORMAT = 1;

    static final SymbolType[] TYPES = SymbolType.values();
    static final SymbolBinding[] BINDINGS = SymbolBinding.values();
    static final SymbolVisibility[] VISIBILITIES = SymbolVisibility.values();
    static final SymbolSection.Kind[] SECTION_KINDS = SymbolSection.Kind.values();
    static final SymbolSource.Table[] TABLES = SymbolSource.Table.values();
    static final GoFunction.Abi[] ABIS = GoFunction.Abi.values();
    static final ValueRule[] VALUE_RULES = ValueRule.values();

    private SymbolsFormat() {}

    /** Returns an address as a key that sorts like it. */
    static String key(long address) {
        return HexFormat.of().toHexDigits(address);
    }
}
