package dev.offsetd.extractor.layout;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A scalar of which several definitions agree on the size and not on the type: {@code int} in one unit, {@code float} in another.
 *
 * @param readings the types, at least two, in the order of the debug information
 */
public record DifferingShape(List<Reading> readings, long byteSize) implements TypeShape {

    /** Most types that a spelling names. */
    private static final int SPELLED = 4;

    public DifferingShape {
        readings = List.copyOf(readings);
    }

    /**
     * What one definition has for the scalar.
     *
     * @param unit the unit of that definition
     */
    public record Reading(TypeShape type, String unit) {}

    /** Returns the types in turn: {@code int or float}. */
    @Override
    public String spelling() {
        return readings.stream()
                        .map(reading -> reading.type().spelling())
                        .distinct()
                        .limit(SPELLED)
                        .collect(Collectors.joining(" or "))
                + (readings.size() > SPELLED ? " or ..." : "");
    }
}
