package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.input.Limits;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which definitions and variables a scan notes. Immutable. */
public final class Selection {

    private final @Nullable NameMatcher types;
    private final NameMatcher enumerators;
    private final @Nullable NameMatcher variables;
    private final boolean intoFunctions;

    private Selection(
            @Nullable NameMatcher types,
            NameMatcher enumerators,
            @Nullable NameMatcher variables,
            boolean intoFunctions) {
        this.types = types;
        this.enumerators = enumerators;
        this.variables = variables;
        this.intoFunctions = intoFunctions;
    }

    /** Returns every named type and every variable, those local to functions included. */
    public static Selection everything(Limits limits) {
        return new Selection(null, new NameMatcher(Set.of(), limits), null, true);
    }

    /** Returns every named type, those local to functions included, and no variable. */
    public static Selection everyType(Limits limits) {
        NameMatcher none = new NameMatcher(Set.of(), limits);
        return new Selection(null, none, none, true);
    }

    /** Returns the same of named types, and every type that is made from one of these templates, whatever the arguments. */
    public Selection withInstancesOf(Set<String> templates, Limits limits) {
        return new Selection(
                Objects.requireNonNull(types).withInstancesOf(templates, limits),
                enumerators,
                variables,
                intoFunctions);
    }

    /** Returns the types, the enumerations of enumerators and the variables that have these names. */
    public static Selection of(
            Set<String> types, Set<String> enumerators, Set<String> variables, boolean intoFunctions, Limits limits) {
        return new Selection(
                new NameMatcher(types, limits),
                new NameMatcher(enumerators, limits),
                new NameMatcher(variables, limits),
                intoFunctions);
    }

    @Nullable
    NameMatcher types() {
        return types;
    }

    /** Returns whether types are noted whatever their name. */
    public boolean isOfEveryType() {
        return types == null;
    }

    NameMatcher enumerators() {
        return enumerators;
    }

    /** Returns the names of variables, or null for all. */
    @Nullable
    NameMatcher variables() {
        return variables;
    }

    /** Returns whether any variable is noted. */
    boolean hasVariables() {
        return variables == null || !variables.isEmpty();
    }

    boolean intoFunctions() {
        return intoFunctions;
    }
}
