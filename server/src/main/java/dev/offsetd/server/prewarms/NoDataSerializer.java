package dev.offsetd.server.prewarms;

import com.github.kagkarlsson.scheduler.serializer.Serializer;
import org.jspecify.annotations.Nullable;

/** Serializer for tasks without data. Task ids carry all information, so nothing from the database is deserialized. */
final class NoDataSerializer implements Serializer {

    @Override
    public byte @Nullable [] serialize(@Nullable Object data) {
        if (data != null) {
            throw new IllegalArgumentException("data of " + data.getClass() + "; expected none");
        }
        return null;
    }

    @Override
    public <T> @Nullable T deserialize(Class<T> type, byte @Nullable [] data) {
        return null;
    }
}
