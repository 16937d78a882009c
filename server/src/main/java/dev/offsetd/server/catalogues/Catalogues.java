package dev.offsetd.server.catalogues;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.offsetd.extractor.blob.BlobReader;
import dev.offsetd.extractor.blob.CorruptBlobException;
import dev.offsetd.extractor.catalogue.StoredCatalogue;
import dev.offsetd.extractor.diff.LayoutDiff;
import dev.offsetd.extractor.layout.BuildId;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The catalogue blobs of all builds. What was read of them lately is kept in memory, up to a number of bytes, so that a
 * popular build's blocks are fetched from the database once.
 */
@Component
public class Catalogues {

    private static final Logger log = LoggerFactory.getLogger(Catalogues.class);

    private static final int COMPARED_AT_A_TIME = 500;

    /** Largest value of a PostgreSQL column. */
    private static final long MAX_BLOB_BYTES = 1L << 30;

    private final JdbcClient jdbc;
    private final BlobTable table;
    private final Cache<Slice, byte[]> slices;
    private final Cache<Edition, StoredCatalogue> open;

    Catalogues(JdbcClient jdbc, CatalogueProperties properties) {
        this.jdbc = jdbc;
        this.table = new BlobTable(jdbc, "catalogues");
        this.slices = Caffeine.newBuilder()
                .maximumWeight(properties.cache().toBytes())
                .weigher((Slice slice, byte[] bytes) -> Slice.OVERHEAD_BYTES + bytes.length)
                .build();
        this.open = Caffeine.newBuilder().maximumSize(properties.open()).build();
    }

    /** Stores a build's catalogue in place of any that it has; part of the caller's transaction. */
    public void store(BuildId id, byte[] blob) {
        table.store(id, blob);
    }

    /**
     * The types of a build that is stored.
     *
     * @param generation the build's, so that slices of a blob that was replaced are not mixed in
     * @throws CorruptBlobException here or later, if what is stored is no catalogue of a format known here
     */
    public StoredCatalogue open(BuildId id, long generation) {
        return open.get(new Edition(id, generation), this::open);
    }

    /**
     * Whether the stored catalogue of a build has other layouts than this one: a type of another size, with members at
     * other places, or that only one of them has. Takes seconds for large catalogues, and must not be called in a
     * transaction.
     *
     * @return empty if what is stored cannot be read
     */
    public Optional<Boolean> layoutsDiffer(BuildId id, byte[] other) {
        byte[] stored = jdbc.sql("select blob from catalogues where build_id = :id")
                .param("id", id.toBytes())
                .query((row, number) -> row.getBytes(1))
                .optional()
                .orElse(new byte[0]);
        if (Arrays.equals(stored, other)) {
            return Optional.of(false);
        }
        try {
            return Optional.of(differ(StoredCatalogue.of(stored), StoredCatalogue.of(other)));
        } catch (CorruptBlobException e) {
            log.warn("build {}: what is stored cannot be compared: {}", id, e.getMessage());
            return Optional.empty();
        }
    }

    private static boolean differ(StoredCatalogue one, StoredCatalogue other) {
        Set<String> names = new TreeSet<>(one.qualifiedNames());
        names.addAll(other.qualifiedNames());
        Set<String> few = new HashSet<>();
        for (Iterator<String> i = names.iterator(); i.hasNext(); ) {
            few.add(i.next());
            // A few at a time, so that the first difference ends it.
            if (few.size() == COMPARED_AT_A_TIME || !i.hasNext()) {
                if (!LayoutDiff.ofNames(few, one, other, Optional.empty()).isEmpty()) {
                    return true;
                }
                few.clear();
            }
        }
        return false;
    }

    private StoredCatalogue open(Edition edition) {
        BlobReader blob = (offset, length) -> slices.get(new Slice(edition, offset, length), this::read);
        return new StoredCatalogue(blob);
    }

    /** The bytes, or fewer if the blob ends before: who reads the catalogue compares. */
    private byte[] read(Slice slice) {
        if (slice.offset() >= MAX_BLOB_BYTES) {
            return new byte[0];
        }
        return jdbc.sql("select substring(blob from :from for :length) from catalogues where build_id = :id")
                // SQL counts from 1.
                .param("from", (int) slice.offset() + 1)
                .param("length", slice.length())
                .param("id", slice.edition().id().toBytes())
                .query((row, number) -> row.getBytes(1))
                .optional()
                .orElse(new byte[0]);
    }

    private record Edition(BuildId id, long generation) {}

    private record Slice(Edition edition, long offset, int length) {
        /** About what the key, the array's header and the cache's own entry take. */
        static final int OVERHEAD_BYTES = 200;
    }
}
