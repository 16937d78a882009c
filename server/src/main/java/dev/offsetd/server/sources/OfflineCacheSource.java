package dev.offsetd.server.sources;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.sources.outcome.Origin;
import org.jspecify.annotations.Nullable;

/** The disk cache as a source, in place of the upstreams while the server is offline. */
final class OfflineCacheSource implements DebugFileSource {

    private final DiskCache cache;

    OfflineCacheSource(DiskCache cache) {
        this.cache = cache;
    }

    @Override
    public String name() {
        return "disk cache";
    }

    @Override
    public Origin origin() {
        return Origin.DEBUGINFOD;
    }

    @Override
    public FetchOutcome fetch(BuildId id, FetchProgress progress) throws InterruptedException {
        try {
            CachedFile whole = cache.find(id).orElse(null);
            return outcome(
                    whole != null ? whole : cache.find(id, FileKind.SECTIONS).orElse(null));
        } catch (DiskException e) {
            return FetchOutcome.diskFailed(e.detail());
        }
    }

    @Override
    public FetchOutcome fetch(FileRequest request) throws InterruptedException {
        try {
            return outcome(
                    request.sourcePath() != null
                            ? null
                            : cache.findToSend(request.id(), request.kind().inCache())
                                    .orElse(null));
        } catch (DiskException e) {
            return FetchOutcome.diskFailed(e.detail());
        }
    }

    private static FetchOutcome outcome(@Nullable CachedFile cached) {
        return cached == null
                ? new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL)
                : new FetchOutcome.Fetched(cached);
    }
}
