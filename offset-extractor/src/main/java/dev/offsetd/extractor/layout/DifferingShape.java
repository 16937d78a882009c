package dev.offsetd.extractor.layout;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A scalar whose size is the same in several definitions and whose type differs: {@code int} in one unit, {@code float} in
 * another.
 *
 * @param types the types, at least two, in the order of the debug information
 */
public record DifferingShape(List<UnitType> types, long byteSize) implements TypeShape {

    /** Most types that a spelling names. */
    private static final int SPELLED = 4;

    public DifferingShape {
        types = List.copyOf(types);
    }

    /**
     * The type of the scalar in one definition.
     *
     * @param unit name of the unit of that definition
     */
    public record UnitType(TypeShape type, String unit) {}

    /** Returns the types in turn: {@code int or float}. */
    @Override
    public String spelling() {
        return types.stream()
                        .map(unitType -> unitType.type().spelling())
                        .distinct()
                        .limit(SPELLED)
                        .collect(Collectors.joining(" or "))
                + (types.size() > SPELLED ? " or ..." : "");
    }
}
