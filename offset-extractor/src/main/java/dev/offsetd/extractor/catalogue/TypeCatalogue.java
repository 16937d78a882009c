package dev.offsetd.extractor.catalogue;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The types of a build in memory. Immutable; safe for any number of threads. */
public final class TypeCatalogue implements TypeIndex {

    private final List<Definition> definitions;
    private final Map<String, List<Definition>> byName = new HashMap<>();
    private final Map<String, List<EnumeratorDefinition>> byEnumerator = new HashMap<>();

    /**
     * A catalogue of these definitions.
     *
     * @param definitions in the order of the debug information; unnamed enumerations have an empty name
     */
    public TypeCatalogue(List<Definition> definitions) {
        this.definitions = List.copyOf(definitions);
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

    @Override
    public List<Definition> definitionsNamed(String name) {
        return List.copyOf(byName.getOrDefault(TypeNames.normalize(name), List.of()));
    }

    @Override
    public List<EnumeratorDefinition> enumeratorsNamed(String name) {
        return List.copyOf(byEnumerator.getOrDefault(name, List.of()));
    }
}
