package dev.offsetd.query.export;

/** Why an export lacks a type, a member or an item. */
public enum OmissionReason {
    AMBIGUOUS("definitions with different layouts have this name"),
    IN_BASE("the base has a type of this name"),
    NOT_FOUND("the build has no type for this item"),
    TOO_MANY("its pattern matches more symbols than the query may list"),
    NO_SIZE("the debug information does not say its size"),
    NO_OFFSET("its offset is known at run time only"),
    TOO_LARGE("a size, an offset or a count is too large for the format");

    private final String detail;

    OmissionReason(String detail) {
        this.detail = detail;
    }

    /** Returns the reason as a clause. */
    public String detail() {
        return detail;
    }
}
