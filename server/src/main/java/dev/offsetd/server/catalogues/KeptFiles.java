package dev.offsetd.server.catalogues;

import dev.offsetd.extractor.layout.BuildId;
import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Uploaded files in chunks, each written and read on its own, so that no connection is held for a file of gigabytes. A file is
 * complete when all its chunks are there; a reader verifies its hash.
 */
@Component
public class KeptFiles {

    private static final int CHUNK_BYTES = 1 << 20;

    private final JdbcClient jdbc;

    KeptFiles(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * Stores the file of a build. Chunks that are stored already stay.
     *
     * @param sha256 of the file, in hex
     * @throws IOException if the file cannot be read; some chunks may be stored
     */
    public void store(BuildId id, String sha256, InputStream file) throws IOException {
        byte[] hash = HexFormat.of().parseHex(sha256);
        int part = 0;
        for (byte[] chunk = file.readNBytes(CHUNK_BYTES); chunk.length > 0; chunk = file.readNBytes(CHUNK_BYTES)) {
            jdbc.sql("""
                            insert into kept_uploads (build_id, sha256, part, content) values (:id, :sha256, :part, :content)
                            on conflict (build_id, sha256, part) do nothing
                            """)
                    .param("id", id.toBytes())
                    .param("sha256", hash)
                    .param("part", part++)
                    .param("content", chunk)
                    .update();
        }
    }

    /** Returns whether all bytes of the file are stored. */
    public boolean has(BuildId id, String sha256, long bytes) {
        return jdbc.sql("""
                        select coalesce(sum(octet_length(content)), 0) from kept_uploads
                        where build_id = :id and sha256 = :sha256
                        """)
                        .param("id", id.toBytes())
                        .param("sha256", HexFormat.of().parseHex(sha256))
                        .query(Long.class)
                        .single()
                == bytes;
    }

    /** Returns a chunk of the file; empty after the last one. */
    public Optional<byte[]> chunk(BuildId id, String sha256, int part) {
        return jdbc.sql("select content from kept_uploads where build_id = :id and sha256 = :sha256 and part = :part")
                .param("id", id.toBytes())
                .param("sha256", HexFormat.of().parseHex(sha256))
                .param("part", part)
                .query((row, number) -> row.getBytes(1))
                .optional();
    }

    /** Deletes all files of a build but the one that answers for it. Part of the caller's transaction. */
    public void deleteOthers(BuildId id, String sha256) {
        jdbc.sql("delete from kept_uploads where build_id = :id and sha256 <> :sha256")
                .param("id", id.toBytes())
                .param("sha256", HexFormat.of().parseHex(sha256))
                .update();
    }
}
