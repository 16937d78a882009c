package dev.offsetd.server.sources;

import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import dev.offsetd.server.sources.http.UpstreamHttp;
import dev.offsetd.server.sources.outcome.Origin;
import java.time.Duration;
import java.util.List;

/**
 * One upstream debuginfod with its limits.
 *
 * @param maxFileBytes size limit of a file, decompressed
 * @param sectionsAbove size of a file above which its sections are fetched, where that transfers less
 * @param maxRetryAfter longest pause that the upstream may request
 * @param threads that read parts of files, which lead to others
 */
record Upstream(
        UpstreamPolicy policy,
        UpstreamHttp http,
        String userAgent,
        long maxFileBytes,
        long sectionsAbove,
        Duration maxRetryAfter,
        DiskCache cache,
        ComputePool threads)
        implements Downloader {

    /** Returns the base URL without credentials, which may be logged and returned to clients. */
    @Override
    public String name() {
        return policy.name();
    }

    @Override
    public Origin origin() {
        return Origin.DEBUGINFOD;
    }

    @Override
    public List<Duration> missTimes() {
        return policy.missTimes();
    }

    @Override
    public Duration totalTimeout() {
        return policy.timeouts().total();
    }

    @Override
    public Downloaded download(FileRequest request, FetchProgress progress) throws InterruptedException {
        return new DebuginfodDownload(this, cache, request, progress).download();
    }
}
