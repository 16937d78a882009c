package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.input.Limits;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which definitions a scan notes. Immutable. */
public final class Selection {

    private final @Nullable NameMatcher types;
    private final NameMatcher enumerators;
    private final boolean intoFunctions;

    private Selection(@Nullable NameMatcher types, NameMatcher enumerators, boolean intoFunctions) {
        this.types = types;
        this.enumerators = enumerators;
        this.intoFunctions = intoFunctions;
    }

    /** Every named type, those local to functions included. */
    public static Selection everything(Limits limits) {
        return new Selection(null, new NameMatcher(Set.of(), limits), true);
    }

    /** The types and the enumerations of enumerators that have these names. */
    public static Selection of(Set<String> types, Set<String> enumerators, boolean intoFunctions, Limits limits) {
        return new Selection(new NameMatcher(types, limits), new NameMatcher(enumerators, limits), intoFunctions);
    }

    @Nullable
    NameMatcher types() {
        return types;
    }

    NameMatcher enumerators() {
        return enumerators;
    }

    boolean intoFunctions() {
        return intoFunctions;
    }
}
