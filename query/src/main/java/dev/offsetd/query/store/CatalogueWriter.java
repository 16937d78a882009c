package dev.offsetd.query.store;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.Sha256;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.NameIndex;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Writes a {@link TypeCatalogue} as the blob that {@link StoredCatalogue} reads; see {@link CatalogueFormat}. */
public final class CatalogueWriter {

    private final BlobOutput blob = StoredBlob.begin();
    private final IdentityHashMap<TypeShape, Integer> numbers = new IdentityHashMap<>();

    /** By the hash of their bytes, which together take as much memory as the catalogue itself. */
    private final Map<ByteBuffer, Integer> numbersByHash = new HashMap<>();

    private final MessageDigest hash = Sha256.digest();
    private final BlockTable.Writer shapes = new BlockTable.Writer();

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
        Deadline deadline = Deadline.currentOr(Limits.DEFAULT);
        CompletableFuture<NameIndex> names = CompletableFuture.supplyAsync(() -> deadline.during(catalogue::names));
        BlockTable.Writer definitionTable = new BlockTable.Writer();
        for (Definition definition : definitions) {
            DefinitionEntry entry = DefinitionEntry.of(
                    definition,
                    units.number(definition.unit()),
                    languages.number(definition.language()),
                    number(definition.shape()));
            definitionTable.add("", entry.toBytes());
        }
        BlockTable.Writer variableTable = new BlockTable.Writer();
        for (Variable variable : variables) {
            VariableEntry entry = VariableEntry.of(
                    variable,
                    units.number(variable.unit()),
                    languages.number(variable.language()),
                    number(variable.type()));
            variableTable.add("", entry.toBytes());
        }
        BlobOutput directory = new BlobOutput();
        directory.unsigned(units.values().size());
        units.values().forEach(directory::string);
        directory.unsigned(languages.values().size());
        for (Language language : languages.values()) {
            directory.string(language.name()).unsigned(ShapeCodec.indexOf(CatalogueFormat.FAMILIES, language.family()));
        }
        shapes.finish(blob, directory);
        definitionTable.finish(blob, directory);
        NameIndex index = joined(names);
        writeIndex(index.types(), directory);
        writeIndex(index.enumerators(), directory);
        variableTable.finish(blob, directory);
        writeIndex(index.variables(), directory);
        directory.unsigned(catalogue.inlineNamespaces().size());
        catalogue.inlineNamespaces().stream().sorted().forEach(directory::string);
        directory.unsigned(catalogue.isFromProgram() ? 1 : 0);
        writeOmissions(catalogue.omissions(), directory);
        writeIndex(index.goTypes(), directory);
        return StoredBlob.finish(blob, CatalogueFormat.MAGIC, CatalogueFormat.FORMAT, directory);
    }

    /** Returns the result of another thread, or throws what it threw. */
    private static NameIndex joined(CompletableFuture<NameIndex> names) {
        try {
            return names.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException thrown ? thrown : e;
        }
    }

    private static void writeOmissions(List<Omission> omissions, BlobOutput directory) {
        directory.unsigned(omissions.size());
        for (Omission omission : omissions) {
            directory
                    .string(omission.part().word())
                    .string(omission.cause().word())
                    .unsigned(omission.count())
                    .unsigned(omission.places().size());
            omission.places().forEach(directory::string);
        }
    }

    private void writeIndex(Map<String, List<Integer>> index, BlobOutput directory) {
        BlockTable.Writer table = new BlockTable.Writer();
        index.forEach((key, definitions) -> {
            BlobOutput entry = new BlobOutput().string(key).unsigned(definitions.size());
            definitions.forEach(entry::unsigned);
            table.add(key, entry.toBytes());
        });
        table.finish(blob, directory);
    }

    /** Returns the number of a shape. Shapes inside it are written first, and equal shapes once. */
    private int number(TypeShape shape) {
        Integer known = numbers.get(shape);
        if (known == null) {
            byte[] encoded = ShapeCodec.encode(shape, this::number);
            int next = numbersByHash.size();
            known = numbersByHash.putIfAbsent(ByteBuffer.wrap(hash.digest(encoded)), next);
            if (known == null) {
                known = next;
                shapes.add("", encoded);
            }
            numbers.put(shape, known);
        }
        return known;
    }
}
