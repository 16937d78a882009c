package dev.offsetd.server.storage;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.storage.objects.ObjectStore;
import dev.offsetd.server.storage.objects.StoreUnreachableException;
import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Uploaded files in chunks, each written and read on its own, so that neither a connection nor much heap is held for a file of
 * gigabytes. The bytes of a chunk are in its row or in an object. A file is complete when all its chunks are there; a reader
 * verifies its hash.
 */
@Component
public class KeptFiles {

    private static final Logger log = LoggerFactory.getLogger(KeptFiles.class);

    private static final int CHUNK_BYTES = 1 << 20;

    static final String TABLE = "kept_uploads";

    private static final String OF_FILE = " from kept_uploads where build_id = :id and sha256 = :sha256";

    private final JdbcClient jdbc;
    private final ObjectRows objects;
    private final ObjectStore store;

    KeptFiles(JdbcClient jdbc, ObjectRows objects, ObjectStore store) {
        this.jdbc = jdbc;
        this.objects = objects;
        this.store = store;
    }

    /**
     * Stores the file of a build. Chunks that are stored already stay. Must not be called in a transaction, because it may write
     * to the object store.
     *
     * @param sha256 of the file, in hex
     * @throws IOException if the file cannot be read or an object cannot be written; some chunks may be stored
     */
    public void store(BuildId id, String sha256, InputStream file) throws IOException {
        Set<Integer> stored = Set.copyOf(
                ofFile("select part" + OF_FILE, id, sha256).query(Integer.class).list());
        int part = 0;
        for (byte[] chunk = file.readNBytes(CHUNK_BYTES); chunk.length > 0; chunk = file.readNBytes(CHUNK_BYTES)) {
            if (!stored.contains(part)) {
                store(id, sha256, part, prepared(chunk));
            }
            part++;
        }
    }

    private NewBlob prepared(byte[] chunk) throws IOException {
        try {
            return objects.prepare(chunk);
        } catch (StoreUnreachableException e) {
            throw new IOException(e);
        }
    }

    private void store(BuildId id, String sha256, int part, NewBlob chunk) {
        chunk.bind(ofFile("""
                        insert into kept_uploads (build_id, sha256, part, bytes, content, object)
                            values (:id, :sha256, :part, :bytes, :blob, :object)
                        on conflict (build_id, sha256, part) do nothing
                        """, id, sha256).param("part", part)).update();
    }

    /** Returns whether all bytes of the file are stored. */
    public boolean has(BuildId id, String sha256, long bytes) {
        return ofFile("select coalesce(sum(coalesce(bytes, octet_length(content))), 0)" + OF_FILE, id, sha256)
                        .query(Long.class)
                        .single()
                == bytes;
    }

    /**
     * Returns a chunk of the file; empty after the last one. A chunk whose object is missing or damaged is empty too, and
     * forgotten: the file is incomplete until it is uploaded again.
     *
     * @throws StoreUnreachableException if the chunk is an object and the store fails
     */
    public Optional<byte[]> chunk(BuildId id, String sha256, int part) {
        try {
            return BlobPlace.whole(
                    () -> ofFile("select content, bytes, object" + OF_FILE + " and part = :part", id, sha256)
                            .param("part", part)
                            .query((row, number) -> BlobPlace.of(row))
                            .optional(),
                    store);
        } catch (CorruptBlobException e) {
            log.error("build {}: chunk {} of the kept upload is lost: {}", id, part, e.getMessage());
            ofFile("delete" + OF_FILE + " and part = :part and object is not null", id, sha256)
                    .param("part", part)
                    .update();
            return Optional.empty();
        }
    }

    private JdbcClient.StatementSpec ofFile(String statement, BuildId id, String sha256) {
        return jdbc.sql(statement)
                .param("id", id.toBytes())
                .param("sha256", HexFormat.of().parseHex(sha256));
    }

    /** Deletes a file. Part of the caller's transaction. */
    public void delete(BuildId id, String sha256) {
        ofFile("delete" + OF_FILE, id, sha256).update();
    }

    /** Deletes all files of a build but the one that answers for it. Part of the caller's transaction. */
    public void deleteOthers(BuildId id, String sha256) {
        ofFile("delete from kept_uploads where build_id = :id and sha256 <> :sha256", id, sha256)
                .update();
    }
}
