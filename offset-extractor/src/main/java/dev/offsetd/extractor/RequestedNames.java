package dev.offsetd.extractor;

import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/**
 * Names to look for in a file.
 *
 * @param types names of types without their scopes ({@code Isolate} for {@code v8::internal::Isolate})
 * @param otherTypes names that the same types have in some languages only ({@code task.pid} beside {@code task}). They are
 *     looked for in functions only together with one of {@code types} that nothing outside of functions has
 * @param enumerators names of enumerators
 * @param variables names of variables without their scopes, or linkage names. A name that is requested as a type and as a
 *     variable is looked for in functions only if it is neither outside of them
 */
public record RequestedNames(
        Set<String> types, Set<String> otherTypes, Set<String> enumerators, Set<String> variables) {

    public static final RequestedNames NONE = new RequestedNames(Set.of(), Set.of());

    public RequestedNames {
        types = Collections.unmodifiableSet(new HashSet<>(types));
        otherTypes = Collections.unmodifiableSet(new HashSet<>(otherTypes));
        enumerators = Collections.unmodifiableSet(new HashSet<>(enumerators));
        variables = Collections.unmodifiableSet(new HashSet<>(variables));
    }

    public RequestedNames(Set<String> types, Set<String> enumerators, Set<String> variables) {
        this(types, Set.of(), enumerators, variables);
    }

    /** Requests types and enumerators, and no variables. */
    public RequestedNames(Set<String> types, Set<String> enumerators) {
        this(types, enumerators, Set.of());
    }

    /** Returns all names of types. */
    public Set<String> allTypes() {
        Set<String> all = new HashSet<>(types);
        all.addAll(otherTypes);
        return all;
    }

    public boolean isEmpty() {
        return equals(NONE);
    }

    /** Returns whether these are all that others request. */
    public boolean containsAll(RequestedNames others) {
        return allTypes().containsAll(others.allTypes())
                && types.containsAll(others.types)
                && enumerators.containsAll(others.enumerators)
                && variables.containsAll(others.variables);
    }
}
