package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.TypeIndex;
import java.util.Optional;

/**
 * What there is of a build to answer the items of a question from.
 *
 * @param types empty if the build has no debug information
 * @param symbols empty if they are not looked at; {@link Item#needsSymbols} tells which items need them
 */
public record BuildContents(Optional<TypeIndex> types, Optional<SymbolSearch> symbols) {

    /** Types alone. */
    public static BuildContents ofTypes(TypeIndex types) {
        return new BuildContents(Optional.of(types), Optional.empty());
    }
}
