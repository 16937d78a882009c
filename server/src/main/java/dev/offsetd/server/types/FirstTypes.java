package dev.offsetd.server.types;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredCatalogue;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Types of the first of two builds. It wraps read errors, so that they are not attributed to the second build. */
final class FirstTypes implements TypeIndex {

    private final StoredCatalogue types;

    private FirstTypes(StoredCatalogue types) {
        this.types = types;
    }

    /** @param open opens the types; may throw {@link CorruptBlobException} as their methods do */
    static FirstTypes of(Supplier<StoredCatalogue> open) {
        return new FirstTypes(wrapped(open));
    }

    /** Returns the types without the wrapper. */
    StoredCatalogue stored() {
        return types;
    }

    @Override
    public List<Definition> definitionsNamed(String name) {
        return wrapped(() -> types.definitionsNamed(name));
    }

    @Override
    public List<Definition> definitionsNamed(String name, Predicate<String> qualifiedName) {
        return wrapped(() -> types.definitionsNamed(name, qualifiedName));
    }

    @Override
    public List<EnumeratorDefinition> enumeratorsNamed(String name) {
        return wrapped(() -> types.enumeratorsNamed(name));
    }

    @Override
    public List<Variable> variablesNamed(String name) {
        return wrapped(() -> types.variablesNamed(name));
    }

    @Override
    public void forEachVariable(Consumer<Variable> sink) {
        wrapped(() -> {
            types.forEachVariable(sink);
            return types;
        });
    }

    @Override
    public void forEachTypeName(String from, Predicate<String> goOn) {
        wrapped(() -> {
            types.forEachTypeName(from, goOn);
            return types;
        });
    }

    @Override
    public void forEachEnumeratorName(String from, Predicate<String> goOn) {
        wrapped(() -> {
            types.forEachEnumeratorName(from, goOn);
            return types;
        });
    }

    @Override
    public Set<String> inlineNamespaces() {
        return wrapped(types::inlineNamespaces);
    }

    /** As {@link StoredCatalogue#qualifiedNames}. */
    Set<String> qualifiedNames() {
        return wrapped(types::qualifiedNames);
    }

    private static <T> T wrapped(Supplier<T> read) {
        try {
            return read.get();
        } catch (CorruptBlobException e) {
            throw new CorruptException(e);
        }
    }

    /** Thrown when the stored types of the first build are corrupt. */
    static final class CorruptException extends RuntimeException {

        private final CorruptBlobException corrupt;

        private CorruptException(CorruptBlobException corrupt) {
            super(corrupt);
            this.corrupt = corrupt;
        }

        CorruptBlobException corrupt() {
            return corrupt;
        }
    }
}
