package dev.offsetd.server.sources;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.sources.http.Timeouts;
import dev.offsetd.server.sources.http.TraceHeaders;
import dev.offsetd.server.sources.http.UpstreamClients;
import dev.offsetd.server.sources.http.UpstreamHttp;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import okhttp3.Dns;
import okhttp3.HttpUrl;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.convert.ApplicationConversionService;

/** A disk cache in a folder, and sources that fill it through the real HTTP client under short timeouts. */
final class UpstreamFixture implements AutoCloseable {

    static final BuildId ID = BuildId.parse("0123456789abcdef0123456789abcdef01234567");
    static final BuildId OTHER_ID = BuildId.parse("ffffffffffffffffffffffffffffffffffffffff");

    /** Above the size of {@link TestElf}'s files, far below what {@link FaultServer} sends. */
    static final long MAX_FILE_BYTES = 1_000_000;

    /** For faults that are detected at once: never reached, however busy the machine is. */
    static final Timeouts PATIENT = new Timeouts(
            Duration.ofSeconds(20), Duration.ofSeconds(20), Duration.ofSeconds(20), Duration.ofSeconds(60));

    /** For faults that are detected by a timeout. */
    static final Timeouts IMPATIENT = new Timeouts(
            Duration.ofMillis(700), Duration.ofMillis(700), Duration.ofMillis(900), Duration.ofMillis(2_000));

    static final ComputePool THREADS = new ComputePool("sources", 2, new PeriodicTasks(), new SimpleMeterRegistry());

    static final FileVerification VERIFICATION = new FileVerification(UpstreamFixture::facts, THREADS);

    static ElfFacts facts(Path file) throws IOException, ExtractionException {
        return DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::facts);
    }

    /** A clock that a test sets. */
    static final class SetClock extends Clock {

        private final AtomicReference<Instant> now;

        SetClock(AtomicReference<Instant> now) {
            this.now = now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now.get();
        }
    }

    final Path folder;
    final DiskCache cache;
    final MeterRegistry meters = new SimpleMeterRegistry();

    UpstreamFixture(Path folder) throws IOException {
        this.folder = folder;
        this.cache = DiskCache.open(folder, 10 * MAX_FILE_BYTES, VERIFICATION);
    }

    CachedSource source(String url) {
        return source(url, PATIENT, new Semaphore(2));
    }

    CachedSource source(String url, Timeouts timeouts, Semaphore requestsToHost) {
        return source(policy(url, timeouts), requestsToHost, upstreams());
    }

    /** Returns a source with properties {@code name=value} below {@code offsetd.upstreams}. */
    CachedSource configured(String url, String... properties) {
        return source(policy(url, PATIENT), new Semaphore(2), upstreams(properties));
    }

    CachedSource source(UpstreamPolicy policy) {
        return source(policy, new Semaphore(2), upstreams());
    }

    private CachedSource source(UpstreamPolicy policy, Semaphore requestsToHost, FetchProperties.Upstreams upstreams) {
        return source(policy, policy.http(clients(upstreams)), requestsToHost, gate(policy, upstreams));
    }

    CachedSource source(UpstreamPolicy policy, UpstreamHttp http, Semaphore requestsToHost, UpstreamGate gate) {
        return source(policy, http, requestsToHost, gate, MAX_FILE_BYTES, MAX_FILE_BYTES);
    }

    CachedSource source(
            UpstreamPolicy policy,
            UpstreamHttp http,
            Semaphore requestsToHost,
            UpstreamGate gate,
            long maxFileBytes,
            long sectionsAbove) {
        return new CachedSource(
                new Upstream(
                        policy,
                        http,
                        FetchConfiguration.userAgent("1.2", "ops@example.org"),
                        maxFileBytes,
                        sectionsAbove,
                        Duration.ofMinutes(5),
                        cache,
                        THREADS),
                requestsToHost,
                cache,
                gate,
                new UpstreamMeters(meters, policy.name(), gate));
    }

    static UpstreamPolicy policy(String url, Timeouts timeouts) {
        return new UpstreamPolicy(HttpUrl.get(url), true, UpstreamKind.FEDERATING, List.of(), timeouts, false);
    }

    static UpstreamGate gate(UpstreamPolicy policy, FetchProperties.Upstreams upstreams) {
        return new UpstreamGate(policy.name(), true, upstreams.breaker(), Clock.systemUTC());
    }

    /** Returns the configuration with properties {@code name=value} below {@code offsetd.upstreams}. */
    static FetchProperties.Upstreams upstreams(String... properties) {
        Map<String, Object> values = new HashMap<>();
        for (String property : properties) {
            int equals = property.indexOf('=');
            values.put("offsetd.upstreams." + property.substring(0, equals), property.substring(equals + 1));
        }
        return new Binder(
                        List.of(new MapConfigurationPropertySource(values)),
                        null,
                        ApplicationConversionService.getSharedInstance(),
                        null)
                .bindOrCreate("offsetd", Bindable.of(FetchProperties.class))
                .upstreams();
    }

    /** Asserts that the cache's folder has no files, complete or not. */
    void assertNoFiles() throws IOException {
        assertThat(filesIn(folder)).containsExactly(folder.resolve("lock"));
    }

    /** Asserts that the cache's folder has no temporary files. */
    void assertNoTemporaryFiles() throws IOException {
        assertThat(filesIn(folder.resolve("tmp"))).isEmpty();
    }

    static List<Path> filesIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    @Override
    public void close() throws IOException {
        cache.close();
    }

    /** Returns the fetched file; fails the test if there is none. */
    static CachedFile fetched(FetchOutcome outcome) {
        assertThat(outcome).isInstanceOf(FetchOutcome.Fetched.class);
        return ((FetchOutcome.Fetched) outcome).file();
    }

    /** Returns the clients of these upstreams. */
    static UpstreamClients clients(FetchProperties.Upstreams upstreams) {
        return clients(upstreams, Dns.SYSTEM);
    }

    /** Returns the clients of these upstreams with another DNS. */
    static UpstreamClients clients(FetchProperties.Upstreams upstreams, Dns dns) {
        return upstreams.clients(new TraceHeaders(ObservationRegistry.NOOP), dns);
    }
}
