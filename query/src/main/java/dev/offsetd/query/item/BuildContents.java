package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.TypeIndex;
import org.jspecify.annotations.Nullable;

/**
 * Contents of a build that items are answered from.
 *
 * @param types null if the build has no debug information
 * @param symbols null if they are not read; {@link Item#needsSymbols} tells which items need them
 */
public record BuildContents(
        @Nullable TypeIndex types, @Nullable SymbolSearch symbols) {

    public static BuildContents ofTypes(TypeIndex types) {
        return new BuildContents(types, null);
    }
}
