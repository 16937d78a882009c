package dev.offsetd.extractor.layout;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The named types and variables of one build, found by name: of a file just read, or of a stored catalogue. */
public interface TypeIndex {

    /**
     * Returns this index for the look-ups of one piece of work: an index that reads layouts when they are looked up reads one
     * that several definitions hold only once. Not thread-safe.
     */
    default TypeIndex sharingLayouts() {
        return this;
    }

    /**
     * Returns every definition whose {@link Definition#name()} is {@code name}, whatever its scope, kind and language,
     * in the order of the debug information. Names are compared without the spaces beside punctuation ({@code map<int,
     * int>} is {@code map<int,int>}).
     */
    List<Definition> definitionsNamed(String name);

    /**
     * Returns those of {@link #definitionsNamed(String)} whose {@link Definition#qualifiedName()} passes. Thousands of C++ types can have
     * one name, such as {@code type}; an index reads the layouts only of those that pass.
     */
    default List<Definition> definitionsNamed(String name, Predicate<String> qualifiedName) {
        return definitionsNamed(name).stream()
                .filter(definition -> qualifiedName.test(definition.qualifiedName()))
                .toList();
    }

    /**
     * Returns every definition whose {@link Definition#qualifiedName()} is this one, as {@link TypeNames#canonical} compares them.
     * Empty if this index has no table of these names: {@link #definitionsNamed(String, Predicate)} finds one among all of its bare
     * name, which takes quadratic time for all types of a build.
     */
    default Optional<List<Definition>> definitionsOf(String qualifiedName) {
        return Optional.empty();
    }

    /** Returns every definition of Go whose name has this part behind its package, see {@link TypeNames#withoutPackage}. */
    default List<Definition> goTypesNamed(String name) {
        return List.of();
    }

    /** Goes through these parts of the names of Go types, as {@link #forEachTypeName} through the names of types. */
    default void forEachGoTypeName(String from, Predicate<String> goOn) {}

    /**
     * Returns every enumeration, named or not, that has an enumerator of this name, in the order of the debug
     * information.
     */
    List<EnumeratorDefinition> enumeratorsNamed(String name);

    /**
     * Returns every variable whose {@link Variable#name()} or {@link Variable#linkageName()} is {@code name}, whatever
     * its scope and language, in the order of the debug information. Names are compared as those of types.
     */
    List<Variable> variablesNamed(String name);

    /**
     * Goes through the names of types, as they are compared: without the spaces beside punctuation, in the order of
     * {@link String#compareTo}.
     *
     * @param from the name, or what would be one, before which none is looked at; empty for all
     * @param goOn given each name; false ends it
     */
    void forEachTypeName(String from, Predicate<String> goOn);

    /** Goes through the names of enumerators, without scopes, as {@link #forEachTypeName} through those of types. */
    void forEachEnumeratorName(String from, Predicate<String> goOn);

    /** Goes through the names and linkage names of variables, as {@link #forEachTypeName} through those of types. */
    void forEachVariableName(String from, Predicate<String> goOn);

    /**
     * Passes every definition to a consumer, in the order of the debug information where the index has it. Unnamed
     * enumerations are left out by an index that knows names only.
     */
    default void forEachDefinition(Consumer<Definition> sink) {
        forEachTypeName("", name -> {
            definitionsNamed(name).forEach(sink);
            return true;
        });
    }

    /** Passes every variable to a consumer, in the order of the debug information. */
    void forEachVariable(Consumer<Variable> sink);

    /** Returns the inline namespaces of C++ around the types, with their scopes: {@code std::__cxx11}. */
    Set<String> inlineNamespaces();

    /** Returns what was left out of the debug information, and may define other names. */
    default List<Omission> omissions() {
        return List.of();
    }

    /**
     * Returns whether the program itself describes the types, for its own use at run time. It describes only those that it
     * needs, so a type that is missing here may exist.
     */
    default boolean isFromProgram() {
        return false;
    }

    /**
     * An enumerator and where it is defined.
     *
     * @param enumeration the enumeration; its name is empty if it has none
     */
    record EnumeratorDefinition(Enumerator enumerator, Definition enumeration) {

        /** Returns the enumerators of a name in a definition; none if it is not an enumeration. */
        public static Stream<EnumeratorDefinition> in(Definition definition, String name) {
            return definition.shape() instanceof EnumShape enumeration
                    ? enumeration.enumerators().stream()
                            .filter(enumerator -> enumerator.name().equals(name))
                            .map(enumerator -> new EnumeratorDefinition(enumerator, definition))
                    : Stream.empty();
        }

        public EnumShape shape() {
            return (EnumShape) enumeration.shape();
        }
    }
}
