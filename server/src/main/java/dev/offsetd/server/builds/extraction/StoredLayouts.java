package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.storage.Catalogues;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/** Comparison of stored types with those of another file of the same build. */
@Component
public class StoredLayouts {

    private static final Logger log = LoggerFactory.getLogger(StoredLayouts.class);

    private static final int COMPARED_AT_A_TIME = 500;

    private final Catalogues catalogues;
    private final ComputePool files;

    StoredLayouts(Catalogues catalogues, @Qualifier(ComputePool.FILES) ComputePool files) {
        this.catalogues = catalogues;
        this.files = files;
    }

    /** Returns whether the stored types of a build are those that the program itself describes; false if they are unreadable. */
    public boolean areFromProgram(BuildId id, long generation) {
        try {
            return catalogues.open(id, generation).isFromProgram();
        } catch (CorruptBlobException e) {
            return false;
        }
    }

    /** Returns whether the stored types of a build lack some because of damage to the file, or are unreadable. */
    public boolean areDamaged(BuildId id, long generation) {
        try {
            return Omission.areOfDamage(catalogues.open(id, generation).omissions());
        } catch (CorruptBlobException e) {
            return true;
        }
    }

    /**
     * Returns whether the layouts of a build's stored catalogue differ from those of this one: a type has another size or members
     * at other offsets, or exists in one of them only. Takes seconds for large catalogues and must not be called in a transaction.
     *
     * @return null if the stored catalogue cannot be read, or if one of the two lacks a part of its file: what is missing there
     *     says nothing about the program
     */
    public @Nullable Boolean differ(BuildId id, byte[] other) {
        try {
            byte[] whole = catalogues.whole(id);
            return differ(id, whole, other);
        } catch (CorruptBlobException e) {
            log.warn("build {}: the stored types cannot be compared: {}", id, e.getMessage());
            return null;
        }
    }

    /** Compares two catalogues of a build that are not stored, see {@link #differ(BuildId, byte[])}. */
    public @Nullable Boolean differ(BuildId id, byte[] one, byte[] other) {
        if (Arrays.equals(one, other)) {
            return false;
        }
        try {
            StoredCatalogue first = StoredCatalogue.of(one);
            StoredCatalogue second = StoredCatalogue.of(other);
            boolean whole = first.omissions().isEmpty() && second.omissions().isEmpty();
            return whole ? files.run(() -> different(first, second)) : null;
        } catch (CorruptBlobException e) {
            log.warn("build {}: the types cannot be compared: {}", id, e.getMessage());
            return null;
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
            byte[] whole = catalogues.whole(id);
            return files.run(() -> completes(whole, debugInformation));
        } catch (CorruptBlobException e) {
            return false;
        }
    }

    private boolean completes(byte[] fromProgram, byte[] debugInformation) {
        StoredCatalogue stored = StoredCatalogue.of(fromProgram).indexed();
        StoredCatalogue more = StoredCatalogue.of(debugInformation).indexed();
        if (!stored.isFromProgram() || more.isFromProgram()) {
            return false;
        }
        Set<String> both = new HashSet<>(stored.qualifiedNames());
        both.retainAll(more.qualifiedNames());
        return !both.isEmpty()
                && catalogues.comparing(
                        List.of(stored, more),
                        COMPARED_AT_A_TIME,
                        () -> both.stream().allMatch(name -> isConfirmed(name, stored, more)));
    }

    private static boolean isConfirmed(String name, StoredCatalogue stored, StoredCatalogue more) {
        return stored.definitionsOf(name).orElseThrow().stream()
                .map(definition -> definition.language().family())
                .distinct()
                .allMatch(language -> areEqual(named(name, stored, language), named(name, more, language)));
    }

    /** Returns the types of the language that describes its own: another part may use the name for another type. */
    private static List<Definition> named(String qualifiedName, StoredCatalogue types, Language.Family language) {
        return types.definitionsOf(qualifiedName).orElseThrow().stream()
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

    private boolean different(StoredCatalogue first, StoredCatalogue second) {
        StoredCatalogue one = first.indexed();
        StoredCatalogue other = second.indexed();
        Set<String> names = new TreeSet<>(one.qualifiedNames());
        names.addAll(other.qualifiedNames());
        Set<String> few = new HashSet<>();
        for (Iterator<String> i = names.iterator(); i.hasNext(); ) {
            few.add(i.next());
            // In small batches, so that the first difference ends the comparison.
            if (few.size() == COMPARED_AT_A_TIME || !i.hasNext()) {
                boolean same = catalogues.comparing(
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
