package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.symbols.SymbolVersion;
import org.jspecify.annotations.Nullable;

/**
 * A name out of a string table.
 *
 * @param whole as it stands there
 * @param name without the version that linkers and assemblers write after it into {@code .symtab}:
 *     {@code name@version}, {@code name@@version} for the default one
 * @param version null if there is none
 */
record SymbolName(String whole, String name, @Nullable SymbolVersion version) {

    static final SymbolName NONE = new SymbolName("", "", null);

    static SymbolName of(String whole) {
        int at = whole.indexOf('@');
        boolean isDefault = at > 0 && whole.startsWith("@@", at);
        int version = at + (isDefault ? 2 : 1);
        return at <= 0 || version >= whole.length()
                ? new SymbolName(whole, whole, null)
                : new SymbolName(whole, whole.substring(0, at), new SymbolVersion(whole.substring(version), isDefault));
    }
}
