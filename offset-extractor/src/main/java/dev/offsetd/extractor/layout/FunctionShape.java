package dev.offsetd.extractor.layout;

import java.util.List;

/**
 * A function type, as a pointer's target or a typedef has it (DWARF 5 §5.10). It has no size.
 *
 * @param result what it returns; structs and typedefs are {@linkplain NamedShape named} here and in the parameters
 * @param variadic whether it takes more than these parameters, or does not say which
 */
public record FunctionShape(Spelling declarator, TypeShape result, List<TypeShape> parameters, boolean variadic)
        implements TypeShape {

    public FunctionShape {
        parameters = List.copyOf(parameters);
    }

    @Override
    public long byteSize() {
        return UNKNOWN_SIZE;
    }
}
