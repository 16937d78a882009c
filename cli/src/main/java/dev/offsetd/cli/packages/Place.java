package dev.offsetd.cli.packages;

/**
 * Where a file is.
 *
 * @param path the path, and the names inside of archives
 * @param name the last part of the last name
 * @param archives how many archives it is inside of
 * @param codings how many compressed streams it is inside of
 */
record Place(String path, String name, int archives, int codings) {

    /** Longer names are cut: they are only shown. */
    private static final int MAX_CHARS = 2_000;

    static Place ofPath(String path) {
        return new Place(path, lastPart(path), 0, 0);
    }

    /** A file in the archive that is here. */
    Place inside(String entry) {
        String cut = entry.length() <= MAX_CHARS ? entry : entry.substring(0, MAX_CHARS);
        return new Place(path + "!" + cut, lastPart(cut), archives + 1, codings);
    }

    /** What comes out of the compressed file that is here. */
    Place decompressed() {
        return new Place(path, name, archives, codings + 1);
    }

    private static String lastPart(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
