package dev.offsetd.extractor.item;

import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.symbol.SymbolIndex;
import dev.offsetd.extractor.symbol.TlsSegment;
import java.util.Optional;

/**
 * What there is of a build to answer items from.
 *
 * @param types empty if the build has no debug information
 * @param symbols empty if they are not looked at; {@link Item#needsSymbols} tells which items need them
 */
public record BuildContents(Optional<TypeIndex> types, Optional<Symbols> symbols) {

    /** Types alone. */
    public static BuildContents ofTypes(TypeIndex types) {
        return new BuildContents(Optional.of(types), Optional.empty());
    }

    /**
     * The symbols of a build.
     *
     * @param tls the segment of its thread-local variables; empty if it has none
     */
    public record Symbols(SymbolIndex index, Optional<TlsSegment> tls) {}
}
