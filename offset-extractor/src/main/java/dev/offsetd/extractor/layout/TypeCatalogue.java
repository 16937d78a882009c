package dev.offsetd.extractor.layout;

import dev.offsetd.extractor.input.Deadline;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The types and variables of a build in memory. Immutable; thread-safe. */
public final class TypeCatalogue implements TypeIndex {

    private final List<Definition> definitions;
    private final List<Variable> variables;
    private final Set<String> inlineNamespaces;
    private final List<Omission> omissions;
    private final boolean fromProgram;

    private @Nullable NameIndex names;
    private @Nullable Map<String, List<Definition>> byQualifiedName;

    /**
     * A catalogue of these definitions and variables.
     *
     * @param definitions in the order of the debug information; unnamed enumerations have an empty name
     * @param variables in the order of the debug information
     */
    public TypeCatalogue(List<Definition> definitions, List<Variable> variables) {
        this(definitions, variables, Set.of(), List.of());
    }

    /**
     * A catalogue with what is known of its names, and of a build that may not have been read as a whole.
     *
     * @param inlineNamespaces see {@link TypeIndex#inlineNamespaces()}
     * @param omissions see {@link TypeIndex#omissions()}
     */
    public TypeCatalogue(
            List<Definition> definitions,
            List<Variable> variables,
            Set<String> inlineNamespaces,
            List<Omission> omissions) {
        this(definitions, variables, inlineNamespaces, omissions, false);
    }

    private TypeCatalogue(
            List<Definition> definitions,
            List<Variable> variables,
            Set<String> inlineNamespaces,
            List<Omission> omissions,
            boolean fromProgram) {
        this.definitions = List.copyOf(definitions);
        this.variables = List.copyOf(variables);
        this.inlineNamespaces = Collections.unmodifiableSet(new HashSet<>(inlineNamespaces));
        this.omissions = List.copyOf(omissions);
        this.fromProgram = fromProgram;
    }

    /** Returns a catalogue of definitions that the program itself describes; see {@link TypeIndex#isFromProgram()}. */
    public static TypeCatalogue ofProgram(List<Definition> definitions, List<Omission> omissions) {
        return new TypeCatalogue(definitions, List.of(), Set.of(), omissions, true);
    }

    /** Returns the same types, of a build that something else was left out of, too. */
    public TypeCatalogue withOmissions(List<Omission> others) {
        return others.isEmpty()
                ? this
                : new TypeCatalogue(
                        definitions,
                        variables,
                        inlineNamespaces,
                        Stream.concat(omissions.stream(), others.stream()).toList(),
                        fromProgram);
    }

    @Override
    public boolean isFromProgram() {
        return fromProgram;
    }

    @Override
    public List<Omission> omissions() {
        return omissions;
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
        return named(TypeNames.normalize(name), names().variables(), variables);
    }

    @Override
    public List<Definition> definitionsNamed(String name) {
        return named(TypeNames.normalize(name), names().types(), definitions);
    }

    @Override
    public synchronized Optional<List<Definition>> definitionsOf(String qualifiedName) {
        if (byQualifiedName == null) {
            Map<String, List<Definition>> table = new HashMap<>();
            for (Definition definition : definitions) {
                Deadline.checkCurrent();
                table.computeIfAbsent(TypeNames.canonical(definition.qualifiedName()), _ -> new ArrayList<>(1))
                        .add(definition);
            }
            byQualifiedName = table;
        }
        return Optional.of(byQualifiedName.getOrDefault(TypeNames.canonical(qualifiedName), List.of()));
    }

    @Override
    public List<Definition> goTypesNamed(String name) {
        return named(TypeNames.normalize(name), names().goTypes(), definitions);
    }

    private static <T> List<T> named(String name, Map<String, List<Integer>> index, List<T> all) {
        return index.getOrDefault(name, List.of()).stream().map(all::get).toList();
    }

    @Override
    public void forEachTypeName(String from, Predicate<String> goOn) {
        forEachName(names().types(), from, goOn);
    }

    @Override
    public void forEachGoTypeName(String from, Predicate<String> goOn) {
        forEachName(names().goTypes(), from, goOn);
    }

    @Override
    public void forEachEnumeratorName(String from, Predicate<String> goOn) {
        forEachName(names().enumerators(), from, goOn);
    }

    @Override
    public void forEachVariableName(String from, Predicate<String> goOn) {
        forEachName(names().variables(), from, goOn);
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
        return named(name, names().enumerators(), definitions).stream()
                .flatMap(definition -> EnumeratorDefinition.in(definition, name))
                .toList();
    }

    /** Returns the index of all names, which is made at the first call. */
    public synchronized NameIndex names() {
        if (names == null) {
            names = new NameIndex(definitions, variables);
        }
        return names;
    }
}
