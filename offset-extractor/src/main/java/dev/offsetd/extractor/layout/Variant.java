package dev.offsetd.extractor.layout;

import java.util.List;

/**
 * Which values of the discriminant a member of a variant part is there for (DWARF 5 §5.7.10): Rust's enums with data.
 *
 * @param values of the discriminant; empty for the variant that is there for all values that no other is for, and for the
 *     only one
 * @param discriminantBytes size of the discriminant in bytes, or {@link TypeShape#UNKNOWN_SIZE}
 */
public record Variant(List<ValueRange> values, long discriminantBytes) {

    public Variant {
        values = List.copyOf(values);
    }

    /** Values from {@code first} to {@code last}, both included; two's complement of the discriminant's size. */
    public record ValueRange(long first, long last) {}
}
