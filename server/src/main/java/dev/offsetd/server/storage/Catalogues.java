package dev.offsetd.server.storage;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.storage.objects.ObjectStore;
import dev.offsetd.server.storage.objects.StoreUnreachableException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The catalogue blobs of all builds. */
@Component
public class Catalogues {

    private static final Logger log = LoggerFactory.getLogger(Catalogues.class);

    private static final int COMPARED_AT_A_TIME = 500;

    /** Heap for each byte of a stored type in an answer: its records, and the rendered bytes. */
    private static final int HEAP_OF_BLOCK_BYTE = 12;

    /** Heap for each byte of a compared type: two sets of records, and the differences. */
    private static final int HEAP_OF_COMPARED_BYTE = 24;

    /** Heap for each byte of a whole catalogue: the blob, a copy while it is received, and the symbols. */
    private static final int HEAP_OF_WHOLE_BYTE = 3;

    private final AnswerHeap heap;
    private final BlobTable<StoredCatalogue> table;
    private final ObjectRows objects;
    private final ComputePool files;
    private final ObjectProvider<CatalogueListener> listeners;

    /**
     * @param files threads for comparisons of the files that are read
     * @param listeners resolved late, because some depend on this package
     */
    Catalogues(
            JdbcClient jdbc,
            ObjectRows objects,
            ObjectStore store,
            SliceCache slices,
            CatalogueProperties properties,
            AnswerHeap heap,
            @Qualifier(ComputePool.FILES) ComputePool files,
            ObjectProvider<CatalogueListener> listeners) {
        this.files = files;
        this.heap = heap;
        this.objects = objects;
        this.listeners = listeners;
        this.table = new BlobTable<>(jdbc, store, BuildPart.TYPES, slices, properties.open(), StoredCatalogue::new);
    }

    /**
     * Fails early if what an extraction finds could not be stored.
     *
     * @throws StoreUnreachableException if new catalogues go to the object store and it fails
     */
    public void checkWritable() {
        objects.checkWritable();
    }

    /**
     * Prepares a catalogue to be stored. Must not be called in a transaction, because it may write to the object store.
     *
     * @throws StoreUnreachableException if that fails
     */
    public NewBlob prepare(byte[] blob) {
        return objects.prepare(blob);
    }

    /** Stores or replaces a build's catalogue, and notifies {@code pins.Agreements}. Part of the caller's transaction. */
    public void store(BuildId id, NewBlob blob) {
        table.store(id, blob);
        listeners.forEach(listener -> listener.stored(id, () -> StoredCatalogue.of(blob.bytes())));
    }

    /**
     * Opens the types of a stored build.
     *
     * @param generation generation of the build, so that slices of a replaced blob are not mixed in
     * @throws CorruptBlobException now or during later reads, if the blob is damaged or has an unknown format
     */
    public StoredCatalogue open(BuildId id, long generation) {
        return table.open(id, generation);
    }

    /** Returns whether the stored types of a build are those that the program itself describes; false if they are unreadable. */
    public boolean areFromProgram(BuildId id, long generation) {
        try {
            return open(id, generation).isFromProgram();
        } catch (CorruptBlobException e) {
            return false;
        }
    }

    /** Returns whether the stored types of a build lack some because of damage to the file, or are unreadable. */
    public boolean areDamaged(BuildId id, long generation) {
        try {
            return Omission.areOfDamage(open(id, generation).omissions());
        } catch (CorruptBlobException e) {
            return true;
        }
    }

    /** Returns whether a symbol table of a stored build was left out; false if that is unreadable. */
    public boolean lackSymbols(BuildId id, long generation) {
        try {
            return Omission.areOfSymbols(open(id, generation).omissions());
        } catch (CorruptBlobException e) {
            return false;
        }
    }

    /**
     * Runs work that reads types of a stored build when there is heap for it.
     *
     * @param types limit of types that the work reads
     * @param work must not wait for the network, other than by reading the build, or read another build's types through this method
     */
    public <T> T reading(StoredCatalogue stored, int types, Supplier<T> work) {
        return heap.keeping(stored.mostBytes(types) * HEAP_OF_BLOCK_BYTE, work);
    }

    /**
     * Runs work on a build's whole catalogue when there is heap for it.
     *
     * @param work must not wait for the network, other than by reading the build, or read another build's types through this method
     */
    public <T> T whole(BuildId id, Function<byte[], T> work) {
        return heap.computing(table.bytes(id) * HEAP_OF_WHOLE_BYTE, () -> work.apply(table.whole(id)));
    }

    /** Runs work that compares types of stored builds when there is heap for it, see {@link #reading}. */
    public <T> T comparing(Collection<StoredCatalogue> stored, int types, Supplier<T> work) {
        long bytes = stored.stream().mapToLong(one -> one.mostBytes(types)).sum();
        return heap.computing(bytes * HEAP_OF_COMPARED_BYTE, work);
    }

    /**
     * Returns whether the layouts of a build's stored catalogue differ from those of this one: a type has another size or members
     * at other offsets, or exists in one of them only. Takes seconds for large catalogues and must not be called in a transaction.
     *
     * @return empty if the stored catalogue cannot be read, or if one of the two lacks a part of its file: what is missing there
     *     says nothing about the program
     */
    public Optional<Boolean> layoutsDiffer(BuildId id, byte[] other) {
        try {
            byte[] whole = table.whole(id);
            return layoutsDiffer(id, whole, other);
        } catch (CorruptBlobException e) {
            log.warn("build {}: the stored types cannot be compared: {}", id, e.getMessage());
            return Optional.empty();
        }
    }

    /** Compares two catalogues of a build that are not stored, see {@link #layoutsDiffer(BuildId, byte[])}. */
    public Optional<Boolean> layoutsDiffer(BuildId id, byte[] one, byte[] other) {
        if (Arrays.equals(one, other)) {
            return Optional.of(false);
        }
        try {
            StoredCatalogue first = StoredCatalogue.of(one);
            StoredCatalogue second = StoredCatalogue.of(other);
            return first.omissions().isEmpty() && second.omissions().isEmpty()
                    ? Optional.of(files.run(() -> differ(first, second)))
                    : Optional.empty();
        } catch (CorruptBlobException e) {
            log.warn("build {}: the types cannot be compared: {}", id, e.getMessage());
            return Optional.empty();
        }
    }

    /**
     * Returns whether debug information may replace the stored types, which the program itself describes: every type that both
     * have is the same. Takes seconds for large catalogues and must not be called in a transaction.
     *
     * @return false if the stored types are from debug information
     */
    public boolean completes(BuildId id, byte[] debugInformation) {
        try {
            byte[] whole = table.whole(id);
            return files.run(() -> completes(whole, debugInformation));
        } catch (CorruptBlobException e) {
            return false;
        }
    }

    private boolean completes(byte[] fromProgram, byte[] debugInformation) {
        StoredCatalogue stored = StoredCatalogue.of(fromProgram);
        StoredCatalogue more = StoredCatalogue.of(debugInformation);
        if (!stored.isFromProgram() || more.isFromProgram()) {
            return false;
        }
        Set<String> both = stored.qualifiedNames();
        both.retainAll(more.qualifiedNames());
        return !both.isEmpty()
                && comparing(
                        List.of(stored, more),
                        COMPARED_AT_A_TIME,
                        () -> both.stream().allMatch(name -> isConfirmed(name, stored, more)));
    }

    private static boolean isConfirmed(String name, StoredCatalogue stored, StoredCatalogue more) {
        return stored.definitionsNamed(TypeNames.unqualified(name), name::equals).stream()
                .map(definition -> definition.language().family())
                .allMatch(language -> areEqual(named(name, stored, language), named(name, more, language)));
    }

    /** Returns the types of the language that describes its own: another part may use the name for another type. */
    private static List<Definition> named(String qualifiedName, StoredCatalogue types, Language.Family language) {
        return types.definitionsNamed(TypeNames.unqualified(qualifiedName), qualifiedName::equals).stream()
                .filter(definition -> definition.language().family() == language)
                .toList();
    }

    private static boolean areEqual(List<Definition> some, List<Definition> others) {
        LayoutEquality equality = new LayoutEquality();
        return some.stream()
                .allMatch(one -> others.stream().allMatch(other -> areEqual(one.shape(), other.shape(), equality)));
    }

    private static boolean areEqual(TypeShape one, TypeShape other, LayoutEquality equality) {
        if (one.peeled() instanceof AggregateShape partial && partial.isPartial()) {
            return other.peeled() instanceof AggregateShape whole && whole.contains(partial);
        }
        return equality.areEqual(one, other);
    }

    private boolean differ(StoredCatalogue one, StoredCatalogue other) {
        Set<String> names = new TreeSet<>(one.qualifiedNames());
        names.addAll(other.qualifiedNames());
        Set<String> few = new HashSet<>();
        for (Iterator<String> i = names.iterator(); i.hasNext(); ) {
            few.add(i.next());
            // In small batches, so that the first difference ends the comparison.
            if (few.size() == COMPARED_AT_A_TIME || !i.hasNext()) {
                boolean same = comparing(
                        List.of(one, other),
                        COMPARED_AT_A_TIME,
                        () -> LayoutDiff.ofNames(few, one, other, null).isEmpty());
                if (!same) {
                    return true;
                }
                few.clear();
            }
        }
        return false;
    }
}
