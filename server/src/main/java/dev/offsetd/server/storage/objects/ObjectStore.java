package dev.offsetd.server.storage.objects;

import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.api.model.Health;
import dev.offsetd.server.operations.health.Dependency;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;

/**
 * The objects of the configured bucket; without one, every request fails. Reads are verified, so damage is an exception and never
 * a wrong answer.
 */
public final class ObjectStore implements Dependency, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(ObjectStore.class);

    /** Time that a request may wait for the store, retries included. */
    public static final Duration PATIENCE = S3Bucket.REQUEST;

    private final Optional<S3Bucket> bucket;
    private final boolean writes;
    private final StoreGate gate;
    private final Optional<PartCache> cache;
    private final Counter damaged;

    /** Name of an object that the bucket of this database has. */
    private volatile @Nullable String marker;

    /** Parts that are being read; callers that need the same part share one request. */
    private final ConcurrentMap<String, CompletableFuture<byte[]>> inProgress = new ConcurrentHashMap<>();

    /** @param cache empty for a command, which must not share the folder of a server */
    ObjectStore(StoreProperties.Store properties, Optional<PartCache> cache, MeterRegistry meters) {
        String name = properties.s3().bucket();
        this.bucket = name == null
                ? Optional.empty()
                : Optional.of(new S3Bucket(properties.s3().location(name)));
        this.writes = properties.writesObjects();
        this.gate = new StoreGate(meters);
        this.cache = cache;
        this.damaged = Counter.builder("offsetd.store.damaged")
                .description("Objects that were missing or had other bytes than were stored")
                .register(meters);
        cache.ifPresent(parts -> Gauge.builder("offsetd.store.cache.bytes", parts, PartCache::bytes)
                .description("Bytes of parts of objects on the server's disk")
                .baseUnit("bytes")
                .register(meters));
        bucket.ifPresent(one -> log.info("object store: {}", properties.s3()));
    }

    /** Returns whether there is an object store. */
    public boolean isConfigured() {
        return bucket.isPresent();
    }

    /** Returns whether new bytes are stored as objects. */
    public boolean takesNew() {
        return writes;
    }

    @Override
    public Health.DegradedEnum degraded() {
        return Health.DegradedEnum.OBJECT_STORE;
    }

    @Override
    public boolean isFailing() {
        return gate.isOpen();
    }

    /**
     * Fails early if the store is known to fail, before work whose result could not be stored.
     *
     * @throws StoreUnreachableException if new bytes are stored as objects and the store is not asked now
     */
    public void checkWritable() {
        if (writes) {
            gate.check();
        }
    }

    /**
     * Names the database whose objects these are. A bucket without that name is not the one that has them: its answers do not
     * prove that an object is missing.
     *
     * @param isNew whether the database has no objects yet; then the bucket gets its name
     */
    public void belongsTo(String database, boolean isNew) {
        String name = "database-" + database;
        if (isNew) {
            gate.request("put", () -> {
                required().put(name, (database + "\n").getBytes(StandardCharsets.UTF_8));
                return true;
            });
        }
        marker = name;
    }

    /** Asks for the bucket, so that a failing store is noticed and one that works again is used. */
    public void probe() {
        gate.request("probe", () -> {
            required().probe();
            return true;
        });
    }

    /**
     * Writes an object.
     *
     * @throws StoreUnreachableException if it cannot be written; the bucket may have it all the same
     */
    public void put(StoredObject object, byte[] content) {
        gate.request("put", () -> {
            required().put(object.sha256(), content);
            return true;
        });
    }

    /** Deletes an object. No-op if it does not exist. */
    public void delete(String sha256) {
        gate.request("delete", () -> {
            required().delete(sha256);
            return true;
        });
    }

    /**
     * Reads bytes of an object, from this server's disk if they are there. Waits no longer than {@link StorePatience} permits.
     *
     * @return the bytes, or fewer if the object ends before
     * @throws CorruptBlobException if the object is missing or damaged
     * @throws StoreUnreachableException if that is unknown
     */
    public byte[] read(StoredObject object, long offset, int length) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(length);
        long end = Math.min(offset + length, object.bytes());
        for (long at = offset; at < end; ) {
            int part = (int) (at / StoredObject.PART_BYTES);
            int from = (int) (at % StoredObject.PART_BYTES);
            int count = (int) Math.min(object.partBytes(part) - from, end - at);
            bytes.write(StorePatience.spend(() -> part(object, part)), from, count);
            at += count;
        }
        return bytes.toByteArray();
    }

    /**
     * Reads a whole object, past the cache.
     *
     * @throws CorruptBlobException if the object is missing or damaged
     * @throws StoreUnreachableException if that is unknown
     */
    public byte[] whole(StoredObject object) {
        byte[] content = fetched(object, 0, (int) object.bytes(), S3Bucket.REQUEST);
        if (!object.isWhole(content)) {
            throw damaged(object, content.length + " bytes that do not have its hash");
        }
        return content;
    }

    private byte[] part(StoredObject object, int part) {
        String name = object.sha256() + "-" + part;
        Optional<byte[]> kept = cache.flatMap(parts -> parts.find(name));
        if (kept.isPresent()) {
            if (object.isPart(part, kept.get())) {
                return kept.get();
            }
            log.warn("part {} of an object is damaged on this disk; it is read again", name);
            cache.ifPresent(parts -> parts.discard(name));
        }
        CompletableFuture<byte[]> mine = new CompletableFuture<>();
        CompletableFuture<byte[]> others = inProgress.putIfAbsent(name, mine);
        if (others != null) {
            return shared(others);
        }
        try {
            byte[] content = verified(object, part);
            cache.ifPresent(parts -> parts.add(name, content));
            mine.complete(content);
            return content;
        } catch (Throwable e) {
            // Errors too: the waiting callers must be notified.
            mine.completeExceptionally(e);
            throw e;
        } finally {
            inProgress.remove(name, mine);
        }
    }

    private static byte[] shared(CompletableFuture<byte[]> others) {
        try {
            return others.join();
        } catch (CompletionException e) {
            throw switch (e.getCause()) {
                case CorruptBlobException corrupt -> corrupt;
                case null, default -> new StoreUnreachableException("object store: another request failed", e);
            };
        }
    }

    private byte[] verified(StoredObject object, int part) {
        byte[] content =
                fetched(object, (long) part * StoredObject.PART_BYTES, object.partBytes(part), StorePatience.left());
        if (!object.isPart(part, content)) {
            throw damaged(object, content.length + " bytes in part " + part + " that do not have its hash");
        }
        return content;
    }

    private byte[] fetched(StoredObject object, long from, int count, Duration patience) {
        return gate.request("get", () -> required().get(object.sha256(), from, count, patience))
                .orElseThrow(() -> missing(object));
    }

    private RuntimeException missing(StoredObject object) {
        String name = marker;
        if (name == null
                || gate.request("get", () -> required().get(name, 0, 1, StorePatience.left()))
                        .isEmpty()) {
            return new StoreUnreachableException("object store: the bucket has neither object " + object.sha256()
                    + " nor the name of this database; are offsetd.store.s3.bucket and prefix right?");
        }
        return damaged(object, "no such object");
    }

    private CorruptBlobException damaged(StoredObject object, String problem) {
        damaged.increment();
        log.error("object {}: {}", object.sha256(), problem);
        return new CorruptBlobException("object " + object.sha256() + ": " + problem);
    }

    private S3Bucket required() {
        return bucket.orElseThrow(
                () -> new StoreUnreachableException("the bytes are in an object store; set offsetd.store.s3.bucket"));
    }

    @Override
    public void destroy() {
        bucket.ifPresent(S3Bucket::close);
    }
}
