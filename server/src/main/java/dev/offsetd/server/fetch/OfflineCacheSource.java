package dev.offsetd.server.fetch;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.outcome.Origin;
import java.util.Optional;

/** Stands for the upstreams while no upstream may be asked: what they delivered before is still good. */
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
                    : new FetchOutcome.NotFound(FetchOutcome.Finality.LAST_WORD);
        } catch (DiskException e) {
            return FetchOutcome.diskFailed(e.detail());
        }
    }
}
