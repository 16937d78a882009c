package dev.offsetd.extractor;

/**
 * Versions of the reader of each part of a build that is stored. A part of a lower version is read again, and the others
 * stay; a part that is read on demand needs no version here.
 *
 * @param types version of types, variables, omissions and names
 * @param symbols version of symbols and program headers
 */
public record PartVersions(int types, int symbols) {

    /** Versions that this extractor reads. */
    public static final PartVersions CURRENT =
            new PartVersions(OffsetExtractor.VERSION, OffsetExtractor.SYMBOLS_VERSION);

    /** Returns whether this extractor would read a part anew. */
    public boolean areBehind() {
        return areBehind(CURRENT);
    }

    /** Returns whether a part has a lower version than in the other reading. */
    public boolean areBehind(PartVersions other) {
        return types < other.types || symbols < other.symbols;
    }

    /** Returns whether this extractor would read the symbols anew and nothing else. */
    public boolean areBehindInSymbolsOnly() {
        return types >= CURRENT.types && symbols < CURRENT.symbols;
    }

    /** Returns whether a later extractor read a part. */
    public boolean areLater() {
        return CURRENT.areBehind(this);
    }

    @Override
    public String toString() {
        return types == symbols ? Integer.toString(types) : types + " (symbols: " + symbols + ')';
    }
}
