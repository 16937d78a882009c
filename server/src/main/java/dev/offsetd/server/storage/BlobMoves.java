package dev.offsetd.server.storage;

import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.storage.objects.ObjectStore;
import dev.offsetd.server.storage.objects.StoreUnreachableException;
import dev.offsetd.server.storage.objects.StoredObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Moves the bytes of builds and kept uploads between rows and objects while servers run. A move that was interrupted continues. */
public final class BlobMoves {

    /**
     * A table whose rows have bytes or refer to an object.
     *
     * @param bytes column with the bytes
     * @param key columns of the primary key
     * @param first less than every key
     */
    private record Table(String name, String bytes, List<String> key, List<Object> first) {

        String columns() {
            return String.join(", ", key);
        }

        /** Returns the condition for one row, with a parameter for each column of the key. */
        String isRow() {
            return "(" + columns() + ") = (" + parameters() + ")";
        }

        String parameters() {
            return String.join(", ", Collections.nCopies(key.size(), "?"));
        }
    }

    private static final byte[] EMPTY = new byte[0];

    private static final List<Table> TABLES = Stream.concat(
                    Stream.of(BuildPart.values())
                            .map(part -> new Table(part.table(), "blob", List.of("build_id"), List.of(EMPTY))),
                    Stream.of(new Table(
                            KeptFiles.TABLE,
                            "content",
                            List.of("build_id", "sha256", "part"),
                            List.of(EMPTY, EMPTY, -1))))
            .toList();

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
     * @param blobs catalogues, symbol tables, and chunks of kept uploads
     * @param damaged objects that are missing or damaged; a query for their build extracts it again
     */
    public record Moved(long blobs, long bytes, long damaged) {}

    /**
     * Moves all bytes from rows to objects.
     *
     * @throws StoreUnreachableException if the store fails; bytes moved so far stay there
     */
    public Moved toObjects(MoveListener listener) throws InterruptedException {
        return move("object is null", this::toObject, listener);
    }

    /**
     * Moves all bytes from objects to rows. The objects are deleted later, as unused ones.
     *
     * @throws StoreUnreachableException if the store fails; bytes moved so far stay there
     */
    public Moved toRows(MoveListener listener) throws InterruptedException {
        rows.nameBucket(false);
        return move("object is not null", this::toRow, listener);
    }

    /** Moves one blob and returns its bytes, or 0 if a server has changed the row meanwhile. */
    @FunctionalInterface
    private interface OneMove {
        long of(Table table, List<Object> key);
    }

    private Moved move(String remaining, OneMove one, MoveListener listener) throws InterruptedException {
        AtomicLong blobs = new AtomicLong();
        AtomicLong bytes = new AtomicLong();
        AtomicLong damaged = new AtomicLong();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            for (Table table : TABLES) {
                List<List<Object>> next = next(table, remaining, table.first());
                while (!next.isEmpty()) {
                    List<Callable<Void>> moves = new ArrayList<>();
                    for (List<Object> key : next) {
                        moves.add(() -> {
                            try {
                                long size = one.of(table, key);
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
                    listener.moved(table.name(), blobs.get(), bytes.get());
                    next = next(table, remaining, next.getLast());
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

    private List<List<Object>> next(Table table, String remaining, List<Object> after) {
        return jdbc.sql("select " + table.columns() + " from " + table.name() + " where " + remaining + " and ("
                        + table.columns() + ") > (" + table.parameters() + ") order by " + table.columns() + " limit "
                        + AT_A_TIME)
                .params(after)
                .query((row, number) -> {
                    List<Object> key = new ArrayList<>();
                    for (int i = 1; i <= table.key().size(); i++) {
                        key.add(row.getObject(i));
                    }
                    return key;
                })
                .list();
    }

    /** A row with bytes. Its xmin changes with every update. */
    // Never compared.
    @SuppressWarnings("ArrayRecordComponent")
    private record RowOfBytes(byte[] blob, String xmin) {}

    private long toObject(Table table, List<Object> key) {
        Optional<RowOfBytes> found = jdbc.sql("select " + table.bytes() + ", xmin::text from " + table.name()
                        + " where object is null and " + table.isRow())
                .params(key)
                .query((row, number) -> new RowOfBytes(row.getBytes(1), row.getString(2)))
                .optional();
        if (found.isEmpty()) {
            return 0;
        }
        byte[] blob = found.get().blob();
        StoredObject object = rows.write(blob);
        return blob.length
                * (long) jdbc.sql("update " + table.name() + " set " + table.bytes()
                                + " = null, bytes = ?, object = ? where xmin::text = ? and "
                                + table.isRow())
                        .params(blob.length, HexFormat.of().parseHex(object.sha256()))
                        .param(found.get().xmin())
                        .params(key)
                        .update();
    }

    private record RowOfObject(StoredObject object, String xmin) {}

    private long toRow(Table table, List<Object> key) {
        Optional<RowOfObject> found = jdbc.sql("select object, bytes, xmin::text from " + table.name()
                        + " where object is not null and " + table.isRow())
                .params(key)
                .query((row, number) -> new RowOfObject(
                        new StoredObject(HexFormat.of().formatHex(row.getBytes(1)), row.getLong(2)), row.getString(3)))
                .optional();
        if (found.isEmpty()) {
            return 0;
        }
        StoredObject object = found.get().object();
        return object.bytes()
                * jdbc.sql("update " + table.name() + " set " + table.bytes()
                                + " = ?, object = null where xmin::text = ? and " + table.isRow())
                        .params(objects.whole(object), found.get().xmin())
                        .params(key)
                        .update();
    }
}
