package dev.offsetd.server.sources.outcome;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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

    private static final int LOWEST_RANK = KNOWN.size();

    private static final String RANK_OF_WORD = KNOWN.stream()
            .map(origin -> "when '" + origin.word + "' then " + origin.rank)
            .collect(Collectors.joining(" ", "case %s ", " else " + LOWEST_RANK + " end"));

    /** Returns all origins that this server knows, the most trusted first. */
    public static List<Origin> known() {
        return KNOWN;
    }

    public static Origin ofWord(String word) {
        return KNOWN.stream()
                .filter(origin -> origin.word.equals(word))
                .findFirst()
                .orElseGet(() -> new Origin(word, LOWEST_RANK, true));
    }

    /** Returns all ranks, the most trusted first. */
    public static List<Integer> ranks() {
        return Stream.concat(KNOWN.stream().map(Origin::rank), Stream.of(LOWEST_RANK))
                .distinct()
                .toList();
    }

    /** Returns the rank of an origin in SQL, of which a column has the word. */
    public static String rankIn(String column) {
        return RANK_OF_WORD.formatted(column);
    }

    /** Returns whether its files outrank uploads, whose build-ids a client may forge. */
    public boolean outranksUploads() {
        return rank < UPLOAD.rank;
    }

    /** Returns whether the file is an upload, which cannot be fetched again. */
    public boolean isUpload() {
        return equals(UPLOAD);
    }
}
