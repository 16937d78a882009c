package dev.offsetd.server.sources;

import dev.offsetd.extractor.builds.BuildId;
import org.jspecify.annotations.Nullable;

/**
 * A file that a source is asked for.
 *
 * @param kind {@link FileKind#SECTIONS} for the debug file, or its sections where that transfers less; ignored for a source file
 * @param sourcePath absolute path of a source file at the time of compilation; null for a file of the kind
 * @param forwardedFor the servers that have passed the request on
 * @param hashed whether the SHA-256 is needed, for which a file in a folder is read to its end
 */
public record FileRequest(
        BuildId id,
        FileKind kind,
        @Nullable String sourcePath,
        long maxBytes,
        ForwardedFor forwardedFor,
        boolean hashed) {

    public static FileRequest of(BuildId id, FileKind kind, long maxBytes, ForwardedFor forwardedFor) {
        return new FileRequest(id, kind, null, maxBytes, forwardedFor, true);
    }

    /** Returns a request for the file of a kind that this server itself reads, of whatever content. */
    public static FileRequest unhashed(BuildId id, FileKind kind, long maxBytes) {
        return new FileRequest(id, kind, null, maxBytes, ForwardedFor.NONE, false);
    }

    public static FileRequest ofSource(BuildId id, String path, long maxBytes, ForwardedFor forwardedFor) {
        return new FileRequest(id, FileKind.EXECUTABLE, path, maxBytes, forwardedFor, true);
    }

    /** Returns the build-id, with a note if this is not the debug file. */
    @Override
    public String toString() {
        String what = sourcePath != null ? "source file" : kind.word();
        return kind == FileKind.DEBUGINFO || kind == FileKind.SECTIONS ? id.toString() : id + " (" + what + ")";
    }
}
