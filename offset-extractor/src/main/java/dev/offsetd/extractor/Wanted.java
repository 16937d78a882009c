package dev.offsetd.extractor;

import java.util.Set;

/**
 * What to look for in a file.
 *
 * @param types names of types without their scopes ({@code Isolate} for {@code v8::internal::Isolate})
 * @param enumerators names of enumerators
 * @param variables names of variables without their scopes, or as the linker sees them. A name that is wanted as a type and
 *     as a variable is looked for in functions only if nothing outside of them is either
 */
public record Wanted(Set<String> types, Set<String> enumerators, Set<String> variables) {

    public Wanted {
        types = Set.copyOf(types);
        enumerators = Set.copyOf(enumerators);
        variables = Set.copyOf(variables);
    }

    /** Types and enumerators, no variables. */
    public Wanted(Set<String> types, Set<String> enumerators) {
        this(types, enumerators, Set.of());
    }
}
