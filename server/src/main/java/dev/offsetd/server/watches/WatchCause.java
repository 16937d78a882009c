package dev.offsetd.server.watches;

/** Why a run, or the work on an entry, failed. */
public record WatchCause(String code, String detail) {

    private static final int MAX_DETAIL = 1_000;

    public WatchCause {
        detail = detail.substring(0, Math.min(MAX_DETAIL, detail.length())).replace('\0', ' ');
    }
}
