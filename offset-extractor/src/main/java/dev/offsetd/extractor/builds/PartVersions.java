package dev.offsetd.extractor.builds;

/**
 * Versions of the reader of each part of a build that is stored. Symbols of a lower version are read again
 * alone; types of a lower version are read again together with the symbols, from the same file. A part that is read on demand
 * needs no version here.
 *
 * @param types version of types, variables, omissions and names
 * @param symbols version of symbols and program headers
 */
public record PartVersions(int types, int symbols) {

    /**
     * Version of the types that this reader extracts, with what else a catalogue has. Increment it with every change that can
     * give another answer for the same file: stored builds of lower versions are then extracted again.
     */
    public static final int TYPES = 19;

    /** Version of the symbols that are read. Increment it likewise: of stored builds, only the symbols are read again. */
    public static final int SYMBOLS = 16;

    /**
     * Version of the functions and lines that are read. Increment it likewise: they are read again when they are requested, and
     * those that are stored answer until then.
     */
    public static final int FRAMES = 8;

    /** Versions of the parts that every stored build has. */
    public static final PartVersions CURRENT = new PartVersions(TYPES, SYMBOLS);

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
