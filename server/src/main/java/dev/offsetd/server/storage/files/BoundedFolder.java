package dev.offsetd.server.storage.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Index of the files in a folder, with a limit of their total size. When they exceed it, the least recently used files are
 * evicted. A pinned file is not. Thread-safe.
 *
 * @param <V> facts about a file
 */
public final class BoundedFolder<K, V> {

    /** Share of the limit down to which files are evicted, so that not every new file causes an eviction. */
    private static final double LOW_WATER = 0.9;

    private final long maxBytes;
    private final Consumer<FolderEntry<K, V>> removal;

    /** Least recently used first. The map, its entries and the sum of their sizes are guarded by {@code this}. */
    private final LinkedHashMap<K, FolderEntry<K, V>> entries = new LinkedHashMap<>(16, 0.75f, true);

    private long totalBytes;

    /**
     * @param maxBytes limit of all files together
     * @param removal deletes a file from the disk
     */
    public BoundedFolder(long maxBytes, Consumer<FolderEntry<K, V>> removal) {
        this.maxBytes = maxBytes;
        this.removal = removal;
    }

    /** Creates a folder that only its owner can read, whatever the umask is. Files below it are protected by it. */
    public static void create(Path folder) throws IOException {
        Files.createDirectories(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /** Returns the regular files in a folder. A server puts no links, folders or pipes there, so those of others stay unused. */
    public static List<Path> filesIn(Path folder) throws IOException {
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
                    .toList();
        }
    }

    /**
     * Deletes the unfinished files of a killed process.
     *
     * @param prefix start of their names
     */
    public static void removeUnfinished(Path folder, String prefix) throws IOException {
        for (Path file : filesIn(folder)) {
            if (String.valueOf(file.getFileName()).startsWith(prefix)) {
                Files.delete(file);
            }
        }
    }

    public static final class FolderEntry<K, V> {

        private final K key;
        private final V facts;
        private final long bytes;
        private int pins;

        private FolderEntry(K key, V facts, long bytes) {
            this.key = key;
            this.facts = facts;
            this.bytes = bytes;
        }

        public K key() {
            return key;
        }

        public V facts() {
            return facts;
        }

        public long bytes() {
            return bytes;
        }
    }

    /** A complete file of an earlier process. */
    public record FoundFile<K, V>(K key, V facts, long bytes, FileTime lastUsed) {}

    /** Moves a complete file to its place. */
    @FunctionalInterface
    public interface Move<E extends IOException> {
        void run() throws E;
    }

    /** Adds the files of an earlier process, and evicts those that exceed the limit. */
    public synchronized void restore(Collection<FoundFile<K, V>> found) {
        found.stream()
                .sorted(Comparator.comparing(FoundFile::lastUsed))
                .forEach(file -> put(new FolderEntry<>(file.key(), file.facts(), file.bytes())));
        evictAbove(maxBytes);
    }

    /**
     * Evicts files to make room for a new one, and moves it to its place.
     *
     * @return the new entry, pinned; empty if the key already has one, and the file was not moved
     */
    public synchronized <E extends IOException> Optional<FolderEntry<K, V>> add(
            K key, V facts, long bytes, Move<E> move) throws E {
        if (entries.containsKey(key)) {
            return Optional.empty();
        }
        evictAbove(maxBytes - bytes);
        move.run();
        FolderEntry<K, V> entry = new FolderEntry<>(key, facts, bytes);
        entry.pins++;
        put(entry);
        return Optional.of(entry);
    }

    /** Returns the file of a key, pinned until {@link #unpin} or {@link #drop}. */
    public synchronized Optional<FolderEntry<K, V>> pin(K key) {
        FolderEntry<K, V> entry = entries.get(key);
        if (entry == null) {
            return Optional.empty();
        }
        entry.pins++;
        return Optional.of(entry);
    }

    /** Ends one use of a file. */
    public synchronized void unpin(FolderEntry<K, V> entry) {
        entry.pins--;
        evictAbove(maxBytes);
    }

    /** Ends one use of a file and removes it, also if it has other readers. */
    public synchronized void drop(FolderEntry<K, V> entry) {
        entry.pins--;
        if (entries.remove(entry.key, entry)) {
            remove(entry);
        }
    }

    /** Removes the file of a key, unless it is pinned. */
    public synchronized void discard(K key) {
        FolderEntry<K, V> entry = entries.get(key);
        if (entry != null && entry.pins == 0) {
            entries.remove(key);
            remove(entry);
        }
    }

    /** Evicts the least recently used file, and returns its key; empty if all are pinned. */
    public synchronized Optional<K> evictOne() {
        for (Iterator<FolderEntry<K, V>> i = entries.values().iterator(); i.hasNext(); ) {
            FolderEntry<K, V> entry = i.next();
            if (entry.pins == 0) {
                i.remove();
                remove(entry);
                return Optional.of(entry.key);
            }
        }
        return Optional.empty();
    }

    public synchronized int count() {
        return entries.size();
    }

    public synchronized long bytes() {
        return totalBytes;
    }

    /** If the files are larger than this, evicts unpinned ones until they have at most 90 % of the limit. */
    private synchronized void evictAbove(long bytes) {
        if (totalBytes <= bytes) {
            return;
        }
        long target = Math.min(bytes, (long) (maxBytes * LOW_WATER));
        while (totalBytes > target && evictOne().isPresent()) {
            // Until it fits, or all that stay are pinned.
        }
    }

    private synchronized void put(FolderEntry<K, V> entry) {
        entries.put(entry.key, entry);
        totalBytes += entry.bytes;
    }

    private synchronized void remove(FolderEntry<K, V> entry) {
        totalBytes -= entry.bytes;
        removal.accept(entry);
    }
}
