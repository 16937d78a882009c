package dev.offsetd.server.storage;

/**
 * A part of what is stored of a build, in a table with one row for each build. Symbols and frames are renewed alone; types bring
 * the symbols of their file.
 */
enum BuildPart {
    TYPES("catalogues"),
    SYMBOLS("symbol_tables"),
    FRAMES("frame_tables");

    private final String table;

    BuildPart(String table) {
        this.table = table;
    }

    /** Returns the name of its table, which may become part of a statement. */
    String table() {
        return table;
    }
}
