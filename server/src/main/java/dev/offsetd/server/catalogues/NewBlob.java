package dev.offsetd.server.catalogues;

import dev.offsetd.server.objects.StoredObject;
import org.jspecify.annotations.Nullable;

/** Bytes that are ready to be stored for a build. If they belong into the object store, they are there. */
// Never compared, and a copy of many megabytes is too expensive.
@SuppressWarnings("ArrayRecordComponent")
public record NewBlob(byte[] bytes, @Nullable StoredObject object) {}
