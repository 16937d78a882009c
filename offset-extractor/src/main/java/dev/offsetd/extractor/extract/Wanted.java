package dev.offsetd.extractor.extract;

import java.util.Set;

/**
 * What to look for in a file.
 *
 * @param types names of types without their scopes ({@code Isolate} for {@code v8::internal::Isolate})
 * @param enumerators names of enumerators
 */
public record Wanted(Set<String> types, Set<String> enumerators) {

    public Wanted {
        types = Set.copyOf(types);
        enumerators = Set.copyOf(enumerators);
    }
}
