package dev.offsetd.server.sources;

/** Meaning of an upstream's 404. */
enum UpstreamKind {
    /** It knows every file that it will ever serve, so a 404 is final. */
    AUTHORITATIVE,
    /** It queries others, and answers 404 when they fail, too. */
    FEDERATING,
    /** It prepares a file after the first request: 404 now, 200 some minutes later. */
    ON_DEMAND;

    FetchOutcome.Finality finality() {
        return switch (this) {
            case AUTHORITATIVE -> FetchOutcome.Finality.FINAL;
            case FEDERATING -> FetchOutcome.Finality.MAY_HIDE_A_FAILURE;
            case ON_DEMAND -> FetchOutcome.Finality.MAY_COME_LATER;
        };
    }
}
