package dev.offsetd.extractor.catalogue;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.Variable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The types and variables of a build in memory. Immutable; safe for any number of threads. */
public final class TypeCatalogue implements TypeIndex {

    private final List<Definition> definitions;
    private final List<Variable> variables;
    private final Map<String, List<Definition>> byName = new HashMap<>();
    private final Map<String, List<EnumeratorDefinition>> byEnumerator = new HashMap<>();
    private final Map<String, List<Variable>> byVariable = new HashMap<>();

    /**
     * A catalogue of these definitions and variables.
     *
     * @param definitions in the order of the debug information; unnamed enumerations have an empty name
     * @param variables in the order of the debug information
     */
    public TypeCatalogue(List<Definition> definitions, List<Variable> variables) {
        this.definitions = List.copyOf(definitions);
        this.variables = List.copyOf(variables);
        for (Variable variable : this.variables) {
            byVariable
                    .computeIfAbsent(TypeNames.normalize(variable.name()), name -> new ArrayList<>(1))
                    .add(variable);
            if (variable.linkageName() != null) {
                byVariable
                        .computeIfAbsent(TypeNames.normalize(variable.linkageName()), name -> new ArrayList<>(1))
                        .add(variable);
            }
        }
        for (Definition definition : this.definitions) {
            if (!definition.name().isEmpty()) {
                byName.computeIfAbsent(TypeNames.normalize(definition.name()), name -> new ArrayList<>(1))
                        .add(definition);
            }
            if (definition.shape() instanceof EnumShape enumeration) {
                for (Enumerator enumerator : enumeration.enumerators()) {
                    byEnumerator
                            .computeIfAbsent(enumerator.name(), name -> new ArrayList<>(1))
                            .add(new EnumeratorDefinition(enumerator, definition));
                }
            }
        }
    }

    /** All definitions in the order of the debug information. */
    public List<Definition> definitions() {
        return definitions;
    }

    /** All variables in the order of the debug information. */
    public List<Variable> variables() {
        return variables;
    }

    @Override
    public List<Variable> variablesNamed(String name) {
        return List.copyOf(byVariable.getOrDefault(TypeNames.normalize(name), List.of()));
    }

    @Override
    public List<Definition> definitionsNamed(String name) {
        return List.copyOf(byName.getOrDefault(TypeNames.normalize(name), List.of()));
    }

    @Override
    public List<EnumeratorDefinition> enumeratorsNamed(String name) {
        return List.copyOf(byEnumerator.getOrDefault(name, List.of()));
    }
}
