package dev.offsetd.server.sources;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.storage.files.BoundedFolder;
import dev.offsetd.server.storage.files.BoundedFolder.FolderEntry;
import dev.offsetd.server.storage.files.BoundedFolder.FoundFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
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
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@linkplain BoundedFolder Bounded} cache of the files that upstreams delivered, and of copies of kept uploads. The least
 * recently used files are evicted when the cache exceeds its limit or the disk is full.
 *
 * <p>In the folder of the cache, {@code ab/cdef….debug} is a file and {@code ab/cdef….debug.json} its {@link Sidecar}. Both are written
 * in {@code tmp} and then renamed, the sidecar first, so a file with its sidecar is complete whenever the process dies.
 * Incomplete files are removed at the next start; files of other programs stay. A file is never replaced, only removed, so a
 * reader's open or mapped file does not change.
 *
 * <p>Every file is verified and hashed again when its types are to be read, because disks fail and files get edited; the extraction
 * reads the file anyway. For other uses it is enough if the same file was verified some minutes ago.
 */
public final class DiskCache implements AutoCloseable {

    static final Set<PosixFilePermission> OWNER_WRITES = PosixFilePermissions.fromString("rw-------");

    static final Set<PosixFilePermission> OWNER_READS = PosixFilePermissions.fromString("r--------");

    private static final Duration TOUCHED_EVERY = Duration.ofMinutes(10);

    private static final Logger log = LoggerFactory.getLogger(DiskCache.class);

    private final Path folder;
    private final Path temporary;
    private final long maxBytes;
    private final FileVerification verification;
    private final FileChannel lock;

    private final BoundedFolder<Key, Sidecar> files;

    /**
     * Content of the cache.
     *
     * @param maxBytes limit above which files are evicted
     */
    public record Use(int files, long bytes, long maxBytes) {}

    record Key(BuildId id, FileKind kind) implements Comparable<Key> {

        private static final Comparator<Key> ORDER =
                Comparator.comparing(Key::id).thenComparing(Key::kind);

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }
    }

    private DiskCache(Path folder, long maxBytes, FileVerification verification, FileChannel lock) {
        this.folder = folder;
        this.temporary = folder.resolve("tmp");
        this.maxBytes = maxBytes;
        this.verification = verification;
        this.lock = lock;
        this.files = new BoundedFolder<>(maxBytes, this::remove);
    }

    /**
     * Opens a cache folder, creates it if necessary, and removes incomplete files of a killed process.
     *
     * @throws IOException if the folder cannot be read or written, or another server uses it
     */
    static DiskCache open(Path folder, long maxBytes, FileVerification verification) throws IOException {
        BoundedFolder.create(folder);
        Files.createDirectories(folder.resolve("tmp"));
        FileChannel lock =
                FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            requireOwn(lock, folder);
            DiskCache cache = new DiskCache(folder, maxBytes, verification, lock);
            BoundedFolder.removeUnfinished(cache.temporary, IncomingFile.PREFIX);
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

    /** Returns the build's debug file, or else its sections, as {@link #find(BuildId, FileKind)} does. */
    Optional<CachedFile> findToRead(BuildId id) throws DiskException, InterruptedException {
        Optional<CachedFile> whole = find(id, FileKind.DEBUGINFO);
        return whole.isPresent() ? whole : find(id, FileKind.SECTIONS);
    }

    /**
     * Returns the build's file of a kind, pinned, if it is cached and undamaged. A damaged file is removed.
     *
     * @throws DiskException if the file cannot be read; it stays
     */
    Optional<CachedFile> find(BuildId id, FileKind kind) throws DiskException, InterruptedException {
        return find(new Key(id, kind), verification::verifyAndHash);
    }

    /**
     * Returns what {@link #find(BuildId, FileKind)} returns. The file may have been verified some minutes ago.
     *
     * @throws DiskException if the file cannot be read
     */
    public Optional<CachedFile> findLatelyVerified(BuildId id, FileKind kind)
            throws DiskException, InterruptedException {
        return find(new Key(id, kind), verification::verifiedLately);
    }

    private Optional<CachedFile> find(Key key, FileVerification.Check check)
            throws DiskException, InterruptedException {
        Optional<FolderEntry<Key, Sidecar>> pinned = files.pin(key);
        if (pinned.isEmpty()) {
            return Optional.empty();
        }
        FolderEntry<Key, Sidecar> entry = pinned.get();
        boolean checked = false;
        try {
            Optional<ElfFacts> elf = check(entry, check);
            checked = true;
            if (elf.isEmpty()) {
                files.drop(entry);
            }
            return elf.map(facts -> cachedFile(entry, 0, facts));
        } catch (IOException e) {
            throw new DiskException(e);
        } finally {
            if (!checked) {
                files.unpin(entry);
            }
        }
    }

    /** Returns what a file is; empty if it is damaged. */
    private Optional<ElfFacts> check(FolderEntry<Key, Sidecar> entry, FileVerification.Check check)
            throws IOException, InterruptedException {
        Path file = path(entry.key());
        try {
            // First, because the check may remember the attributes, which this changes.
            touch(file);
            FileVerification.Verified verified = check.of(file, entry.key().id());
            if (entry.facts().sha256().equals(verified.sha256())) {
                return Optional.of(verified.elf());
            }
            log.warn(
                    "cached file {} is dropped: SHA-256 is {}; expected {}",
                    file,
                    verified.sha256(),
                    entry.facts().sha256());
        } catch (ExtractionException | NoSuchFileException e) {
            log.warn("cached file {} is dropped: {}", file, e.getMessage());
        }
        return Optional.empty();
    }

    /** Creates a temporary file that may be {@linkplain #publish published} later. */
    IncomingFile newFile() throws DiskException {
        return IncomingFile.create(temporary, this::madeRoom);
    }

    /**
     * Moves a finished and verified file into the cache, and evicts others to make room. If the build was cached in the
     * meantime, that file stays and is returned.
     *
     * @param sidecar its source, hash and size
     * @param wireBytes bytes transferred for it
     * @return the build's file, pinned
     */
    CachedFile publish(IncomingFile incoming, Key key, Sidecar sidecar, long wireBytes, ElfFacts elf)
            throws DiskException, InterruptedException {
        try (IncomingFile incomingSidecar = newFile()) {
            byte[] json = sidecar.toJson();
            incomingSidecar.write(json, json.length);
            incomingSidecar.finish();
            while (true) {
                Optional<CachedFile> present = find(key.id(), key.kind());
                if (present.isPresent()) {
                    return present.get();
                }
                Optional<FolderEntry<Key, Sidecar>> added = files.add(
                        key, sidecar, sidecar.bytes(), () -> move(path(key), incoming.path(), incomingSidecar.path()));
                if (added.isPresent()) {
                    return cachedFile(added.get(), wireBytes, elf);
                }
            }
        }
    }

    /**
     * Publishes a received file if it is the build's.
     *
     * @return the build's file, or why the received one is not that
     * @throws DiskException if the disk fails
     */
    FetchOutcome verifyAndPublish(
            IncomingFile incoming, Key key, Downloader source, FileHeaders headers, long wireBytes)
            throws DiskException, InterruptedException {
        // Not synced to the disk, which takes longer than reading the file: the hash is compared whenever the file is
        // taken from the cache, so a file damaged by a power failure is downloaded again.
        String sha256 = incoming.finish();
        try {
            ElfFacts elf = verify(incoming, key.id());
            Sidecar sidecar = new Sidecar(source.name(), source.origin().word(), sha256, incoming.bytes(), headers);
            return new FetchOutcome.Fetched(publish(incoming, key, sidecar, wireBytes, elf));
        } catch (ExtractionException e) {
            return rejected(e);
        }
    }

    /**
     * Verifies a received file, which may have parts of the build's only.
     *
     * @throws ExtractionException if it is not the build's
     * @throws DiskException if the disk fails
     */
    ElfFacts verify(IncomingFile incoming, BuildId id) throws DiskException, ExtractionException, InterruptedException {
        try {
            return verification.verify(incoming.path(), id);
        } catch (IOException e) {
            throw new DiskException(e);
        }
    }

    /** Returns the outcome of a file that is not the build's. */
    static FetchOutcome rejected(ExtractionException e) {
        String detail = "file: " + e.getMessage();
        return e instanceof LimitExceededException ? FetchOutcome.tooLarge(detail) : FetchOutcome.broken(detail);
    }

    /** Removes the build's file of a kind, unless it is in use. */
    void discard(BuildId id, FileKind kind) {
        files.discard(new Key(id, kind));
    }

    public Use use() {
        return new Use(files.count(), files.bytes(), maxBytes);
    }

    /** Unlocks the folder for other servers. */
    @Override
    public void close() throws IOException {
        lock.close();
    }

    private CachedFile cachedFile(FolderEntry<Key, Sidecar> entry, long wireBytes, ElfFacts elf) {
        Sidecar sidecar = entry.facts();
        return new CachedFile(
                path(entry.key()),
                sidecar.source(),
                sidecar.origin() == null ? Origin.DEBUGINFOD : Origin.ofWord(sidecar.origin()),
                sidecar.sha256(),
                sidecar.bytes(),
                wireBytes,
                elf,
                Identity.UNKNOWN,
                sidecar.headers() == null ? FileHeaders.NONE : sidecar.headers(),
                () -> files.unpin(entry));
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

    private void move(Path file, Path incoming, Path incomingSidecar) throws DiskException {
        createFolder(file.resolveSibling(""));
        try {
            Files.setPosixFilePermissions(incoming, OWNER_READS);
            Files.setLastModifiedTime(incoming, FileTime.from(Instant.now()));
            Files.move(incomingSidecar, Sidecar.pathBeside(file), StandardCopyOption.ATOMIC_MOVE);
            Files.move(incoming, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new DiskException(e);
        }
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
    private boolean madeRoom(IOException failure) {
        Optional<Key> evicted = isFull(failure) ? files.evictOne() : Optional.empty();
        evicted.ifPresent(key -> log.warn("cached file of {} is evicted: the disk is full", key.id()));
        return evicted.isPresent();
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

    private void remove(FolderEntry<Key, Sidecar> entry) {
        Path file = path(entry.key());
        try {
            Files.deleteIfExists(file);
            Files.deleteIfExists(Sidecar.pathBeside(file));
        } catch (IOException e) {
            log.warn("cannot remove {} from the cache: {}", file, e.toString());
        }
    }

    private void readFolder() throws IOException {
        List<FoundFile<Key, Sidecar>> found = new ArrayList<>();
        for (Key key : keysInFolder()) {
            Path file = path(key);
            Optional<Sidecar> sidecar = Sidecar.beside(file);
            if (sidecar.isPresent()
                    && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                    && Files.size(file) == sidecar.get().bytes()) {
                found.add(new FoundFile<>(key, sidecar.get(), sidecar.get().bytes(), Files.getLastModifiedTime(file)));
            } else {
                log.warn("cached file {} is dropped: it is incomplete", file);
                Files.deleteIfExists(file);
                Files.deleteIfExists(Sidecar.pathBeside(file));
            }
        }
        files.restore(found);
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
