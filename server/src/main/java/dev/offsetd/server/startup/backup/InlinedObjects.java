package dev.offsetd.server.startup.backup;

import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.storage.objects.ObjectStore;
import dev.offsetd.server.storage.objects.StoreUnreachableException;
import dev.offsetd.server.storage.objects.StoredObject;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** Rows as they would be without an object store, in the text format of PostgreSQL's {@code COPY}. */
final class InlinedObjects {

    private static final String OBJECT = "object";

    /** Column that tables of earlier versions have last; null where no object is. */
    private static final String PARTS = "parts";

    private static final String BYTES = "bytes";

    /** Columns with the bytes of a row; a table has one of them. */
    private static final List<String> CONTENT = List.of("blob", "content");

    private static final String NULL = "\\N";

    /** Start of a value of type bytea. */
    private static final String HEX = "\\\\x";

    private final ObjectStore objects;
    private long lost;

    InlinedObjects(ObjectStore objects) {
        this.objects = objects;
    }

    /** Sets the database whose rows these are. */
    void belongTo(String database) {
        objects.belongsTo(database, false);
    }

    /** Returns the number of rows that were left out. */
    long lost() {
        return lost;
    }

    /**
     * Returns the row with the bytes of the object that it refers to, if any.
     *
     * @return empty if the object is missing or damaged
     * @throws StoreUnreachableException if the object store fails
     */
    Optional<byte[]> in(byte[] row, List<String> columns) {
        // The last column is null unless the row refers to an object. Rows with bytes may be large and are not split.
        if (!List.of(OBJECT, PARTS).contains(columns.getLast()) || row[row.length - 2] == 'N') {
            return Optional.of(row);
        }
        String[] values = new String(row, 0, row.length - 1, StandardCharsets.UTF_8).split("\t", -1);
        HexFormat hex = HexFormat.of();
        StoredObject object = new StoredObject(
                values[columns.indexOf(OBJECT)].substring(HEX.length()),
                Long.parseLong(values[columns.indexOf(BYTES)]));
        try {
            values[content(columns)] = HEX + hex.formatHex(objects.whole(object));
        } catch (CorruptBlobException e) {
            lost++;
            return Optional.empty();
        }
        values[columns.indexOf(OBJECT)] = NULL;
        values[values.length - 1] = NULL;
        return Optional.of((String.join("\t", values) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static int content(List<String> columns) {
        return CONTENT.stream()
                .mapToInt(columns::indexOf)
                .filter(index -> index >= 0)
                .findFirst()
                .orElseThrow();
    }
}
