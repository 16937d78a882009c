package dev.offsetd.server.fetch;

/** A response that cannot be the file, whatever its body contains. */
final class BadResponseException extends Exception {

    private final String detail;

    /** @param detail for {@link FetchOutcome#broken} */
    BadResponseException(String detail) {
        super(detail);
        this.detail = detail;
    }

    String detail() {
        return detail;
    }
}
