package dev.offsetd.server.storage.objects;

import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.api.model.Health;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.operations.compute.SingleFlight;
import dev.offsetd.server.operations.health.Dependency;
import dev.offsetd.server.operations.health.FatalErrors;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
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
    public static final Duration MAX_WAIT = S3Bucket.REQUEST;

    private final @Nullable S3Bucket bucket;
    private final boolean writes;
    private final StoreGate gate;
    private final @Nullable ObjectFolder folder;
    private final @Nullable ComputePool threads;
    private final Counter damaged;

    /** Name of an object that the bucket of this database has. */
    private volatile @Nullable String marker;

    /** Objects that are being fetched; callers that need the same object share one request. */
    private final SingleFlight<String, CompletableFuture<byte[]>> inProgress = new SingleFlight<>();

    /**
     * @param folder null for a command, which must not share the folder of a server
     * @param threads that hash objects; null for a command, whose own threads do
     */
    ObjectStore(
            StoreProperties.Store properties,
            @Nullable ObjectFolder folder,
            @Nullable ComputePool threads,
            MeterRegistry meters) {
        String name = properties.s3().bucket();
        this.bucket = name == null ? null : new S3Bucket(properties.s3().location(name));
        this.writes = properties.writesObjects();
        this.gate = new StoreGate(meters);
        this.folder = folder;
        this.threads = threads;
        this.damaged = Counter.builder("offsetd.store.damaged")
                .description("Objects that were missing or had other bytes than were stored")
                .register(meters);
        if (folder != null) {
            Gauge.builder("offsetd.store.cache.bytes", folder, ObjectFolder::bytes)
                    .description("Bytes of objects on the server's disk")
                    .baseUnit("bytes")
                    .register(meters);
        }
        if (bucket != null) {
            log.info("object store: {}", properties.s3());
        }
    }

    public boolean isConfigured() {
        return bucket != null;
    }

    public boolean writesNew() {
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
     * Writes an object, also if it exists: the bucket or this disk may have a damaged one.
     *
     * @throws StoreUnreachableException if it cannot be written; the bucket may have it all the same
     */
    public void put(StoredObject object, byte[] content) {
        if (folder != null) {
            folder.discard(object.sha256());
        }
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
     * Reads bytes of an object from the copy on this server's disk, which is fetched if it is not there. Waits no longer than
     * {@link ObjectReadBudget} permits.
     *
     * @return the bytes, or fewer if the object ends before
     * @throws CorruptBlobException if the object is missing or damaged
     * @throws StoreUnreachableException if that is unknown
     */
    public byte[] read(StoredObject object, long offset, int length) {
        int count = Math.clamp(object.bytes() - offset, 0, length);
        if (count == 0) {
            return new byte[0];
        }
        Optional<byte[]> kept = kept(object, offset, count);
        if (kept.isPresent()) {
            return kept.get();
        }
        byte[] whole = fetch(object);
        return Arrays.copyOfRange(whole, (int) offset, (int) offset + count);
    }

    /** Returns bytes of the copy on the disk. The first read hashes it all. */
    private Optional<byte[]> kept(StoredObject object, long offset, int count) {
        if (folder == null) {
            return Optional.empty();
        }
        return threads == null || folder.isVerified(object)
                ? folder.read(object, offset, count)
                : threads.answer(() -> folder.read(object, offset, count));
    }

    /** Returns the name and size of an object with these bytes. */
    public StoredObject named(byte[] content) {
        return hashing(() -> StoredObject.of(content));
    }

    private <T> T hashing(Supplier<T> work) {
        return threads == null ? work.get() : threads.run(work);
    }

    /**
     * Reads a whole object from the bucket.
     *
     * @throws CorruptBlobException if the object is missing or damaged
     * @throws StoreUnreachableException if that is unknown
     */
    public byte[] whole(StoredObject object) {
        byte[] content = gate.request("get", () -> required().get(object.sha256(), (int) object.bytes()))
                .orElseThrow(() -> missing(object));
        if (!named(content).equals(object)) {
            throw damaged(object, content.length + " bytes that do not have its hash");
        }
        return content;
    }

    /**
     * Returns a whole object and keeps a copy on the disk. Callers share the read, which does not depend on any of them: each
     * waits as long as its request may.
     */
    private byte[] fetch(StoredObject object) {
        ObjectReadBudget.check();
        CompletableFuture<byte[]> mine = new CompletableFuture<>();
        Optional<CompletableFuture<byte[]>> others = inProgress.join(object.sha256(), mine);
        if (others.isEmpty()) {
            Thread.ofVirtual().name("object-", 0).start(() -> complete(mine, object));
        }
        try {
            return ObjectReadBudget.await(others.orElse(mine), S3Bucket.transfer(object.bytes()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnreachableException("interrupted", e);
        } catch (ExecutionException e) {
            throw switch (e.getCause()) {
                case CorruptBlobException corrupt -> corrupt;
                case StoreUnreachableException unreachable -> unreachable;
                case null, default -> new StoreUnreachableException("object store: the read failed", e);
            };
        }
    }

    int readsInProgress() {
        return inProgress.size();
    }

    private void complete(CompletableFuture<byte[]> read, StoredObject object) {
        try {
            byte[] content = whole(object);
            if (folder != null) {
                folder.add(object, content);
            }
            read.complete(content);
        } catch (Throwable e) {
            // Errors too: the waiting callers must be notified.
            read.completeExceptionally(e);
            FatalErrors.haltIfFatal(e);
        }
    }

    private RuntimeException missing(StoredObject object) {
        String name = marker;
        if (name == null
                || gate.request("get", () -> required().get(name, 1 << 10)).isEmpty()) {
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
        if (bucket == null) {
            throw new StoreUnreachableException("the bytes are in an object store; set offsetd.store.s3.bucket");
        }
        return bucket;
    }

    @Override
    public void destroy() {
        if (bucket != null) {
            bucket.close();
        }
    }
}
