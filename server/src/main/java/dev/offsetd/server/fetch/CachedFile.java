package dev.offsetd.server.fetch;

import dev.offsetd.extractor.ElfFacts;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A verified debug file on this machine's disk. Until it is closed the disk cache does not evict it; a file out of a
 * local folder stays the property of whoever put it there.
 */
public final class CachedFile implements AutoCloseable {

    private final Path path;
    private final String source;
    private final String sha256;
    private final long bytes;
    private final long wireBytes;
    private final ElfFacts elf;
    private final Runnable release;
    private final AtomicBoolean closed = new AtomicBoolean();

    CachedFile(Path path, String source, String sha256, long bytes, long wireBytes, ElfFacts elf, Runnable release) {
        this.path = path;
        this.source = source;
        this.sha256 = sha256;
        this.bytes = bytes;
        this.wireBytes = wireBytes;
        this.elf = elf;
        this.release = release;
    }

    /** Where the file is. */
    public Path path() {
        return path;
    }

    /**
     * {@link DebugFileSource#name()} of the source that delivered the bytes. Another than the one that was asked, if
     * the file was in the disk cache already.
     */
    public String source() {
        return source;
    }

    /** SHA-256 of the whole file, lower-case hex. */
    public String sha256() {
        return sha256;
    }

    /** Size of the file. */
    public long bytes() {
        return bytes;
    }

    /** Bytes that came over the wire to get it now, compressed as they came; 0 if it was on this machine already. */
    public long wireBytes() {
        return wireBytes;
    }

    /** What the file says of itself. */
    public ElfFacts elf() {
        return elf;
    }

    /** How it was made sure that this is the build's file. */
    public String verified() {
        return "build-id note";
    }

    /** Lets the disk cache evict the file; closing again does nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            release.run();
        }
    }
}
