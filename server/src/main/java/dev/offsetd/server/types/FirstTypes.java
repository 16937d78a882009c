package dev.offsetd.server.types;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredCatalogue;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The types of the first of two builds: what cannot be read of them must not be put down to the second. */
final class FirstTypes implements TypeIndex {

    private final StoredCatalogue types;

    private FirstTypes(StoredCatalogue types) {
        this.types = types;
    }

    /** @param open opens them; may fail as their methods may */
    static FirstTypes of(Supplier<StoredCatalogue> open) {
        return new FirstTypes(told(open));
    }

    /** The types without the difference in what they throw. */
    StoredCatalogue stored() {
        return types;
    }

    @Override
    public List<Definition> definitionsNamed(String name) {
        return told(() -> types.definitionsNamed(name));
    }

    @Override
    public List<Definition> definitionsNamed(String name, Predicate<String> qualifiedName) {
        return told(() -> types.definitionsNamed(name, qualifiedName));
    }

    @Override
    public List<EnumeratorDefinition> enumeratorsNamed(String name) {
        return told(() -> types.enumeratorsNamed(name));
    }

    @Override
    public List<Variable> variablesNamed(String name) {
        return told(() -> types.variablesNamed(name));
    }

    @Override
    public void forEachTypeName(String from, Predicate<String> goOn) {
        told(() -> {
            types.forEachTypeName(from, goOn);
            return types;
        });
    }

    @Override
    public Set<String> inlineNamespaces() {
        return told(types::inlineNamespaces);
    }

    private static <T> T told(Supplier<T> read) {
        try {
            return read.get();
        } catch (CorruptBlobException e) {
            throw new CorruptException(e);
        }
    }

    /** What is stored of the first build cannot be read. */
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
