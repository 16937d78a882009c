package dev.offsetd.server.fetch;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.outcome.Origin;
import java.util.Optional;

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
    public FetchOutcome fetch(BuildId id) throws InterruptedException {
        try {
            Optional<CachedFile> cached = cache.find(id);
            return cached.isPresent()
                    ? new FetchOutcome.Fetched(cached.get())
                    : new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL);
        } catch (DiskException e) {
            return FetchOutcome.diskFailed(e.detail());
        }
    }
}
