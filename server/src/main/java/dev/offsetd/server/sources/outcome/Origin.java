package dev.offsetd.server.sources.outcome;

import java.util.List;

/**
 * Kind of source that a debug file comes from. A server of a later release may have stored an origin that this one does not know: it
 * is shown, and ranks lowest.
 *
 * @param word the spelling in the database and in JSON
 * @param rank rank of its files by trust, 0 for the highest; sources are queried in another order, local folders first
 * @param isRemote whether its files are transferred from another machine
 */
public record Origin(String word, int rank, boolean isRemote) {

    /** An upstream debuginfod, or the disk cache of files that upstreams delivered. */
    public static final Origin DEBUGINFOD = new Origin("debuginfod", 0, true);

    /** A folder on the server's machine. */
    public static final Origin LOCAL = new Origin("local", 1, false);

    /** A bucket of an S3 service. */
    public static final Origin S3 = new Origin("s3", 1, true);

    public static final Origin UPLOAD = new Origin("upload", 2, false);

    /** All known origins, the most trusted first. */
    private static final List<Origin> KNOWN = List.of(DEBUGINFOD, LOCAL, S3, UPLOAD);

    /** Returns all origins that this server knows, the most trusted first. */
    public static List<Origin> known() {
        return KNOWN;
    }

    public static Origin ofWord(String word) {
        return KNOWN.stream()
                .filter(origin -> origin.word.equals(word))
                .findFirst()
                .orElseGet(() -> new Origin(word, KNOWN.size(), true));
    }

    /** Returns whether the file is an upload, which cannot be fetched again. */
    public boolean isUpload() {
        return equals(UPLOAD);
    }
}
