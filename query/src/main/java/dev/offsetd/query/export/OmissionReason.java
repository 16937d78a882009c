package dev.offsetd.query.export;

import dev.offsetd.extractor.layout.MemberLocation;

/** Why an export lacks a type, a member or an item. */
public enum OmissionReason {
    AMBIGUOUS("definitions with different layouts have this name"),
    IN_BASE("the base has a type of this name"),
    NOT_FOUND("the build has no type for this item"),
    TOO_MANY("its pattern matches more symbols than the query may list"),
    NO_SIZE("the debug information does not say its size"),
    NO_OFFSET("its offset is known at run time only"),
    UNSUPPORTED("the reader does not support its type, or how it is placed"),
    BYTE_ORDER("its byte order is not that of the build, which the format cannot say"),
    TOO_LARGE("a size, an offset or a count is too large for the format");

    private final String detail;

    OmissionReason(String detail) {
        this.detail = detail;
    }

    /** Returns why a member with this location, which is not fixed, is left out. */
    static OmissionReason of(MemberLocation location) {
        return location instanceof MemberLocation.Unsupported ? UNSUPPORTED : NO_OFFSET;
    }

    /** Returns the reason as a clause. */
    public String detail() {
        return detail;
    }
}
