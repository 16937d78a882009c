package dev.offsetd.query.store;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A catalogue that is read from its blob, block by block, as names are looked up; see {@link CatalogueFormat}. The
 * directory and a few blocks are cached in memory. Thread-safe.
 */
public final class StoredCatalogue implements TypeIndex {

    /** Shapes that look-ups, or a reading of everything, share among definitions; a kernel has fewer. */
    private static final int MAX_SHAPES_AT_ONCE = 1 << 17;

    /** Blocks that look-ups by name share when they share shapes, 32 MiB: names are not in the order of the definitions. */
    private static final int MAX_BLOCKS_AT_ONCE = 1024;

    private static final TypeShape NOT_READ = new IncompleteShape("", new IncompleteShape.Reason.Unread("not read"));

    private final StoredBlob blob;
    private final List<String> units;
    private final List<Language> languages;
    private final Set<String> inlineNamespaces;
    private final BlockTable.Directory shapes;
    private final BlockTable.Directory definitions;
    private final BlockTable.Directory names;
    private final BlockTable.Directory enumerators;
    private final BlockTable.Directory variables;
    private final BlockTable.Directory variableNames;
    private final boolean fromProgram;
    private final List<Omission> omissions;

    /** Null in a catalogue that was stored without them. */
    private final BlockTable.@Nullable Directory goTypes;

    /** Characters in names of types that no source file defines: instances of generic types, references, tuples, closures. */
    private static final String INSTANCE_MARKS = "<&*([{";

    /** Shapes that look-ups share; null if each look-up reads its own. */
    private final @Nullable ReadShapes shared;

    /** Numbers of definitions by their canonical qualified names; null if the catalogue is not {@link #indexed}. */
    private final @Nullable Map<String, List<Integer>> byQualifiedName;

    /** Shapes by their numbers. */
    private static final class ReadShapes {

        private final Map<Integer, TypeShape> shapes = new HashMap<>();

        /** Bytes of their entries. */
        private long bytes;

        /** Forgets the shapes if they are very many. */
        void limit() {
            if (shapes.size() > MAX_SHAPES_AT_ONCE) {
                shapes.clear();
                bytes = 0;
            }
        }
    }

    /**
     * Opens the catalogue: reads its header and directory.
     *
     * @throws CorruptBlobException if the blob is not a catalogue of a supported format
     */
    public StoredCatalogue(BlobReader blob) {
        this.blob = new StoredBlob(blob, CatalogueFormat.MAGIC, CatalogueFormat.FORMAT);
        BlobInput in = this.blob.directory();
        units = strings(in);
        languages = new ArrayList<>();
        int languageCount = in.count();
        for (int i = 0; i < languageCount; i++) {
            languages.add(new Language(in.string(), ShapeCodec.at(CatalogueFormat.FAMILIES, in.count())));
        }
        shapes = BlockTable.Directory.read(in);
        definitions = BlockTable.Directory.read(in);
        names = BlockTable.Directory.read(in);
        enumerators = BlockTable.Directory.read(in);
        variables = BlockTable.Directory.read(in);
        variableNames = BlockTable.Directory.read(in);
        // Catalogues of extractor version 3 and below end here.
        inlineNamespaces = in.remaining() > 0 ? new HashSet<>(strings(in)) : new HashSet<>();
        fromProgram = in.remaining() > 0 && in.count() == 1;
        // Catalogues of extractor version 9 and below end here.
        boolean more = in.remaining() > 0;
        omissions = more ? readOmissions(in) : List.of();
        goTypes = more ? BlockTable.Directory.read(in) : null;
        shared = null;
        byQualifiedName = null;
    }

    private StoredCatalogue(
            StoredCatalogue catalogue,
            StoredBlob blob,
            @Nullable ReadShapes shared,
            @Nullable Map<String, List<Integer>> byQualifiedName) {
        this.blob = blob;
        this.shared = shared;
        this.byQualifiedName = byQualifiedName;
        units = catalogue.units;
        languages = catalogue.languages;
        inlineNamespaces = catalogue.inlineNamespaces;
        shapes = catalogue.shapes;
        definitions = catalogue.definitions;
        names = catalogue.names;
        enumerators = catalogue.enumerators;
        variables = catalogue.variables;
        variableNames = catalogue.variableNames;
        fromProgram = catalogue.fromProgram;
        omissions = catalogue.omissions;
        goTypes = catalogue.goTypes;
    }

    private static List<String> strings(BlobInput in) {
        int count = in.count();
        List<String> read = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            read.add(in.string());
        }
        return read;
    }

    private static List<Omission> readOmissions(BlobInput in) {
        List<Omission> omissions = new ArrayList<>();
        int count = in.count();
        for (int i = 0; i < count; i++) {
            Optional<Omission.Part> part = Omission.Part.of(in.string());
            Optional<Omission.Cause> cause = Omission.Cause.of(in.string());
            long parts = in.unsigned();
            List<String> places = strings(in);
            // A newer server may name others.
            omissions.add(new Omission(
                    part.orElse(Omission.Part.UNIT), cause.orElse(Omission.Cause.UNSUPPORTED), parts, places));
        }
        return List.copyOf(omissions);
    }

    /** Opens a catalogue in memory. */
    public static StoredCatalogue of(byte[] blob) {
        return new StoredCatalogue(StoredBlob.inMemory(blob));
    }

    @Override
    public TypeIndex sharingLayouts() {
        return new StoredCatalogue(this, blob.keeping(MAX_BLOCKS_AT_ONCE), new ReadShapes(), byQualifiedName);
    }

    /** Returns this catalogue with a table of all qualified names, for {@link #definitionsOf} and {@link #qualifiedNames}. */
    public StoredCatalogue indexed() {
        Map<String, List<Integer>> table = new HashMap<>();
        forEachOutline(one -> {
            if (!one.qualifiedName().isEmpty()) {
                table.computeIfAbsent(TypeNames.canonical(one.qualifiedName()), _ -> new ArrayList<>(1))
                        .add(one.number());
            }
        });
        return new StoredCatalogue(this, blob, shared, table);
    }

    /** Returns where a look-up finds and leaves the shapes that it reads. */
    private ReadShapes shapesRead() {
        if (shared == null) {
            return new ReadShapes();
        }
        shared.limit();
        return shared;
    }

    /** Returns the most bytes that so many types can take when decompressed. */
    public long mostBytes(int types) {
        return shapes.mostBytes(types);
    }

    /** Returns the number of definitions, unnamed enumerations included. */
    public int definitionCount() {
        return definitions.entries();
    }

    @Override
    public List<Omission> omissions() {
        return omissions;
    }

    @Override
    public boolean isFromProgram() {
        return fromProgram;
    }

    @Override
    public Set<String> inlineNamespaces() {
        return Collections.unmodifiableSet(inlineNamespaces);
    }

    @Override
    public void forEachTypeName(String from, Predicate<String> goOn) {
        forEachName(names, from, goOn, _ -> true);
    }

    @Override
    public void forEachGoTypeName(String from, Predicate<String> goOn) {
        if (goTypes != null) {
            forEachName(goTypes, from, goOn, _ -> true);
        }
    }

    @Override
    public void forEachEnumeratorName(String from, Predicate<String> goOn) {
        forEachName(enumerators, from, goOn, _ -> true);
    }

    @Override
    public void forEachVariableName(String from, Predicate<String> goOn) {
        forEachName(variableNames, from, goOn, _ -> true);
    }

    /**
     * Passes on the names from a name on that have one definition of {@code among} and none of {@code except}, in the order of
     * {@link #forEachTypeName(String, Predicate)}.
     */
    public void forEachTypeName(String from, BitSet among, BitSet except, Predicate<String> goOn) {
        forEachName(names, from, goOn, numbers -> hasOneOf(among, except, numbers));
    }

    /** @param passes tests the numbers of the definitions of a name */
    private void forEachName(
            BlockTable.Directory index, String from, Predicate<String> goOn, Predicate<BlobInput> passes) {
        for (int block = Math.max(0, index.blockOf(from));
                block < index.blocks().size();
                block++) {
            BlockTable.Entries entries = blob.entries(index.blocks().get(block));
            for (int i = 0; i < entries.size(); i++) {
                BlobInput entry = entries.entry(i);
                String name = entry.string();
                if (name.compareTo(from) >= 0 && passes.test(entry) && !goOn.test(name)) {
                    return;
                }
            }
        }
    }

    private static boolean hasOneOf(BitSet among, BitSet except, BlobInput numbers) {
        int count = numbers.count();
        boolean found = false;
        for (int i = 0; i < count; i++) {
            int number = numbers.count();
            if (except.get(number)) {
                return false;
            }
            found |= among.get(number);
        }
        return found;
    }

    /**
     * A definition without its layout.
     *
     * @param qualifiedName empty for an enumeration without a name
     */
    public record Outline(int number, TypeKind kind, String qualifiedName, Language.Family language) {}

    /** Reads all definitions without their layouts. */
    public void forEachOutline(Consumer<Outline> sink) {
        for (BlockTable.Block block : definitions.blocks()) {
            BlockTable.Entries read = blob.entries(block);
            for (int i = 0; i < read.size(); i++) {
                DefinitionEntry entry = DefinitionEntry.read(read.entry(i));
                sink.accept(new Outline(
                        block.firstEntry() + i,
                        entry.kind(),
                        entry.qualifiedName(),
                        at(languages, entry.language()).family()));
            }
        }
    }

    /**
     * Returns the languages in which the most types are written: C and C++ together, or one other. Instances of generic types
     * and closures do not count: a few lines of Rust have more of them than a library in C has types.
     */
    public Set<Language.Family> mainLanguages() {
        Map<Language.Family, Integer> counts = new EnumMap<>(Language.Family.class);
        forEachOutline(one -> {
            if (one.qualifiedName().chars().allMatch(c -> INSTANCE_MARKS.indexOf(c) < 0)) {
                counts.merge(one.language().ranksFirst() ? Language.Family.C : one.language(), 1, Integer::sum);
            }
        });
        Language.Family main = counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(Language.Family.C);
        return main == Language.Family.C ? EnumSet.of(main, Language.Family.CPP) : EnumSet.of(main);
    }

    /**
     * Kinds and size of the types of a name, without their layouts.
     *
     * @param kinds the kinds of its definitions, or of the first of very many
     * @param byteSize the size of these definitions; {@link TypeShape#UNKNOWN_SIZE} if they differ or have none
     */
    public record Summary(Set<TypeKind> kinds, long byteSize) {

        /** Most definitions read for a name; C++ libraries have thousands named {@code type}. */
        static final int MAX_DEFINITIONS = 16;

        public Summary {
            kinds = Collections.unmodifiableSet(new LinkedHashSet<>(kinds));
        }
    }

    /** Returns a summary of a name of {@link #forEachTypeName}; without kinds for any other name. */
    public Summary summary(String name) {
        Set<TypeKind> kinds = EnumSet.noneOf(TypeKind.class);
        Set<Long> sizes = new HashSet<>();
        int[] numbers = lookUp(names, TypeNames.normalize(name));
        for (int i = 0; i < Math.min(numbers.length, Summary.MAX_DEFINITIONS); i++) {
            DefinitionEntry entry = DefinitionEntry.read(blob.entry(definitions, numbers[i]));
            kinds.add(entry.kind());
            long size = byteSize(entry.shape());
            if (size != TypeShape.UNKNOWN_SIZE) {
                sizes.add(size);
            }
        }
        return new Summary(kinds, sizes.size() == 1 ? sizes.iterator().next() : TypeShape.UNKNOWN_SIZE);
    }

    /** Returns the size of a shape without decoding the shapes inside it, which would be most of the work. */
    private long byteSize(int number) {
        int below = shapes.entries();
        int next = number;
        while (next < below) {
            int[] inside = {below};
            TypeShape shape = ShapeCodec.decode(blob.entry(shapes, next), inner -> {
                inside[0] = inner;
                return NOT_READ;
            });
            if (!(shape instanceof AliasShape)) {
                return shape.byteSize();
            }
            below = next;
            next = inside[0];
        }
        throw new CorruptBlobException("shape " + next + " inside shape " + below);
    }

    /** Returns the canonical qualified names of all named definitions. */
    public Set<String> qualifiedNames() {
        return byQualifiedName == null
                ? indexed().qualifiedNames()
                : Collections.unmodifiableSet(byQualifiedName.keySet());
    }

    @Override
    public void forEachDefinition(Consumer<Definition> sink) {
        ReadShapes read = shapesRead();
        for (int number = 0; number < definitions.entries(); number++) {
            sink.accept(definition(number, read));
            read.limit();
        }
    }

    @Override
    public void forEachVariable(Consumer<Variable> sink) {
        ReadShapes read = shapesRead();
        for (int number = 0; number < variables.entries(); number++) {
            sink.accept(variable(number, read));
            read.limit();
        }
    }

    /**
     * Reads everything.
     *
     * @throws CorruptBlobException if anything is damaged
     */
    public void readAll() {
        forEachDefinition(_ -> {});
        forEachVariable(_ -> {});
        readIndex(names, definitions);
        readIndex(enumerators, definitions);
        readIndex(variableNames, variables);
        if (goTypes != null) {
            readIndex(goTypes, definitions);
        }
    }

    /** @param table whose entries the numbers in the index are of */
    private void readIndex(BlockTable.Directory index, BlockTable.Directory table) {
        forEachName(index, "", _ -> true, entry -> {
            for (int number : numbers(entry)) {
                requireNumber(number, table.entries());
            }
            return true;
        });
    }

    @Override
    public List<Definition> definitionsNamed(String name) {
        return definitionsNamed(name, _ -> true);
    }

    @Override
    public List<Definition> definitionsNamed(String name, Predicate<String> qualifiedName) {
        List<Definition> found = new ArrayList<>();
        ReadShapes read = shapesRead();
        for (int number : lookUp(names, TypeNames.normalize(name))) {
            Deadline.checkCurrent();
            if (qualifiedName.test(DefinitionEntry.readQualifiedName(blob.entry(definitions, number)))) {
                found.add(definition(number, read));
            }
        }
        return found;
    }

    @Override
    public Optional<List<Definition>> definitionsOf(String qualifiedName) {
        if (byQualifiedName == null) {
            return Optional.empty();
        }
        ReadShapes read = shapesRead();
        return Optional.of(byQualifiedName.getOrDefault(TypeNames.canonical(qualifiedName), List.of()).stream()
                .map(number -> definition(number, read))
                .toList());
    }

    @Override
    public List<Definition> goTypesNamed(String name) {
        List<Definition> found = new ArrayList<>();
        ReadShapes read = shapesRead();
        if (goTypes != null) {
            for (int number : lookUp(goTypes, TypeNames.normalize(name))) {
                found.add(definition(number, read));
            }
        }
        return found;
    }

    @Override
    public List<EnumeratorDefinition> enumeratorsNamed(String name) {
        List<EnumeratorDefinition> found = new ArrayList<>();
        ReadShapes read = shapesRead();
        for (int number : lookUp(enumerators, name)) {
            EnumeratorDefinition.in(definition(number, read), name).forEach(found::add);
        }
        return found;
    }

    @Override
    public List<Variable> variablesNamed(String name) {
        List<Variable> found = new ArrayList<>();
        ReadShapes read = shapesRead();
        for (int number : lookUp(variableNames, TypeNames.normalize(name))) {
            found.add(variable(number, read));
        }
        return found;
    }

    private int[] lookUp(BlockTable.Directory index, String key) {
        int at = index.blockOf(key);
        if (at < 0) {
            return new int[0];
        }
        BlockTable.Entries entries = blob.entries(index.blocks().get(at));
        int place = entries.firstNot(entry -> entry.string().compareTo(key) < 0);
        if (place == entries.size()) {
            return new int[0];
        }
        BlobInput in = entries.entry(place);
        return in.string().equals(key) ? numbers(in) : new int[0];
    }

    /** Reads the numbers behind the name of an entry of an index. */
    private static int[] numbers(BlobInput in) {
        int count = in.count();
        if (count > in.remaining()) {
            throw new CorruptBlobException(count + " definitions in an entry of " + in.remaining() + " bytes");
        }
        int[] numbers = new int[count];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = in.count();
        }
        return numbers;
    }

    private Definition definition(int number, ReadShapes read) {
        Deadline.checkCurrent();
        DefinitionEntry entry = DefinitionEntry.read(blob.entry(definitions, number));
        return new Definition(
                entry.kind(),
                entry.name(),
                entry.qualifiedName(),
                entry.function(),
                at(units, entry.unit()),
                at(languages, entry.language()),
                entry.section(),
                entry.dieOffset(),
                shape(entry.shape(), shapes.entries(), 0, read));
    }

    private Variable variable(int number, ReadShapes read) {
        Deadline.checkCurrent();
        VariableEntry entry = VariableEntry.read(blob.entry(variables, number));
        return new Variable(
                entry.name(),
                entry.qualifiedName(),
                entry.linkageName(),
                entry.function(),
                at(units, entry.unit()),
                at(languages, entry.language()),
                entry.declaration(),
                entry.address(),
                entry.blockOffset(),
                shape(entry.shape(), shapes.entries(), 0, read));
    }

    /**
     * @param below number of the enclosing shape; shapes are written after those inside them, so numbers decrease inwards
     * @param depth number of enclosing shapes
     */
    private TypeShape shape(int number, int below, int depth, ReadShapes read) {
        TypeShape known = read.shapes.get(number);
        if (known != null) {
            return known;
        }
        if (number >= below) {
            throw new CorruptBlobException("shape " + number + " inside shape " + below);
        }
        if (depth > CatalogueFormat.MAX_SHAPE_DEPTH) {
            throw new CorruptBlobException("shape " + number + " is inside " + depth + " others");
        }
        BlobInput entry = blob.entry(shapes, number);
        read.bytes += entry.remaining();
        LookUpLimit.check(read.bytes);
        TypeShape shape = ShapeCodec.decode(entry, inner -> shape(inner, number, depth + 1, read));
        read.shapes.put(number, shape);
        return shape;
    }

    private static <T> T at(List<T> values, int index) {
        requireNumber(index, values.size());
        return values.get(index);
    }

    private static void requireNumber(int number, int count) {
        if (number >= count) {
            throw new CorruptBlobException("number " + number + " of " + count);
        }
    }
}
