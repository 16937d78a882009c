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
 * Bounded cache of the debug files that upstreams delivered. The least recently used files are evicted when the cache exceeds its
 * limit or the disk is full.
 *
 * <p>In the folder of the cache, {@code ab/cdef….debug} is a file and {@code ab/cdef….json} its {@link Sidecar}. Both are written
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

    private static final Logger log = LoggerFactory.getLogger(DiskCache.class);

    private final Path folder;
    private final Path temporary;
    private final long maxBytes;
    private final FileVerification verification;
    private final FileChannel lock;

    /** Least recently used first. The map and its entries are guarded by {@code this}. */
    private final LinkedHashMap<BuildId, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    private long totalBytes;

    private static final class Entry {
        final BuildId id;
        final Sidecar sidecar;
        int pins;

        Entry(BuildId id, Sidecar sidecar) {
            this.id = id;
            this.sidecar = sidecar;
        }
    }

    private record StoredEntry(BuildId id, Sidecar sidecar, FileTime lastUsed) {}

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

    /**
     * Returns the build's file, pinned, if it is cached and undamaged. A damaged file is removed.
     *
     * @throws DiskException if the file cannot be read; it stays
     */
    Optional<CachedFile> find(BuildId id) throws DiskException, InterruptedException {
        Entry entry = pin(id);
        if (entry == null) {
            return Optional.empty();
        }
        Path file = BuildIdPath.below(folder, id);
        try {
            ElfFacts elf = verification.verify(file, id);
            String sha256 = FileHash.of(file);
            if (sha256.equals(entry.sidecar.sha256())) {
                touch(file);
                return Optional.of(cachedFile(entry, 0, elf));
            }
            log.warn("cached file {} is dropped: SHA-256 is {}; expected {}", file, sha256, entry.sidecar.sha256());
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
     * @param wireBytes bytes transferred for it
     * @return the build's file, pinned
     */
    CachedFile publish(IncomingFile incoming, BuildId id, String source, long wireBytes, String sha256, ElfFacts elf)
            throws DiskException, InterruptedException {
        Sidecar sidecar = new Sidecar(source, sha256, incoming.bytes());
        try (IncomingFile incomingSidecar = receive()) {
            byte[] json = sidecar.toJson();
            incomingSidecar.write(json, json.length);
            incomingSidecar.finish();
            while (true) {
                Optional<CachedFile> present = find(id);
                if (present.isPresent()) {
                    return present.get();
                }
                Entry added = add(id, sidecar, incoming.path(), incomingSidecar.path());
                if (added != null) {
                    return cachedFile(added, wireBytes, elf);
                }
            }
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
                BuildIdPath.below(folder, entry.id),
                sidecar.source(),
                sidecar.sha256(),
                sidecar.bytes(),
                wireBytes,
                elf,
                () -> unpin(entry));
    }

    /** Records the time of use in the file system, for the order after a restart. */
    private static void touch(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
    }

    private synchronized @Nullable Entry pin(BuildId id) {
        Entry entry = entries.get(id);
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
        if (entries.remove(entry.id, entry)) {
            remove(entry);
        }
    }

    /** Returns the new entry, pinned; null if the build already has one. */
    private synchronized @Nullable Entry add(BuildId id, Sidecar sidecar, Path incoming, Path incomingSidecar)
            throws DiskException {
        if (entries.containsKey(id)) {
            return null;
        }
        evictAbove(maxBytes - sidecar.bytes());
        Path file = BuildIdPath.below(folder, id);
        createFolder(file.resolveSibling(""));
        try {
            Files.setPosixFilePermissions(incoming, OWNER_READS);
            touch(incoming);
            Files.move(incomingSidecar, Sidecar.pathBeside(file), StandardCopyOption.ATOMIC_MOVE);
            Files.move(incoming, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new DiskException(e);
        }
        Entry entry = new Entry(id, sidecar);
        entry.pins++;
        entries.put(id, entry);
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
                log.warn("cached file of {} is evicted: the disk is full", entry.id);
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
        Path file = BuildIdPath.below(folder, entry.id);
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
        for (BuildId id : buildsInFolder()) {
            Path file = BuildIdPath.below(folder, id);
            Optional<Sidecar> sidecar = Sidecar.beside(file);
            if (sidecar.isPresent()
                    && Files.exists(file)
                    && Files.size(file) == sidecar.get().bytes()) {
                found.add(new StoredEntry(id, sidecar.get(), Files.getLastModifiedTime(file)));
            } else {
                log.warn("cached file {} is dropped: it is incomplete", file);
                Files.deleteIfExists(file);
                Files.deleteIfExists(Sidecar.pathBeside(file));
            }
        }
        found.sort(Comparator.comparing(StoredEntry::lastUsed));
        for (StoredEntry each : found) {
            entries.put(each.id(), new Entry(each.id(), each.sidecar()));
            totalBytes += each.sidecar().bytes();
        }
        evictAbove(maxBytes);
    }

    private Set<BuildId> buildsInFolder() throws IOException {
        try (Stream<Path> paths = Files.walk(folder, 2)) {
            return paths.map(path -> BuildIdPath.idOf(folder.relativize(path)))
                    .flatMap(Optional::stream)
                    .collect(Collectors.toSet());
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
