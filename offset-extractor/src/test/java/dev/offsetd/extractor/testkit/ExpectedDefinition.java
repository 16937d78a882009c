package dev.offsetd.extractor.testkit;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A complete definition as another tool reports it, comparable with the reader's.
 *
 * @param section {@code .debug_info} or {@code .debug_types}
 * @param dieOffset offset of its DIE in that section
 * @param unit name of its unit; empty for a type unit, which has none
 * @param kind {@code struct}, {@code union}, {@code class} or {@code enum}
 * @param size in bytes, or -1 if the debug information does not specify it
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

    /** JSON omits empty strings and lists, so they are read back as null. */
    public ExpectedDefinition {
        unit = Objects.requireNonNullElse(unit, "");
        members = List.copyOf(Objects.requireNonNullElse(members, List.of()));
        enumerators = List.copyOf(Objects.requireNonNullElse(enumerators, List.of()));
    }

    /**
     * A member or base class.
     *
     * @param bitOffset bits from the start of the containing type in memory order; null if it is known only at run time
     * @param bitSize width of a bit-field, else null
     * @param size of its type in bytes, or -1 if the debug information does not specify it
     * @param counts an array's dimensions, with null for an open one; null unless the member is an array
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record ExpectedMember(
            @Nullable String name,
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean base,
            @Nullable Long bitOffset,
            @Nullable Integer bitSize,
            long size,
            @Nullable List<@Nullable Long> counts) {

        /** Name given to the member that selects the active variant. */
        public static final String DISCRIMINANT = "discriminant";

        /** Returns this member under another name. */
        public ExpectedMember named(String newName) {
            return new ExpectedMember(newName, base, bitOffset, bitSize, size, counts);
        }

        public ExpectedMember {
            counts = counts == null ? null : Collections.unmodifiableList(new ArrayList<>(counts));
        }
    }

    /** An enumerator with its value in two's complement. */
    public record ExpectedEnumerator(String name, long value) {}
}
