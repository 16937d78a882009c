package dev.offsetd.extractor.layout;

import dev.offsetd.extractor.input.Deadline;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Places of the definitions and variables of a {@link TypeCatalogue} in its lists, by their names as they are compared. Immutable;
 * thread-safe.
 */
public final class NameIndex {

    private final NavigableMap<String, List<Integer>> types = new TreeMap<>();
    private final NavigableMap<String, List<Integer>> goTypes = new TreeMap<>();
    private final NavigableMap<String, List<Integer>> enumerators = new TreeMap<>();
    private final NavigableMap<String, List<Integer>> variables = new TreeMap<>();

    NameIndex(List<Definition> definitions, List<Variable> variables) {
        for (int place = 0; place < definitions.size(); place++) {
            Definition definition = definitions.get(place);
            if (!definition.name().isEmpty()) {
                add(types, TypeNames.normalize(definition.name()), place);
                if (definition.language().family() == Language.Family.GO) {
                    addGoType(TypeNames.withoutPackage(definition.name()), place);
                }
            }
            if (definition.shape() instanceof EnumShape enumeration) {
                for (Enumerator enumerator : enumeration.enumerators()) {
                    add(enumerators, enumerator.name(), place);
                }
            }
        }
        for (int place = 0; place < variables.size(); place++) {
            Variable variable = variables.get(place);
            add(this.variables, TypeNames.normalize(variable.name()), place);
            if (variable.linkageName() != null) {
                add(this.variables, TypeNames.normalize(variable.linkageName()), place);
            }
        }
    }

    private void addGoType(@Nullable String name, int place) {
        if (name != null) {
            add(goTypes, TypeNames.normalize(name), place);
        }
    }

    private static void add(NavigableMap<String, List<Integer>> index, String name, int place) {
        Deadline.checkCurrent();
        List<Integer> places = index.computeIfAbsent(name, key -> new ArrayList<>(1));
        if (places.isEmpty() || places.getLast() != place) {
            places.add(place);
        }
    }

    /** Returns the named definitions. */
    public NavigableMap<String, List<Integer>> types() {
        return Collections.unmodifiableNavigableMap(types);
    }

    /** Returns the definitions of Go by {@linkplain TypeNames#withoutPackage the part of their name behind the package}. */
    public NavigableMap<String, List<Integer>> goTypes() {
        return Collections.unmodifiableNavigableMap(goTypes);
    }

    /** Returns the definitions of enumerations by the names of their enumerators. */
    public NavigableMap<String, List<Integer>> enumerators() {
        return Collections.unmodifiableNavigableMap(enumerators);
    }

    /** Returns the variables by name and by linkage name. */
    public NavigableMap<String, List<Integer>> variables() {
        return Collections.unmodifiableNavigableMap(variables);
    }
}
