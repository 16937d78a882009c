package dev.offsetd.server.sources;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.sources.outcome.Origin;
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
    public FetchOutcome fetch(BuildId id, FetchProgress progress) throws InterruptedException {
        try {
            Optional<CachedFile> whole = cache.find(id);
            return outcome(whole.isPresent() ? whole : cache.find(id, FileKind.SECTIONS));
        } catch (DiskException e) {
            return FetchOutcome.diskFailed(e.detail());
        }
    }

    @Override
    public FetchOutcome fetch(FileRequest request) throws InterruptedException {
        try {
            return outcome(
                    request.sourcePath().isPresent()
                            ? Optional.empty()
                            : cache.findToSend(request.id(), request.kind().inCache()));
        } catch (DiskException e) {
            return FetchOutcome.diskFailed(e.detail());
        }
    }

    private static FetchOutcome outcome(Optional<CachedFile> cached) {
        return cached.<FetchOutcome>map(FetchOutcome.Fetched::new)
                .orElse(new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL));
    }
}
