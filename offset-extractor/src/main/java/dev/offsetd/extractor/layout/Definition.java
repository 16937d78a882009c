package dev.offsetd.extractor.layout;

import org.jspecify.annotations.Nullable;

/**
 * One definition, or mere declaration, of a type's name in a build. Equal definitions of several units are one.
 *
 * @param kind what the name names
 * @param name the name without its scopes, as the producer wrote it: {@code list_head}, {@code vector<int>}
 * @param qualifiedName the name with its namespaces and classes: {@code v8::internal::Isolate}
 * @param function the function that the type is local to, or null if it is visible at file, namespace or class scope
 * @param unit name of the first unit that has it ({@code DW_AT_name})
 * @param language of that unit
 * @param section that unit's section: {@code .debug_info}, or {@code .debug_types}
 * @param dieOffset bytes from the start of that section to the DIE
 * @param shape what it is: for a typedef the {@linkplain AliasShape#target() target} is what it names, for a mere
 *     declaration an {@link IncompleteShape}
 */
public record Definition(
        TypeKind kind,
        String name,
        String qualifiedName,
        @Nullable String function,
        String unit,
        Language language,
        String section,
        long dieOffset,
        TypeShape shape) {

    /** Returns the same definition of another shape. */
    public Definition withShape(TypeShape other) {
        return new Definition(kind, name, qualifiedName, function, unit, language, section, dieOffset, other);
    }

    /** Returns whether the name is only declared: it has no size and no members here. */
    public boolean isDeclaration() {
        return shape instanceof IncompleteShape;
    }
}
