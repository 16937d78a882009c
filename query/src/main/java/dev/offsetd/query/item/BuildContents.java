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

    /** The same with what is said of the types in place of the debug information. */
    public BuildContents(Optional<TypeIndex> types, Optional<SymbolSearch> symbols, Overrides overrides) {
        this(overrides.isEmpty() ? types : Optional.of(overrides.over(types)), symbols);
    }

    /** Types alone. */
    public static BuildContents ofTypes(TypeIndex types) {
        return new BuildContents(Optional.of(types), Optional.empty());
    }
}
