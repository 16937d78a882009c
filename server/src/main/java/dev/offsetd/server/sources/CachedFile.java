package dev.offsetd.server.sources;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.server.sources.outcome.Origin;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A verified file on the server's disk. The disk cache does not evict it until it is closed. A file in a local folder is
 * read in place and may change.
 */
public final class CachedFile implements AutoCloseable {

    private final Path path;
    private final String source;
    private final Origin origin;
    private final @Nullable String sha256;
    private final long bytes;
    private final long wireBytes;
    private final @Nullable ElfFacts elf;
    private final Identity names;
    private final FileHeaders headers;
    private final Runnable release;
    private final AtomicBoolean closed = new AtomicBoolean();

    CachedFile(
            Path path,
            String source,
            Origin origin,
            @Nullable String sha256,
            long bytes,
            long wireBytes,
            @Nullable ElfFacts elf,
            Identity names,
            FileHeaders headers,
            Runnable release) {
        this.path = path;
        this.source = source;
        this.origin = origin;
        this.sha256 = sha256;
        this.bytes = bytes;
        this.wireBytes = wireBytes;
        this.elf = elf;
        this.names = names;
        this.headers = headers;
        this.release = release;
    }

    public Path path() {
        return path;
    }

    /**
     * Returns the {@linkplain DebugFileSource#name() name} of the source that delivered the bytes. It differs from the queried
     * source if the file was in the disk cache.
     */
    public String source() {
        return source;
    }

    /** Returns the origin of {@link #source()}. */
    public Origin origin() {
        return origin;
    }

    /**
     * Returns the SHA-256 of the file in lower-case hex. {@linkplain FileKind#PROGRAM Parts} have none, and neither has a file
     * that was requested without.
     */
    public String sha256() {
        return Objects.requireNonNull(sha256, "a file that was requested without its hash has none");
    }

    public long bytes() {
        return bytes;
    }

    /** Returns the bytes transferred for this request, before decompression; 0 if the file was on the server already. */
    public long wireBytes() {
        return wireBytes;
    }

    /** Returns the facts of an ELF file. A source file has none. */
    public ElfFacts elf() {
        return Objects.requireNonNull(elf, "a source file has no ELF facts");
    }

    /** Returns this file, which takes its place, with the names that its upstream gave. */
    CachedFile withNames(Identity given) {
        return new CachedFile(path, source, origin, sha256, bytes, wireBytes, elf, given, headers, this::close);
    }

    /** Returns the names that the upstream gave when the file was fetched; none of a file that was on the server already. */
    public Identity names() {
        return names;
    }

    /** Returns what the upstream said of the file when it delivered it. */
    public FileHeaders headers() {
        return headers;
    }

    /** Returns how the file was verified to be the build's. */
    public String verified() {
        return "build-id note";
    }

    /** Permits the disk cache to evict the file. Idempotent. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            release.run();
        }
    }
}
