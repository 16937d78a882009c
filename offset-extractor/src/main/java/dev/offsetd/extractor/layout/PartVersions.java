package dev.offsetd.extractor.layout;

/**
 * Versions of the reader of each part of a build that is stored. A part of a lower version is read again, and the others
 * stay; a part that is read on demand needs no version here.
 *
 * @param types version of types, variables, omissions and names
 * @param symbols version of symbols and program headers
 */
public record PartVersions(int types, int symbols) {

    /** Returns whether a part has a lower version than in the other reading. */
    public boolean areBehind(PartVersions other) {
        return types < other.types || symbols < other.symbols;
    }

    /** Returns whether the symbols have a lower version than in the other reading, and nothing else has. */
    public boolean areBehindInSymbolsOnly(PartVersions other) {
        return types >= other.types && symbols < other.symbols;
    }

    @Override
    public String toString() {
        return types == symbols ? Integer.toString(types) : types + " (symbols: " + symbols + ')';
    }
}
