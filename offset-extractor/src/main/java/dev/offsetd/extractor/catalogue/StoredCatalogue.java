package dev.offsetd.extractor.catalogue;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A catalogue read out of its blob, block by block, as names are asked for; see {@link CatalogueFormat}. The directory
 * and a few blocks stay in memory. Safe for any number of threads.
 */
public final class StoredCatalogue implements TypeIndex {

    private static final int KEPT_BLOCKS = 16;

    private final BlobReader blob;
    private final List<String> units = new ArrayList<>();
    private final List<Language> languages = new ArrayList<>();
    private final BlockTable.Directory shapes;
    private final BlockTable.Directory definitions;
    private final BlockTable.Directory names;
    private final BlockTable.Directory enumerators;
    private final BlockTable.Directory variables;
    private final BlockTable.Directory variableNames;
    private final Map<Long, BlockTable.Entries> kept = new LinkedHashMap<>(32, 0.75f, true);

    /**
     * Opens the catalogue: reads its header and directory.
     *
     * @throws CorruptCatalogueException if the blob is no catalogue of a format known here
     */
    public StoredCatalogue(BlobReader blob) {
        this.blob = blob;
        ByteBuffer header = ByteBuffer.wrap(read(0, CatalogueFormat.HEADER_BYTES));
        int magic = header.getInt();
        if (magic != CatalogueFormat.MAGIC) {
            throw new CorruptCatalogueException("starts with 0x" + Integer.toHexString(magic) + "; expected 0x"
                    + Integer.toHexString(CatalogueFormat.MAGIC));
        }
        int format = header.getInt();
        if (format != CatalogueFormat.FORMAT) {
            throw new CorruptCatalogueException("format " + format + "; expected " + CatalogueFormat.FORMAT);
        }
        long offset = header.getLong();
        int compressedLength = header.getInt();
        BlobInput in = new BlobInput(CatalogueFormat.decompress(read(offset, compressedLength), header.getInt()));
        int unitCount = in.count();
        for (int i = 0; i < unitCount; i++) {
            units.add(in.string());
        }
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
    }

    /** A catalogue whose blob is in memory. */
    public static StoredCatalogue of(byte[] blob) {
        return new StoredCatalogue((offset, length) -> {
            if (offset < 0 || length < 0 || offset > blob.length - length) {
                throw new CorruptCatalogueException(
                        length + " bytes at " + offset + " of a blob of " + blob.length + " bytes");
            }
            byte[] part = new byte[length];
            System.arraycopy(blob, (int) offset, part, 0, length);
            return part;
        });
    }

    /** How many definitions the catalogue holds, unnamed enumerations included. */
    public int definitionCount() {
        return definitions.entries();
    }

    /** The names of all definitions with their namespaces and classes; those that have none are left out. */
    public Set<String> qualifiedNames() {
        Set<String> found = new HashSet<>();
        for (BlockTable.Block block : definitions.blocks()) {
            BlockTable.Entries read = entries(block);
            for (int i = 0; i < read.size(); i++) {
                BlobInput in = read.entry(i);
                // Before it come the kind and the bare name.
                in.count();
                in.string();
                String name = in.string();
                if (!name.isEmpty()) {
                    found.add(name);
                }
            }
        }
        return found;
    }

    @Override
    public List<Definition> definitionsNamed(String name) {
        List<Definition> found = new ArrayList<>();
        Map<Integer, TypeShape> read = new HashMap<>();
        for (int number : lookUp(names, TypeNames.normalize(name))) {
            found.add(definition(number, read));
        }
        return found;
    }

    @Override
    public List<EnumeratorDefinition> enumeratorsNamed(String name) {
        List<EnumeratorDefinition> found = new ArrayList<>();
        Map<Integer, TypeShape> read = new HashMap<>();
        for (int number : lookUp(enumerators, name)) {
            Definition definition = definition(number, read);
            if (definition.shape() instanceof EnumShape enumeration) {
                for (Enumerator enumerator : enumeration.enumerators()) {
                    if (enumerator.name().equals(name)) {
                        found.add(new EnumeratorDefinition(enumerator, definition));
                    }
                }
            }
        }
        return found;
    }

    @Override
    public List<Variable> variablesNamed(String name) {
        List<Variable> found = new ArrayList<>();
        Map<Integer, TypeShape> read = new HashMap<>();
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
        BlockTable.Entries entries = entries(index.blocks().get(at));
        int low = 0;
        int high = entries.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            BlobInput in = entries.entry(middle);
            int order = in.string().compareTo(key);
            if (order == 0) {
                int count = in.count();
                if (count > in.remaining()) {
                    throw new CorruptCatalogueException(
                            count + " definitions in an entry of " + in.remaining() + " bytes");
                }
                int[] numbers = new int[count];
                for (int i = 0; i < numbers.length; i++) {
                    numbers[i] = in.count();
                }
                return numbers;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return new int[0];
    }

    private Definition definition(int number, Map<Integer, TypeShape> read) {
        BlockTable.Block block = definitions.holding(number);
        BlobInput in = entries(block).entry(number - block.firstEntry());
        return new Definition(
                ShapeCodec.at(CatalogueFormat.KINDS, in.count()),
                in.string(),
                in.string(),
                in.optional(),
                at(units, in.count()),
                at(languages, in.count()),
                in.string(),
                in.unsigned(),
                shape(in.count(), shapes.entries(), 0, read));
    }

    private Variable variable(int number, Map<Integer, TypeShape> read) {
        BlockTable.Block block = variables.holding(number);
        BlobInput in = entries(block).entry(number - block.firstEntry());
        int flags = in.count();
        String name = in.string();
        String qualifiedName = in.string();
        return new Variable(
                name,
                qualifiedName.isEmpty() ? name : qualifiedName,
                in.optional(),
                in.optional(),
                at(units, in.count()),
                at(languages, in.count()),
                (flags & CatalogueFormat.DECLARATION) != 0,
                (flags & CatalogueFormat.HAS_ADDRESS) != 0 ? OptionalLong.of(in.unsigned()) : OptionalLong.empty(),
                shape(in.count(), shapes.entries(), 0, read));
    }

    /**
     * @param below shapes are written behind those inside them, so a number that is not below its holder's is corrupt
     * @param depth how many shapes hold this one
     */
    private TypeShape shape(int number, int below, int depth, Map<Integer, TypeShape> read) {
        TypeShape known = read.get(number);
        if (known != null) {
            return known;
        }
        if (number >= below) {
            throw new CorruptCatalogueException("shape " + number + " inside shape " + below);
        }
        if (depth > CatalogueFormat.MAX_SHAPE_DEPTH) {
            throw new CorruptCatalogueException("shape " + number + " is inside " + depth + " others");
        }
        BlockTable.Block block = shapes.holding(number);
        TypeShape shape = ShapeCodec.decode(
                entries(block).entry(number - block.firstEntry()), inner -> shape(inner, number, depth + 1, read));
        read.put(number, shape);
        return shape;
    }

    private BlockTable.Entries entries(BlockTable.Block block) {
        synchronized (kept) {
            BlockTable.Entries known = kept.get(block.offset());
            if (known != null) {
                return known;
            }
        }
        BlockTable.Entries entries = new BlockTable.Entries(
                CatalogueFormat.decompress(read(block.offset(), block.compressedLength()), block.rawLength()));
        synchronized (kept) {
            kept.put(block.offset(), entries);
            if (kept.size() > KEPT_BLOCKS) {
                kept.remove(kept.keySet().iterator().next());
            }
        }
        return entries;
    }

    private byte[] read(long offset, int length) {
        if (offset < 0 || length < 0) {
            throw new CorruptCatalogueException(length + " bytes at " + offset);
        }
        byte[] part = blob.read(offset, length);
        if (part.length != length) {
            throw new CorruptCatalogueException(
                    part.length + " bytes at " + offset + " where " + length + " were expected");
        }
        return part;
    }

    private static <T> T at(List<T> values, int index) {
        if (index >= values.size()) {
            throw new CorruptCatalogueException("number " + index + " of " + values.size());
        }
        return values.get(index);
    }
}
