package dev.offsetd.server.fetch;

/** What a 404 of an upstream means. */
enum UpstreamKind {
    /** It knows all that it will ever serve: a 404 is its last word. */
    AUTHORITATIVE,
    /** It asks others itself, and says 404 for their failures too. */
    FEDERATING,
    /** It gets a file ready when it is first asked for it: 404 now, 200 in some minutes. */
    ON_DEMAND;

    FetchOutcome.Finality finality() {
        return switch (this) {
            case AUTHORITATIVE -> FetchOutcome.Finality.LAST_WORD;
            case FEDERATING -> FetchOutcome.Finality.MAY_HIDE_A_FAILURE;
            case ON_DEMAND -> FetchOutcome.Finality.MAY_COME_LATER;
        };
    }
}
