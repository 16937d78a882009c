package dev.offsetd.server.fetch;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.BuildId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounded cache of the files that upstreams delivered, and of copies of kept uploads. The least recently used files are evicted when the cache exceeds its
 * limit or the disk is full.
 *
 * <p>In the folder of the cache, {@code ab/cdef….debug} is a file and {@code ab/cdef….debug.json} its {@link Sidecar}. Both are written
 * in {@code tmp} and then renamed, the sidecar first, so a file with its sidecar is complete whenever the process dies.
 * Incomplete files are removed at the next start; files of other programs stay. A file is never replaced, only removed, so a
 * reader's open or mapped file does not change.
 *
 * <p>Every file is verified and hashed again each time it is taken from the cache, because disks fail and files get edited.
 * The extraction that follows reads the file anyway.
 */
final class DiskCache implements DebugFileCache, AutoCloseable {

    static final Set<PosixFilePermission> OWNER_WRITES = PosixFilePermissions.fromString("rw-------");

    static final Set<PosixFilePermission> OWNER_READS = PosixFilePermissions.fromString("r--------");

    /** Share of the limit down to which files are evicted, so that not every new file causes an eviction. */
    private static final double LOW_WATER = 0.9;

    private static final Duration TOUCHED_EVERY = Duration.ofMinutes(10);

    private static final Logger log = LoggerFactory.getLogger(DiskCache.class);

    private final Path folder;
    private final Path temporary;
    private final long maxBytes;
    private final FileVerification verification;
    private final FileChannel lock;

    /** Least recently used first. The map and its entries are guarded by {@code this}. */
    private final LinkedHashMap<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    private long totalBytes;

    /** Key of a cached file. */
    record Key(BuildId id, FileKind kind) {}

    private static final class Entry {
        final Key key;
        final Sidecar sidecar;
        int pins;

        Entry(Key key, Sidecar sidecar) {
            this.key = key;
            this.sidecar = sidecar;
        }
    }

    private record StoredEntry(Key key, Sidecar sidecar, FileTime lastUsed) {}

    private DiskCache(Path folder, long maxBytes, FileVerification verification, FileChannel lock) {
        this.folder = folder;
        this.temporary = folder.resolve("tmp");
        this.maxBytes = maxBytes;
        this.verification = verification;
        this.lock = lock;
    }

    /**
     * Opens a cache folder, creates it if necessary, and removes incomplete files of a killed process.
     *
     * @throws IOException if the folder cannot be read or written, or another server uses it
     */
    static DiskCache open(Path folder, long maxBytes, FileVerification verification) throws IOException {
        // Private whatever the umask is; files below it are protected by it.
        Files.createDirectories(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createDirectories(folder.resolve("tmp"));
        FileChannel lock =
                FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            requireOwn(lock, folder);
            DiskCache cache = new DiskCache(folder, maxBytes, verification, lock);
            cache.removeStaleTemporaries();
            cache.readFolder();
            return cache;
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    private static void requireOwn(FileChannel lock, Path folder) throws IOException {
        boolean own;
        try {
            own = lock.tryLock() != null;
        } catch (OverlappingFileLockException inThisProcess) {
            own = false;
        }
        if (!own) {
            throw new IOException("cache folder " + folder + " is in use; each server needs a separate data folder");
        }
    }

    /** Returns the build's debug file as {@link #find(BuildId, FileKind)} does. */
    Optional<CachedFile> find(BuildId id) throws DiskException, InterruptedException {
        return find(id, FileKind.DEBUGINFO);
    }

    /**
     * Returns the build's file of a kind, pinned, if it is cached and undamaged. A damaged file is removed.
     *
     * @throws DiskException if the file cannot be read; it stays
     */
    Optional<CachedFile> find(BuildId id, FileKind kind) throws DiskException, InterruptedException {
        return find(new Key(id, kind), verification::verifyAndHash);
    }

    /** As {@link #find(BuildId, FileKind)}. The file may have been verified some minutes ago. */
    @Override
    public Optional<CachedFile> findToSend(BuildId id, FileKind kind) throws DiskException, InterruptedException {
        return find(new Key(id, kind), verification::verifiedLately);
    }

    private Optional<CachedFile> find(Key key, FileVerification.Check check)
            throws DiskException, InterruptedException {
        Entry entry = pin(key);
        if (entry == null) {
            return Optional.empty();
        }
        Path file = path(key);
        try {
            FileVerification.Verified verified = check.of(file, key.id());
            if (verified.sha256().equals(entry.sidecar.sha256())) {
                touch(file);
                return Optional.of(cachedFile(entry, 0, verified.elf()));
            }
            log.warn(
                    "cached file {} is dropped: SHA-256 is {}; expected {}",
                    file,
                    verified.sha256(),
                    entry.sidecar.sha256());
        } catch (ExtractionException | NoSuchFileException e) {
            log.warn("cached file {} is dropped: {}", file, e.getMessage());
        } catch (ClosedByInterruptException e) {
            unpin(entry);
            Thread.interrupted();
            throw (InterruptedException) new InterruptedException().initCause(e);
        } catch (IOException e) {
            unpin(entry);
            throw new DiskException(e);
        }
        drop(entry);
        return Optional.empty();
    }

    /** Creates a temporary file that may be {@linkplain #publish published} later. */
    IncomingFile receive() throws DiskException {
        return IncomingFile.create(temporary, this::madeRoom);
    }

    /**
     * Moves a finished and verified file into the cache, and evicts others to make room. If the build was cached in the
     * meantime, that file stays and is returned.
     *
     * @param source name of the upstream that delivered the file
     * @param headers what it said of the file
     * @param wireBytes bytes transferred for it
     * @return the build's file, pinned
     */
    CachedFile publish(
            IncomingFile incoming,
            Key key,
            String source,
            FileHeaders headers,
            long wireBytes,
            FileVerification.Verified verified)
            throws DiskException, InterruptedException {
        Sidecar sidecar = new Sidecar(source, verified.sha256(), incoming.bytes(), headers);
        try (IncomingFile incomingSidecar = receive()) {
            byte[] json = sidecar.toJson();
            incomingSidecar.write(json, json.length);
            incomingSidecar.finish();
            while (true) {
                Optional<CachedFile> present = find(key.id(), key.kind());
                if (present.isPresent()) {
                    return present.get();
                }
                Entry added = add(key, sidecar, incoming.path(), incomingSidecar.path());
                if (added != null) {
                    return cachedFile(added, wireBytes, verified.elf());
                }
            }
        }
    }

    /** Removes the build's file of a kind, unless it is in use. */
    synchronized void discard(BuildId id, FileKind kind) {
        Key key = new Key(id, kind);
        Entry entry = entries.get(key);
        if (entry != null && entry.pins == 0) {
            entries.remove(key);
            remove(entry);
        }
    }

    @Override
    public synchronized Use use() {
        return new Use(entries.size(), totalBytes, maxBytes);
    }

    /** Unlocks the folder for other servers. */
    @Override
    public void close() throws IOException {
        lock.close();
    }

    private CachedFile cachedFile(Entry entry, long wireBytes, ElfFacts elf) {
        Sidecar sidecar = entry.sidecar;
        return new CachedFile(
                path(entry.key),
                sidecar.source(),
                sidecar.sha256(),
                sidecar.bytes(),
                wireBytes,
                elf,
                sidecar.headers() == null ? FileHeaders.NONE : sidecar.headers(),
                () -> unpin(entry));
    }

    private Path path(Key key) {
        return BuildIdPath.below(folder, key.id(), key.kind());
    }

    /**
     * Records the time of use in the file system, for the order after a restart. Seldom, because it changes the attributes by
     * which an unchanged file is recognized.
     */
    private static void touch(Path file) throws IOException {
        Instant now = Instant.now();
        if (Files.getLastModifiedTime(file).toInstant().isBefore(now.minus(TOUCHED_EVERY))) {
            Files.setLastModifiedTime(file, FileTime.from(now));
        }
    }

    private synchronized @Nullable Entry pin(Key key) {
        Entry entry = entries.get(key);
        if (entry != null) {
            entry.pins++;
        }
        return entry;
    }

    private synchronized void unpin(Entry entry) {
        entry.pins--;
        evictAbove(maxBytes);
    }

    private synchronized void drop(Entry entry) {
        entry.pins--;
        if (entries.remove(entry.key, entry)) {
            remove(entry);
        }
    }

    /** Returns the new entry, pinned; null if the build already has one. */
    private synchronized @Nullable Entry add(Key key, Sidecar sidecar, Path incoming, Path incomingSidecar)
            throws DiskException {
        if (entries.containsKey(key)) {
            return null;
        }
        evictAbove(maxBytes - sidecar.bytes());
        Path file = path(key);
        createFolder(file.resolveSibling(""));
        try {
            Files.setPosixFilePermissions(incoming, OWNER_READS);
            Files.setLastModifiedTime(incoming, FileTime.from(Instant.now()));
            Files.move(incomingSidecar, Sidecar.pathBeside(file), StandardCopyOption.ATOMIC_MOVE);
            Files.move(incoming, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new DiskException(e);
        }
        Entry entry = new Entry(key, sidecar);
        entry.pins++;
        entries.put(key, entry);
        totalBytes += sidecar.bytes();
        return entry;
    }

    /** Creates a folder, which needs room on the disk, too. */
    private void createFolder(Path path) throws DiskException {
        while (true) {
            try {
                Files.createDirectories(path);
                return;
            } catch (IOException e) {
                if (!madeRoom(e)) {
                    throw new DiskException(e);
                }
            }
        }
    }

    /**
     * Evicts the least recently used file if a write failed because the disk is full. Other programs fill the disk, too, so the
     * limit of the cache does not guarantee room. Returns whether a file was evicted.
     */
    private synchronized boolean madeRoom(IOException failure) {
        if (!isFull(failure)) {
            return false;
        }
        for (Iterator<Entry> i = entries.values().iterator(); i.hasNext(); ) {
            Entry entry = i.next();
            if (entry.pins == 0) {
                i.remove();
                remove(entry);
                log.warn("cached file of {} is evicted: the disk is full", entry.key.id());
                return true;
            }
        }
        return false;
    }

    /** Returns whether the disk is full. Java has no exception type for it, and the message may be localized. */
    private boolean isFull(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        if (message.contains("No space left on device") || message.contains("Disk quota exceeded")) {
            return true;
        }
        try {
            return Files.getFileStore(folder).getUsableSpace() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** If the cache is larger than this, evicts unpinned files until it has at most 90 % of its limit. */
    private void evictAbove(long bytes) {
        if (totalBytes <= bytes) {
            return;
        }
        long target = Math.min(bytes, (long) (maxBytes * LOW_WATER));
        for (Iterator<Entry> i = entries.values().iterator(); i.hasNext() && totalBytes > target; ) {
            Entry entry = i.next();
            if (entry.pins == 0) {
                i.remove();
                remove(entry);
            }
        }
    }

    private void remove(Entry entry) {
        totalBytes -= entry.sidecar.bytes();
        Path file = path(entry.key);
        try {
            Files.deleteIfExists(file);
            Files.deleteIfExists(Sidecar.pathBeside(file));
        } catch (IOException e) {
            log.warn("cannot remove {} from the cache: {}", file, e.toString());
        }
    }

    private void removeStaleTemporaries() throws IOException {
        try (Stream<Path> stale = Files.list(temporary)) {
            for (Path path : (Iterable<Path>) stale::iterator) {
                Files.delete(path);
            }
        }
    }

    private synchronized void readFolder() throws IOException {
        List<StoredEntry> found = new ArrayList<>();
        for (Key key : keysInFolder()) {
            Path file = path(key);
            Optional<Sidecar> sidecar = Sidecar.beside(file);
            if (sidecar.isPresent()
                    && Files.exists(file)
                    && Files.size(file) == sidecar.get().bytes()) {
                found.add(new StoredEntry(key, sidecar.get(), Files.getLastModifiedTime(file)));
            } else {
                log.warn("cached file {} is dropped: it is incomplete", file);
                Files.deleteIfExists(file);
                Files.deleteIfExists(Sidecar.pathBeside(file));
            }
        }
        found.sort(Comparator.comparing(StoredEntry::lastUsed));
        for (StoredEntry each : found) {
            entries.put(each.key(), new Entry(each.key(), each.sidecar()));
            totalBytes += each.sidecar().bytes();
        }
        evictAbove(maxBytes);
    }

    private Set<Key> keysInFolder() throws IOException {
        try (Stream<Path> paths = Files.walk(folder, 2)) {
            return paths.map(path -> BuildIdPath.keyOf(folder.relativize(path)))
                    .flatMap(Optional::stream)
                    .collect(Collectors.toSet());
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
