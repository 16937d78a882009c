package dev.offsetd.server.storage;

import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.storage.objects.ObjectStore;
import dev.offsetd.server.storage.objects.StoredObject;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the bytes of a row are: in the row or in an object. They may be moved at any time, even between two reads of one blob; so
 * each read asks the row, instead of one of two stores behind an interface.
 *
 * @param bytes requested bytes of the row
 * @param size of all bytes
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record BlobPlace(byte[] bytes, long size, @Nullable StoredObject object) {

    static final BlobPlace NONE = new BlobPlace(new byte[0], 0, null);

    /** Reads the columns: bytes, size, object. */
    static BlobPlace of(ResultSet row) throws SQLException {
        byte[] bytes = row.getBytes(1);
        byte[] object = row.getBytes(3);
        return new BlobPlace(
                bytes == null ? new byte[0] : bytes,
                row.getLong(2),
                object == null ? null : new StoredObject(HexFormat.of().formatHex(object), row.getLong(2)));
    }

    /**
     * Returns all bytes of a row.
     *
     * @param row reads the row; again if its object is gone, because the bytes may have been moved meanwhile
     * @return empty if there is no row
     * @throws CorruptBlobException if they are an object that is missing or damaged
     */
    static Optional<byte[]> whole(Supplier<Optional<BlobPlace>> row, ObjectStore objects) {
        Optional<BlobPlace> place = row.get();
        try {
            return place.map(found -> found.whole(objects));
        } catch (CorruptBlobException e) {
            Optional<BlobPlace> now = row.get();
            if (now.isPresent() && now.get().hasObjectOf(place.orElseThrow())) {
                throw e;
            }
            return now.map(found -> found.whole(objects));
        }
    }

    private byte[] whole(ObjectStore objects) {
        return object == null ? bytes : objects.whole(object);
    }

    private boolean hasObjectOf(BlobPlace other) {
        return object != null && object.equals(other.object);
    }
}
