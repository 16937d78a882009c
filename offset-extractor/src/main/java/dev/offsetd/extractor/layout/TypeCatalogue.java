package dev.offsetd.extractor.layout;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The types and variables of a build in memory. Immutable; thread-safe. */
public final class TypeCatalogue implements TypeIndex {

    private final List<Definition> definitions;
    private final List<Variable> variables;
    private final Set<String> inlineNamespaces;
    private final @Nullable String unread;
    private final boolean fromProgram;

    /** Built at the first lookup by name: writing a catalogue needs none. */
    private volatile @Nullable NameIndex names;

    /**
     * A catalogue of these definitions and variables.
     *
     * @param definitions in the order of the debug information; unnamed enumerations have an empty name
     * @param variables in the order of the debug information
     */
    public TypeCatalogue(List<Definition> definitions, List<Variable> variables) {
        this(definitions, variables, Set.of(), null);
    }

    /**
     * A catalogue with what is known of its names, and of a build that may not have been read as a whole.
     *
     * @param inlineNamespaces see {@link TypeIndex#inlineNamespaces()}
     * @param unread see {@link TypeIndex#unread()}
     */
    public TypeCatalogue(
            List<Definition> definitions,
            List<Variable> variables,
            Set<String> inlineNamespaces,
            @Nullable String unread) {
        this(definitions, variables, inlineNamespaces, unread, false);
    }

    private TypeCatalogue(
            List<Definition> definitions,
            List<Variable> variables,
            Set<String> inlineNamespaces,
            @Nullable String unread,
            boolean fromProgram) {
        this.definitions = List.copyOf(definitions);
        this.variables = List.copyOf(variables);
        this.inlineNamespaces = Set.copyOf(inlineNamespaces);
        this.unread = unread;
        this.fromProgram = fromProgram;
    }

    /** Returns a catalogue of definitions that the program itself describes; see {@link TypeIndex#isFromProgram()}. */
    public static TypeCatalogue ofProgram(List<Definition> definitions) {
        return new TypeCatalogue(definitions, List.of(), Set.of(), null, true);
    }

    @Override
    public boolean isFromProgram() {
        return fromProgram;
    }

    @Override
    public @Nullable String unread() {
        return unread;
    }

    /** Returns all definitions in the order of the debug information. */
    public List<Definition> definitions() {
        return definitions;
    }

    @Override
    public void forEachDefinition(Consumer<Definition> sink) {
        definitions.forEach(sink);
    }

    @Override
    public void forEachVariable(Consumer<Variable> sink) {
        variables.forEach(sink);
    }

    /** Returns all variables in the order of the debug information. */
    public List<Variable> variables() {
        return variables;
    }

    @Override
    public List<Variable> variablesNamed(String name) {
        return List.copyOf(names().byVariable.getOrDefault(TypeNames.normalize(name), List.of()));
    }

    @Override
    public List<Definition> definitionsNamed(String name) {
        return List.copyOf(names().byName.getOrDefault(TypeNames.normalize(name), List.of()));
    }

    @Override
    public void forEachTypeName(String from, Predicate<String> goOn) {
        forEachName(names().byName, from, goOn);
    }

    @Override
    public void forEachEnumeratorName(String from, Predicate<String> goOn) {
        forEachName(names().byEnumerator, from, goOn);
    }

    private static void forEachName(NavigableMap<String, ?> index, String from, Predicate<String> goOn) {
        for (String name : index.tailMap(from).keySet()) {
            if (!goOn.test(name)) {
                return;
            }
        }
    }

    @Override
    public Set<String> inlineNamespaces() {
        return inlineNamespaces;
    }

    @Override
    public List<EnumeratorDefinition> enumeratorsNamed(String name) {
        return List.copyOf(names().byEnumerator.getOrDefault(name, List.of()));
    }

    /** Two threads may make it; what they make is the same. */
    private NameIndex names() {
        NameIndex known = names;
        if (known == null) {
            known = new NameIndex(definitions, variables);
            names = known;
        }
        return known;
    }

    /** Definitions, enumerators and variables by name. Immutable once built. */
    private static final class NameIndex {

        private final TreeMap<String, List<Definition>> byName = new TreeMap<>();
        private final TreeMap<String, List<EnumeratorDefinition>> byEnumerator = new TreeMap<>();
        private final Map<String, List<Variable>> byVariable = new HashMap<>();

        NameIndex(List<Definition> definitions, List<Variable> variables) {
            for (Variable variable : variables) {
                add(byVariable, TypeNames.normalize(variable.name()), variable);
                if (variable.linkageName() != null) {
                    add(byVariable, TypeNames.normalize(variable.linkageName()), variable);
                }
            }
            for (Definition definition : definitions) {
                if (!definition.name().isEmpty()) {
                    add(byName, TypeNames.normalize(definition.name()), definition);
                }
                if (definition.shape() instanceof EnumShape enumeration) {
                    for (Enumerator enumerator : enumeration.enumerators()) {
                        add(byEnumerator, enumerator.name(), new EnumeratorDefinition(enumerator, definition));
                    }
                }
            }
        }

        private static <T> void add(Map<String, List<T>> index, String name, T entry) {
            index.computeIfAbsent(name, key -> new ArrayList<>(1)).add(entry);
        }
    }
}
