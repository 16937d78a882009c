package dev.offsetd.server.sources;

import com.google.re2j.Pattern;
import dev.offsetd.query.answer.ByteCount;
import dev.offsetd.server.sources.http.Timeouts;
import dev.offsetd.server.sources.http.UpstreamClients;
import dev.offsetd.server.storage.objects.S3Bucket;
import dev.offsetd.server.web.DurationText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import okhttp3.Dns;
import okhttp3.Interceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Sources of debug files, and their caches.
 *
 * @param dataDir folder for all files of the server; by default {@code .offsetd} in the home folder
 * @param offline whether to query no upstream
 * @param localFolders folders that contain a {@code .build-id} folder, or are one; they need not exist
 * @param s3Folders buckets that contain a {@code .build-id} folder
 * @param cache retention of files that upstreams delivered
 */
@ConfigurationProperties("offsetd")
record FetchProperties(
        Path dataDir,
        @DefaultValue("false") boolean offline,
        @DefaultValue(DEFAULT_FOLDER) List<Path> localFolders,
        @DefaultValue List<S3Bucket.Location> s3Folders,
        @DefaultValue Upstreams upstreams,
        @DefaultValue Cache cache) {

    static final String DEFAULT_FOLDER = "/usr/lib/debug";

    FetchProperties {
        localFolders = List.copyOf(localFolders);
        s3Folders = List.copyOf(s3Folders);
        if (cache.maxSize().compareTo(upstreams.maxFileSize()) < 0) {
            throw new IllegalArgumentException("offsetd.cache.max-size is "
                    + ByteCount.text(cache.maxSize().toBytes())
                    + "; expected at least offsetd.upstreams.max-file-size, which is "
                    + ByteCount.text(upstreams.maxFileSize().toBytes()));
        }
    }

    Path cacheFolder() {
        return dataDir.resolve("cache");
    }

    /**
     * Upstream debuginfods.
     *
     * @param urls base URLs in query order; if absent, {@code DEBUGINFOD_URLS} or the public federation
     * @param servers upstreams with a policy each; queried before {@code urls}
     * @param connectTimeout time to establish a connection
     * @param headersTimeout time until the response headers are complete, connecting included
     * @param stallTimeout time without a byte
     * @param totalTimeout time for one file
     * @param maxFileSize size of one file, decompressed. The largest known file has 3 GB (webkitgtk)
     * @param sectionsAbove size of a file above which only the sections that the extractor reads are fetched, where the upstream
     *     delivers ranges
     * @param maxConcurrentPerHost concurrent requests to one host
     * @param contact address or URL of this server's operator, for the upstream's operator; sent in the User-Agent
     * @param maxRetryAfter longest pause that an upstream may request
     * @param proxy URL of an HTTP proxy, with or without credentials
     * @param caFile PEM certificates that are trusted in addition to the platform's
     * @param allowedNetworks networks in CIDR notation to which an upstream may redirect, in addition to public addresses
     */
    record Upstreams(
            @Nullable List<String> urls,
            @DefaultValue List<Server> servers,
            @DefaultValue("5s") Duration connectTimeout,
            @DefaultValue("5s") Duration headersTimeout,
            @DefaultValue("30s") Duration stallTimeout,
            @DefaultValue("10m") Duration totalTimeout,
            @DefaultValue("4GB") DataSize maxFileSize,
            @DefaultValue("64MB") DataSize sectionsAbove,
            @DefaultValue("4") int maxConcurrentPerHost,
            @Nullable String contact,
            @DefaultValue Breaker breaker,
            @DefaultValue("5m") Duration maxRetryAfter,
            @Nullable String proxy,
            @Nullable Path caFile,
            @DefaultValue List<String> allowedNetworks) {

        Upstreams {
            servers = List.copyOf(servers);
            allowedNetworks = List.copyOf(allowedNetworks);
            requirePositive(connectTimeout, "connect-timeout");
            requirePositive(headersTimeout, "headers-timeout");
            requirePositive(stallTimeout, "stall-timeout");
            requirePositive(totalTimeout, "total-timeout");
            requirePositive(maxRetryAfter, "max-retry-after");
            if (maxFileSize.toBytes() <= 0) {
                throw new IllegalArgumentException(
                        "offsetd.upstreams.max-file-size is " + maxFileSize + "; expected more than 0");
            }
            requirePositive(maxConcurrentPerHost, "max-concurrent-per-host");
            // Header values are ASCII, and a parenthesis would end the comment around it (RFC 9110 section 5.6.5).
            if (contact != null && !Pattern.matches("[\\x21-\\x27\\x2a-\\x5b\\x5d-\\x7e]+", contact)) {
                throw new IllegalArgumentException(
                        "offsetd.upstreams.contact is not a plain address or URL; expected ASCII without spaces or parentheses");
            }
        }

        Timeouts timeouts() {
            return new Timeouts(connectTimeout, headersTimeout, stallTimeout, totalTimeout);
        }

        UpstreamClients clients(Interceptor trace, Dns dns) {
            return UpstreamClients.of(proxy, caFile, allowedNetworks, trace, dns);
        }
    }

    /**
     * Policy of one upstream. Absent values default to those of all upstreams.
     *
     * @param url base URL
     * @param enabled whether the upstream is queried
     * @param kind meaning of its 404
     * @param notFound backoff after negative answers, by consecutive misses
     * @param direct whether to bypass the proxy
     */
    record Server(
            String url,
            @DefaultValue("true") boolean enabled,
            @Nullable UpstreamKind kind,
            @DefaultValue List<Duration> notFound,
            @Nullable Duration connectTimeout,
            @Nullable Duration headersTimeout,
            @Nullable Duration stallTimeout,
            @Nullable Duration totalTimeout,
            @DefaultValue("false") boolean direct) {

        Server {
            if (url == null) {
                throw new IllegalArgumentException(
                        "offsetd.upstreams.servers[].url is missing; expected the base URL of a debuginfod");
            }
            notFound = List.copyOf(notFound);
            notFound.forEach(time -> requirePositive(time, "servers[].not-found"));
            Stream.of(connectTimeout, headersTimeout, stallTimeout, totalTimeout)
                    .filter(Objects::nonNull)
                    .forEach(time -> requirePositive(time, "servers[]: a timeout"));
        }

        /** Returns its timeouts; absent ones are taken from the argument. */
        Timeouts timeouts(Timeouts others) {
            return new Timeouts(
                    Objects.requireNonNullElse(connectTimeout, others.connect()),
                    Objects.requireNonNullElse(headersTimeout, others.headers()),
                    Objects.requireNonNullElse(stallTimeout, others.stall()),
                    Objects.requireNonNullElse(totalTimeout, others.total()));
        }
    }

    /**
     * Circuit breaker of an upstream.
     *
     * @param failures consecutive failures that open the breaker
     * @param openFor time without requests; then a single request tests whether the upstream works again
     */
    record Breaker(
            @DefaultValue("5") int failures,
            @DefaultValue("60s") Duration openFor) {

        Breaker {
            requirePositive(failures, "breaker.failures");
            requirePositive(openFor, "breaker.open-for");
        }
    }

    private static void requirePositive(Duration value, String name) {
        if (!value.isPositive()) {
            throw new IllegalArgumentException(
                    "offsetd.upstreams." + name + " is " + DurationText.of(value) + "; expected more than 0");
        }
    }

    private static void requirePositive(int value, String name) {
        if (value <= 0) {
            throw new IllegalArgumentException("offsetd.upstreams." + name + " is " + value + "; expected more than 0");
        }
    }

    /**
     * Disk cache.
     *
     * @param maxSize size of all files; above it, the least recently used files are evicted
     */
    record Cache(@DefaultValue("10GB") DataSize maxSize) {}
}
