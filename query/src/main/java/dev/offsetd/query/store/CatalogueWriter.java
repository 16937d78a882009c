package dev.offsetd.query.store;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.NameIndex;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Writes a {@link TypeCatalogue} as the blob that {@link StoredCatalogue} reads; see {@link CatalogueFormat}. */
public final class CatalogueWriter {

    private final BlobOutput blob = StoredBlob.begin();
    private final IdentityHashMap<TypeShape, Integer> numbers = new IdentityHashMap<>();
    private final Map<Encoded, Integer> numbersByBytes = new HashMap<>();
    private final BlockTable.Writer shapes = new BlockTable.Writer(blob);

    private final Numbering<String> units = new Numbering<>();
    private final Numbering<Language> languages = new Numbering<>();

    private CatalogueWriter() {}

    /** Encodes a catalogue; equal catalogues give equal bytes. */
    public static byte[] encode(TypeCatalogue catalogue) {
        return new CatalogueWriter().write(catalogue);
    }

    private byte[] write(TypeCatalogue catalogue) {
        List<Definition> definitions = catalogue.definitions();
        List<Variable> variables = catalogue.variables();
        CompletableFuture<NameIndex> names = CompletableFuture.supplyAsync(catalogue::names);
        List<byte[]> entries = new ArrayList<>(definitions.size());
        for (Definition definition : definitions) {
            entries.add(DefinitionEntry.of(
                            definition,
                            units.number(definition.unit()),
                            languages.number(definition.language()),
                            number(definition.shape()))
                    .toBytes());
        }
        List<byte[]> variableEntries = new ArrayList<>(variables.size());
        for (Variable variable : variables) {
            variableEntries.add(VariableEntry.of(
                            variable,
                            units.number(variable.unit()),
                            languages.number(variable.language()),
                            number(variable.type()))
                    .toBytes());
        }
        BlobOutput directory = new BlobOutput();
        directory.unsigned(units.values().size());
        units.values().forEach(directory::string);
        directory.unsigned(languages.values().size());
        for (Language language : languages.values()) {
            directory.string(language.name()).unsigned(ShapeCodec.indexOf(CatalogueFormat.FAMILIES, language.family()));
        }
        shapes.finish(directory);
        writeNumbered(entries, directory);
        writeIndex(names.join().types(), directory);
        writeIndex(names.join().enumerators(), directory);
        writeNumbered(variableEntries, directory);
        writeIndex(names.join().variables(), directory);
        directory.unsigned(catalogue.inlineNamespaces().size());
        catalogue.inlineNamespaces().stream().sorted().forEach(directory::string);
        if (catalogue.isFromProgram()) {
            directory.unsigned(1);
        }

        return StoredBlob.finish(blob, CatalogueFormat.MAGIC, CatalogueFormat.FORMAT, directory);
    }

    private void writeNumbered(List<byte[]> entries, BlobOutput directory) {
        BlockTable.Writer table = new BlockTable.Writer(blob);
        entries.forEach(entry -> table.add("", entry));
        table.finish(directory);
    }

    private void writeIndex(Map<String, List<Integer>> index, BlobOutput directory) {
        BlockTable.Writer table = new BlockTable.Writer(blob);
        index.forEach((key, definitions) -> {
            BlobOutput entry = new BlobOutput().string(key).unsigned(definitions.size());
            definitions.forEach(entry::unsigned);
            table.add(key, entry.toBytes());
        });
        table.finish(directory);
    }

    /** Returns the number of a shape. Shapes inside it are written first, and equal shapes once. */
    private int number(TypeShape shape) {
        Integer known = numbers.get(shape);
        if (known == null) {
            Encoded encoded = new Encoded(ShapeCodec.encode(shape, this::number));
            int next = numbersByBytes.size();
            known = numbersByBytes.putIfAbsent(encoded, next);
            if (known == null) {
                known = next;
                shapes.add("", encoded.bytes);
            }
            numbers.put(shape, known);
        }
        return known;
    }

    /** The bytes of a shape. Unlike those of a {@code ByteBuffer}, they are hashed once, and many at a time. */
    private static final class Encoded {

        private final byte[] bytes;
        private final int hash;

        private Encoded(byte[] bytes) {
            this.bytes = bytes;
            this.hash = Arrays.hashCode(bytes);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Encoded encoded && Arrays.equals(encoded.bytes, bytes);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }
}
