package dev.offsetd.server.catalogues;

import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.objects.ObjectStore;
import dev.offsetd.server.objects.StoreUnreachableException;
import dev.offsetd.server.objects.StoredObject;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Moves the bytes of builds between rows and objects while servers run. A move that was interrupted continues. */
public final class BlobMoves {

    private static final List<String> TABLES = List.of("catalogues", "symbol_tables");
    private static final int AT_A_TIME = 200;

    /** Moves at a time. Each needs a connection. */
    public static final int THREADS = 8;

    private final JdbcClient jdbc;
    private final ObjectRows rows;
    private final ObjectStore objects;

    public BlobMoves(JdbcClient jdbc, ObjectRows rows, ObjectStore objects) {
        this.jdbc = jdbc;
        this.rows = rows;
        this.objects = objects;
    }

    /** Listener to the progress of a move. */
    @FunctionalInterface
    public interface MoveListener {

        /**
         * Some blobs have been moved.
         *
         * @param table that they are in
         * @param blobs moved since the start of the move
         * @param bytes of those blobs
         */
        void moved(String table, long blobs, long bytes);
    }

    /**
     * Result of a move.
     *
     * @param damaged objects that are missing or damaged; a query for their build extracts it again
     */
    public record Moved(long blobs, long bytes, long damaged) {}

    /**
     * Moves all bytes from rows to objects.
     *
     * @throws StoreUnreachableException if the store fails; what was moved stays moved
     */
    public Moved toObjects(MoveListener listener) throws InterruptedException {
        return move("object is null", this::toObject, listener);
    }

    /**
     * Moves all bytes from objects to rows. The objects are deleted later, as unused ones.
     *
     * @throws StoreUnreachableException if the store fails; what was moved stays moved
     */
    public Moved toRows(MoveListener listener) throws InterruptedException {
        rows.nameBucket(false);
        return move("object is not null", this::toRow, listener);
    }

    /** Moves one blob and returns its bytes, or 0 if a server has changed the row meanwhile. */
    @FunctionalInterface
    private interface OneMove {
        long of(String table, byte[] id);
    }

    private Moved move(String remaining, OneMove one, MoveListener listener) throws InterruptedException {
        AtomicLong blobs = new AtomicLong();
        AtomicLong bytes = new AtomicLong();
        AtomicLong damaged = new AtomicLong();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            for (String table : TABLES) {
                byte[] after = new byte[0];
                List<byte[]> next = next(table, remaining, after);
                while (!next.isEmpty()) {
                    List<Callable<Void>> moves = new ArrayList<>();
                    for (byte[] id : next) {
                        moves.add(() -> {
                            try {
                                long size = one.of(table, id);
                                blobs.addAndGet(size > 0 ? 1 : 0);
                                bytes.addAndGet(size);
                            } catch (CorruptBlobException e) {
                                damaged.incrementAndGet();
                            }
                            return null;
                        });
                    }
                    for (Future<Void> moved : threads.invokeAll(moves)) {
                        await(moved);
                    }
                    listener.moved(table, blobs.get(), bytes.get());
                    after = next.getLast();
                    next = next(table, remaining, after);
                }
            }
        }
        return new Moved(blobs.get(), bytes.get(), damaged.get());
    }

    private static void await(Future<Void> moved) throws InterruptedException {
        try {
            moved.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private List<byte[]> next(String table, String remaining, byte[] after) {
        return jdbc.sql("select build_id from " + table + " where " + remaining
                        + " and build_id > :after order by build_id limit " + AT_A_TIME)
                .param("after", after)
                .query((row, number) -> row.getBytes(1))
                .list();
    }

    /** A row with bytes. Its xmin changes with every update. */
    // Never compared.
    @SuppressWarnings("ArrayRecordComponent")
    private record RowOfBytes(byte[] blob, String xmin) {}

    private long toObject(String table, byte[] id) {
        Optional<RowOfBytes> found = jdbc.sql(
                        "select blob, xmin::text from " + table + " where build_id = :id and object is null")
                .param("id", id)
                .query((row, number) -> new RowOfBytes(row.getBytes(1), row.getString(2)))
                .optional();
        if (found.isEmpty()) {
            return 0;
        }
        byte[] blob = found.get().blob();
        StoredObject object = rows.write(blob);
        return blob.length
                * (long) jdbc.sql("update " + table + " set blob = null, object = :object, parts = :parts"
                                + " where build_id = :id and xmin::text = :xmin")
                        .param("object", HexFormat.of().parseHex(object.sha256()))
                        .param("parts", object.parts())
                        .param("id", id)
                        .param("xmin", found.get().xmin())
                        .update();
    }

    /** A row that refers to an object. */
    private record RowOfObject(StoredObject object, String xmin) {}

    private long toRow(String table, byte[] id) {
        Optional<RowOfObject> found = jdbc.sql("select object, bytes, parts, xmin::text from " + table
                        + " where build_id = :id and object is not null")
                .param("id", id)
                .query((row, number) -> new RowOfObject(
                        new StoredObject(HexFormat.of().formatHex(row.getBytes(1)), row.getLong(2), row.getBytes(3)),
                        row.getString(4)))
                .optional();
        if (found.isEmpty()) {
            return 0;
        }
        StoredObject object = found.get().object();
        return object.bytes()
                * jdbc.sql("update " + table + " set blob = :blob, object = null, parts = null"
                                + " where build_id = :id and xmin::text = :xmin")
                        .param("blob", objects.whole(object))
                        .param("id", id)
                        .param("xmin", found.get().xmin())
                        .update();
    }
}
