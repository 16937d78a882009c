package dev.offsetd.server.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.BuildId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import okhttp3.HttpUrl;
import org.springframework.util.unit.DataSize;

/** A disk cache in a folder, and sources that fill it through the real HTTP client under short timeouts. */
final class UpstreamFixture implements AutoCloseable {

    static final BuildId ID = BuildId.parse("0123456789abcdef0123456789abcdef01234567");
    static final BuildId OTHER_ID = BuildId.parse("ffffffffffffffffffffffffffffffffffffffff");

    /** Above {@link TestElf}'s files, far below what {@link FaultServer} sends to hurt. */
    static final long MAX_FILE_BYTES = 1_000_000;

    /** For faults that show at once: never reached, however busy the machine is. */
    static final Timeouts PATIENT =
            new Timeouts(Duration.ofSeconds(20), Duration.ofSeconds(20), Duration.ofSeconds(60));

    /** For faults that show only after a while. */
    static final Timeouts IMPATIENT =
            new Timeouts(Duration.ofMillis(800), Duration.ofMillis(600), Duration.ofMillis(2_000));

    record Timeouts(Duration headers, Duration stall, Duration total) {}

    static final FileVerification VERIFICATION = new FileVerification(StandInInspection::inspect);

    final Path folder;
    final DiskCache cache;

    UpstreamFixture(Path folder) throws IOException {
        this.folder = folder;
        this.cache = DiskCache.open(folder, 10 * MAX_FILE_BYTES, VERIFICATION);
    }

    DebuginfodSource source(String url) {
        return source(url, PATIENT, new Semaphore(2));
    }

    DebuginfodSource source(String url, Timeouts timeouts, Semaphore requestsToHost) {
        FetchProperties.Upstreams limits = new FetchProperties.Upstreams(
                List.of(url),
                timeouts.headers(),
                timeouts.headers(),
                timeouts.stall(),
                timeouts.total(),
                DataSize.ofBytes(MAX_FILE_BYTES),
                2,
                null);
        Upstream upstream = new Upstream(
                HttpUrl.get(url),
                FetchConfiguration.httpClient(limits),
                FetchConfiguration.userAgent("1.2", "ops@example.org"),
                timeouts.total(),
                MAX_FILE_BYTES);
        return new DebuginfodSource(upstream, requestsToHost, cache, VERIFICATION);
    }

    /** Neither a file nor a part of one is in the cache's folder. */
    void assertNothingKept() throws IOException {
        assertThat(filesIn(folder)).containsExactly(folder.resolve("lock"));
    }

    /** No unfinished file is in the cache's folder. */
    void assertNothingUnfinished() throws IOException {
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

    /** The file that was fetched; fails the test if there is none. */
    static CachedFile fetched(FetchOutcome outcome) {
        assertThat(outcome).isInstanceOf(FetchOutcome.Fetched.class);
        return ((FetchOutcome.Fetched) outcome).file();
    }
}
