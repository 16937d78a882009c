package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.TypeIndex;
import java.util.Optional;

/**
 * Contents of a build that items are answered from.
 *
 * @param types empty if the build has no debug information
 * @param symbols empty if they are not read; {@link Item#needsSymbols} tells which items need them
 */
public record BuildContents(Optional<TypeIndex> types, Optional<SymbolSearch> symbols) {

    public static BuildContents ofTypes(TypeIndex types) {
        return new BuildContents(Optional.of(types), Optional.empty());
    }
}
