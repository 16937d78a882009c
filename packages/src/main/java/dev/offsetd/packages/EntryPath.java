package dev.offsetd.packages;

/**
 * Path of a file, which may be in an archive.
 *
 * @param path the path, with the names inside of archives after each {@code !}
 * @param name the last part of the last name
 * @param archives depth of nested archives
 * @param codings depth of nested compressed streams
 */
record EntryPath(String path, String name, int archives, int codings) {

    /** Longer names are cut for display. Patterns compare what is left. */
    private static final int MAX_CHARS = 2_000;

    static EntryPath ofPath(String path) {
        return new EntryPath(path, lastPart(path), 0, 0);
    }

    /** Returns the path of a file in this archive. */
    EntryPath inside(String entry) {
        String cut = entry.length() <= MAX_CHARS ? entry : entry.substring(0, MAX_CHARS);
        return new EntryPath(path + "!" + cut, lastPart(cut), archives + 1, codings);
    }

    /** Returns the path of this file's decompressed contents. */
    EntryPath decompressed() {
        return new EntryPath(path, name, archives, codings + 1);
    }

    private static String lastPart(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
