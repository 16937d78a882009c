package dev.offsetd.extractor.testkit;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One complete definition as another tool sees it, in terms that can be compared with the reader's.
 *
 * @param section {@code .debug_info}, or {@code .debug_types}
 * @param dieOffset offset of its DIE in that section
 * @param unit name of its unit; empty for a type unit, which has none
 * @param kind {@code struct}, {@code union}, {@code class} or {@code enum}
 * @param size in bytes, or -1 where the debug information does not say it
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ExpectedDefinition(
        String section,
        long dieOffset,
        String unit,
        String kind,
        String name,
        long size,
        List<ExpectedMember> members,
        List<ExpectedEnumerator> enumerators) {

    /** Texts and lists that are empty are left out of the JSON, and come back as null. */
    public ExpectedDefinition {
        unit = Objects.requireNonNullElse(unit, "");
        members = List.copyOf(Objects.requireNonNullElse(members, List.of()));
        enumerators = List.copyOf(Objects.requireNonNullElse(enumerators, List.of()));
    }

    /**
     * A member or base class.
     *
     * @param bitOffset bits from the start of the containing type in memory order; null if only the running program
     *     knows it
     * @param bitSize null if it is no bit-field
     * @param size of its type in bytes, or -1 where the debug information does not say it
     * @param counts of an array's dimensions, null for an open one; null if it is no array
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record ExpectedMember(
            @Nullable String name,
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean base,
            @Nullable Long bitOffset,
            @Nullable Integer bitSize,
            long size,
            @Nullable List<@Nullable Long> counts) {

        /** The name that the member gets whose value says which variant is there. */
        public static final String DISCRIMINANT = "discriminant";

        /** The same member under another name. */
        public ExpectedMember named(String newName) {
            return new ExpectedMember(newName, base, bitOffset, bitSize, size, counts);
        }

        public ExpectedMember {
            counts = counts == null ? null : Collections.unmodifiableList(new ArrayList<>(counts));
        }
    }

    /** An enumerator; its value in two's complement. */
    public record ExpectedEnumerator(String name, long value) {}
}
