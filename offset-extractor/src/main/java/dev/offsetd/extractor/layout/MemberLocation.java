package dev.offsetd.extractor.layout;

import org.jspecify.annotations.Nullable;

/** Where a member starts in the type that contains it. */
public sealed interface MemberLocation {

    /** Returns why the place is not known, in a few words; null if it is. */
    default @Nullable String whyUnknown() {
        return switch (this) {
            case Fixed _ -> null;
            case Computed(String reason) -> reason;
            case Unsupported(String reason) -> reason;
        };
    }

    /**
     * A place fixed by the compiler.
     *
     * @param bitOffset bits from the start of the containing type to the first bit of the member in memory order; a
     *     multiple of 8 unless the member is a bit-field. The older {@code DW_AT_bit_offset} (DWARF 2 to 4, counted from
     *     the most significant bit of the storage unit) is already converted
     */
    record Fixed(long bitOffset) implements MemberLocation {}

    /**
     * A place that only the running program knows, such as a virtual base class.
     *
     * @param reason why, in a few words
     */
    record Computed(String reason) implements MemberLocation {}

    /**
     * A place that the reader cannot tell: its attributes contradict each other, or a construct is not supported.
     *
     * @param reason why, in a few words
     */
    record Unsupported(String reason) implements MemberLocation {}
}
