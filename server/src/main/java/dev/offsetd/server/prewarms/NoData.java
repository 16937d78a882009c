package dev.offsetd.server.prewarms;

import com.github.kagkarlsson.scheduler.serializer.Serializer;
import org.jspecify.annotations.Nullable;

/** What tasks are about is in their names. They carry no data, so nothing from the database is ever made into an object. */
final class NoData implements Serializer {

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
