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
 * Debug files that upstreams delivered, kept on disk up to a number of bytes, or as far as the disk has room; the ones not
 * used for longest go first.
 *
 * <p>In the cache's folder, {@code ab/cdef….debug} is a file and {@code ab/cdef….json} its {@link Sidecar}; both are
 * written in {@code tmp}, brought to the disk and then renamed, the sidecar first. So a file with its sidecar is always
 * whole, whenever the process dies; anything else of ours is removed at the next start. Files that are not ours stay.
 * A file is never replaced, only removed, so what a reader opened or mapped does not change under it.
 *
 * <p>Every file is verified and hashed again each time it is taken out: a disk forgets, and people edit. Extraction,
 * which follows, reads the file anyway.
 */
final class DiskCache implements DebugFileCache, AutoCloseable {

    static final Set<PosixFilePermission> OWNER_WRITES = PosixFilePermissions.fromString("rw-------");

    static final Set<PosixFilePermission> OWNER_READS = PosixFilePermissions.fromString("r--------");

    /** Down to how much of the limit is evicted, so that not every new file evicts. */
    private static final double LOW_WATER = 0.9;

    private static final Logger log = LoggerFactory.getLogger(DiskCache.class);

    private final Path folder;
    private final Path temporary;
    private final long maxBytes;
    private final FileVerification verification;
    private final FileChannel lock;

    /** Least recently used first. This and all that is in it is guarded by {@code this}. */
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

    private record Found(BuildId id, Sidecar sidecar, FileTime lastUsed) {}

    private DiskCache(Path folder, long maxBytes, FileVerification verification, FileChannel lock) {
        this.folder = folder;
        this.temporary = folder.resolve("tmp");
        this.maxBytes = maxBytes;
        this.verification = verification;
        this.lock = lock;
    }

    /**
     * Opens a cache folder, creates it if need be, and clears away what a killed process left half-done.
     *
     * @throws IOException if the folder cannot be read or written, or another server uses it
     */
    static DiskCache open(Path folder, long maxBytes, FileVerification verification) throws IOException {
        // Private whatever the umask; what is below it need not be.
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
            throw new IOException(
                    "cache folder " + folder + " is in use; expected a data folder of its own for each server");
        }
    }

    /**
     * The build's file, pinned, if it is here and as sound as when it came. One that is not is removed.
     *
     * @throws DiskException if the file is here and cannot be read; it stays
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

    /** Starts a file that may be {@linkplain #publish published} later. */
    IncomingFile receive() throws DiskException {
        return IncomingFile.create(temporary, this::madeRoom);
    }

    /**
     * Takes a finished and verified file into the cache, and evicts others to make room. If the build is in the cache
     * by now, that file stays and is the answer.
     *
     * @param source name of the upstream that delivered it
     * @param wireBytes bytes that it took
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

    /** Lets another server use the folder. */
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

    /** Notes on the file itself when it was used, for the order after a restart. */
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

    /** The new entry, pinned; null if the build has one already. */
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

    /** A folder needs room too. */
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
     * Gives up the file not used for longest, if a write has failed because the disk is full. Others fill the disk too, so
     * the limit on the cache is no promise that there is room.
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
                log.warn("cached file of {} is given up: the disk is full", entry.id);
                return true;
            }
        }
        return false;
    }

    /** Java has no type for it, and the system's words are those of the user's language. */
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

    /** If there are more bytes than this, evicts unpinned files until 90 % of the limit is left, or only pinned ones. */
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
        List<Found> found = new ArrayList<>();
        for (BuildId id : buildsInFolder()) {
            Path file = BuildIdPath.below(folder, id);
            Optional<Sidecar> sidecar = Sidecar.beside(file);
            if (sidecar.isPresent()
                    && Files.exists(file)
                    && Files.size(file) == sidecar.get().bytes()) {
                found.add(new Found(id, sidecar.get(), Files.getLastModifiedTime(file)));
            } else {
                log.warn("cached file {} is dropped: it is not whole", file);
                Files.deleteIfExists(file);
                Files.deleteIfExists(Sidecar.pathBeside(file));
            }
        }
        found.sort(Comparator.comparing(Found::lastUsed));
        for (Found each : found) {
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
