package dev.offsetd.server.storage;

import dev.offsetd.server.storage.objects.StoredObject;
import java.sql.Types;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Bytes that are ready to be stored for a build. If they belong into the object store, they are there. */
// Never compared, and a copy of many megabytes is too expensive.
@SuppressWarnings("ArrayRecordComponent")
public record NewBlob(byte[] bytes, @Nullable StoredObject object) {

    /** Sets the parameters {@code bytes}, {@code blob} and {@code object} of a statement that stores the row. */
    JdbcClient.StatementSpec bind(JdbcClient.StatementSpec statement) {
        return statement
                .param("bytes", bytes.length)
                .param("blob", object == null ? bytes : null, Types.BINARY)
                .param("object", object == null ? null : HexFormat.of().parseHex(object.sha256()), Types.BINARY);
    }
}
