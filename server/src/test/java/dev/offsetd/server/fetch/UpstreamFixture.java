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

    static final Duration HEADERS_TIMEOUT = Duration.ofMillis(300);
    static final Duration STALL_TIMEOUT = Duration.ofMillis(500);
    static final Duration TOTAL_TIMEOUT = Duration.ofMillis(1_200);

    static final FileVerification VERIFICATION = new FileVerification(StandInInspection::inspect);

    final Path folder;
    final DiskCache cache;

    UpstreamFixture(Path folder) throws IOException {
        this.folder = folder;
        this.cache = DiskCache.open(folder, 10 * MAX_FILE_BYTES, VERIFICATION);
    }

    DebuginfodSource source(String url) {
        return source(url, new Semaphore(2));
    }

    DebuginfodSource source(String url, Semaphore requestsToHost) {
        FetchProperties.Upstreams limits = new FetchProperties.Upstreams(
                List.of(url),
                HEADERS_TIMEOUT,
                HEADERS_TIMEOUT,
                STALL_TIMEOUT,
                TOTAL_TIMEOUT,
                DataSize.ofBytes(MAX_FILE_BYTES),
                2,
                null);
        Upstream upstream = new Upstream(
                HttpUrl.get(url),
                FetchConfiguration.httpClient(limits),
                FetchConfiguration.userAgent("1.2", "ops@example.org"),
                TOTAL_TIMEOUT,
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
