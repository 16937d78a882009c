package dev.offsetd.server.sources;

import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.server.sources.http.TraceHeaders;
import dev.offsetd.server.sources.http.UpstreamClients;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import okhttp3.Dns;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Creates the sources from the configuration. */
@Configuration(proxyBeanMethods = false)
class FetchConfiguration {

    @Bean
    FileVerification debugFileVerification(FetchProperties properties) {
        Limits limits = Limits.DEFAULT.withMaxFileBytes(
                properties.upstreams().maxFileSize().toBytes());
        return new FileVerification(new OffsetExtractor(limits, 1)::inspect);
    }

    @Bean
    DiskCache debugFileCache(FetchProperties properties, FileVerification verification) throws IOException {
        return DiskCache.open(
                properties.cacheFolder(), properties.cache().maxSize().toBytes(), verification);
    }

    @Bean
    ReceivedFiles receivedFiles(DiskCache cache, FileVerification verification) {
        return new ReceivedFiles(cache, verification);
    }

    @Bean
    UploadCopies uploadCopies(DiskCache cache, FileVerification verification) {
        return new UploadCopies(cache, verification);
    }

    @Bean
    Upstreams upstreams(FetchProperties properties, @Value("${DEBUGINFOD_URLS:}") String debuginfodUrls) {
        FetchProperties.Upstreams upstreams = properties.upstreams();
        return new Upstreams(UpstreamPolicies.of(upstreams, debuginfodUrls).stream()
                .map(policy -> properties.offline() ? policy.disabled() : policy)
                .map(policy -> new UpstreamGate(policy, upstreams.breaker(), Clock.systemUTC()))
                .toList());
    }

    @Bean
    DebugFileSources debugFileSources(
            FetchProperties properties,
            DiskCache cache,
            FileVerification verification,
            Upstreams gates,
            MeterRegistry meters,
            ObservationRegistry observations) {
        List<DebugFileSource> sources = new ArrayList<>();
        FetchProperties.Upstreams upstreams = properties.upstreams();
        long maxFileBytes = upstreams.maxFileSize().toBytes();
        for (Path folder : properties.localFolders()) {
            sources.add(new LocalFolderSource(folder, maxFileBytes, verification));
        }
        if (properties.offline()) {
            sources.add(new OfflineCacheSource(cache));
            return new DebugFileSources(sources, upstreams.maxConcurrentPerHost());
        }
        UpstreamClients clients = UpstreamClients.of(upstreams.clients(), new TraceHeaders(observations), Dns.SYSTEM);
        String userAgent =
                userAgent(FetchConfiguration.class.getPackage().getImplementationVersion(), upstreams.contact());
        Map<String, Semaphore> requestsToHost = new HashMap<>();
        for (UpstreamGate gate : gates.enabled()) {
            UpstreamPolicy policy = gate.policy();
            Semaphore requests = requestsToHost.computeIfAbsent(
                    policy.base().host(), _ -> new Semaphore(upstreams.maxConcurrentPerHost(), true));
            Upstream upstream = new Upstream(
                    policy,
                    policy.http(clients),
                    userAgent,
                    maxFileBytes,
                    upstreams.sectionsAbove().toBytes(),
                    upstreams.maxRetryAfter());
            sources.add(new DebuginfodSource(
                    upstream, requests, cache, verification, gate, new UpstreamMeters(meters, policy.name(), gate)));
        }
        return new DebugFileSources(sources, upstreams.maxConcurrentPerHost());
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
}
