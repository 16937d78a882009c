package dev.offsetd.server.sources;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.sources.http.TraceHeaders;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.storage.objects.S3Bucket;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import okhttp3.Dns;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Creates the sources from the configuration. */
@Configuration(proxyBeanMethods = false)
class FetchConfiguration {

    private static final Logger log = LoggerFactory.getLogger(FetchConfiguration.class);

    private static final int VERIFIED_AT_A_TIME = 4;

    private final FetchProperties properties;

    FetchConfiguration(FetchProperties properties) {
        this.properties = properties;
    }

    /** A few: a disk is not read faster by more. */
    @Bean(ComputePool.SOURCES)
    ComputePool computeSources(PeriodicTasks tasks, MeterRegistry meters) {
        return new ComputePool("sources", VERIFIED_AT_A_TIME, tasks, meters);
    }

    @Bean
    FileVerification debugFileVerification(@Qualifier(ComputePool.SOURCES) ComputePool threads) {
        Limits limits = Limits.HEADERS.withMaxFileBytes(
                properties.upstreams().maxFileSize().toBytes());
        ReadOptions options = new ReadOptions(limits, 1);
        return new FileVerification(file -> DebugInfo.read(file, options, DebugInfo::facts), threads);
    }

    @Bean
    DiskCache debugFileCache(FileVerification verification) throws IOException {
        return DiskCache.open(
                properties.cacheFolder(), properties.cache().maxSize().toBytes(), verification);
    }

    @Bean
    ReceivedFiles receivedFiles(DiskCache cache, FileVerification verification) {
        return new ReceivedFiles(cache, verification);
    }

    @Bean
    OutboundHttp outboundHttp(ObservationRegistry observations) {
        FetchProperties.Upstreams upstreams = properties.upstreams();
        return new OutboundHttp(
                upstreams.clients(new TraceHeaders(observations), Dns.SYSTEM),
                upstreams.timeouts(),
                userAgent(FetchConfiguration.class.getPackage().getImplementationVersion(), upstreams.contact()),
                properties.offline());
    }

    @Bean
    DebugFileSources debugFileSources(
            DiskCache cache,
            FileVerification verification,
            MeterRegistry meters,
            OutboundHttp outbound,
            @Value("${DEBUGINFOD_URLS:}") String debuginfodUrls) {
        FetchProperties.Upstreams upstreams = properties.upstreams();
        List<DebugFileSource> sources = new ArrayList<>();
        for (Path folder : properties.localFolders()) {
            if (!Files.isDirectory(folder) && !folder.equals(Path.of(FetchProperties.DEFAULT_FOLDER))) {
                log.warn("offsetd.local-folders has {}, which is not a folder; no build is found there", folder);
            }
            sources.add(new LocalFolderSource(folder, upstreams.maxFileSize().toBytes(), verification));
        }
        List<UpstreamPolicy> policies = UpstreamPolicies.of(upstreams, debuginfodUrls);
        if (properties.offline()) {
            sources.add(new OfflineCacheSource(cache));
            List<UpstreamGate> gates =
                    policies.stream().map(policy -> gate(policy.name(), false)).toList();
            return new DebugFileSources(sources, gates, upstreams.maxConcurrentPerHost());
        }
        List<UpstreamGate> gates = new ArrayList<>();
        Map<String, Semaphore> requestsToHost = new HashMap<>();
        for (S3Bucket.Location folder : properties.s3Folders()) {
            S3Folder downloader = new S3Folder(
                    folder.toString(),
                    new S3Bucket(folder),
                    upstreams.timeouts(),
                    upstreams.maxFileSize().toBytes(),
                    cache);
            UpstreamGate gate = gate(downloader.name(), true);
            gates.add(gate);
            sources.add(new CachedSource(
                    downloader,
                    requestsToHost.computeIfAbsent(folder.host(), _ -> requests()),
                    cache,
                    gate,
                    new UpstreamMeters(meters, downloader.name(), gate)));
        }
        for (UpstreamPolicy policy : policies) {
            UpstreamGate gate = gate(policy.name(), policy.enabled());
            gates.add(gate);
            if (policy.enabled()) {
                sources.add(new CachedSource(
                        upstream(policy, outbound, cache, verification.threads()),
                        requestsToHost.computeIfAbsent(policy.base().host(), _ -> requests()),
                        cache,
                        gate,
                        new UpstreamMeters(meters, policy.name(), gate)));
            }
        }
        return new DebugFileSources(sources, gates, upstreams.maxConcurrentPerHost());
    }

    private Upstream upstream(UpstreamPolicy policy, OutboundHttp outbound, DiskCache cache, ComputePool threads) {
        FetchProperties.Upstreams upstreams = properties.upstreams();
        return new Upstream(
                policy,
                policy.http(outbound.clients()),
                outbound.userAgent(),
                upstreams.maxFileSize().toBytes(),
                upstreams.sectionsAbove().toBytes(),
                upstreams.maxRetryAfter(),
                cache,
                threads);
    }

    private UpstreamGate gate(String name, boolean enabled) {
        return new UpstreamGate(name, enabled, properties.upstreams().breaker(), Clock.systemUTC());
    }

    /** Returns the limit of requests to one host. */
    private Semaphore requests() {
        return new Semaphore(properties.upstreams().maxConcurrentPerHost(), true);
    }

    /**
     * Returns the User-Agent: {@code offsetd/1.2 (+https://example.org/contact)}.
     *
     * @param version null if the classes are not in a jar
     * @param contact null if not configured
     */
    static String userAgent(@Nullable String version, @Nullable String contact) {
        String product = "offsetd/" + (version == null ? "dev" : version);
        return contact == null ? product : product + " (+" + contact + ")";
    }

    /** The disk cache as a source, in place of the upstreams while the server is offline. */
    record OfflineCacheSource(DiskCache cache) implements DebugFileSource {

        @Override
        public String name() {
            return DebugFileSources.DISK_CACHE;
        }

        @Override
        public Origin origin() {
            return Origin.DEBUGINFOD;
        }

        @Override
        public FetchOutcome fetch(BuildId id, FetchProgress progress) throws InterruptedException {
            return outcome(() -> cache.findToRead(id));
        }

        @Override
        public FetchOutcome fetch(FileRequest request) throws InterruptedException {
            return request.sourcePath() != null
                    ? new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL)
                    : outcome(() -> cache.findLatelyVerified(
                            request.id(), request.kind().inCache()));
        }

        private static FetchOutcome outcome(CachedSource.CacheQuery lookup) throws InterruptedException {
            try {
                return lookup.find()
                        .<FetchOutcome>map(FetchOutcome.Fetched::new)
                        .orElse(new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL));
            } catch (DiskException e) {
                return FetchOutcome.diskFailed(e.detail());
            }
        }
    }
}
