package dev.offsetd.server.fetch;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Where debug files come from, and how much of them is kept.
 *
 * @param dataDir folder for everything that the server keeps; {@code .offsetd} in the user's home if absent
 * @param offline asks no upstream
 * @param localFolders folders that hold a {@code .build-id} folder, or are one; may not exist
 * @param upstreams the debuginfods
 * @param cache files that they delivered
 * @param uploads files that callers sent
 */
@ConfigurationProperties("offsetd")
record FetchProperties(
        @Nullable Path dataDir,
        @DefaultValue("false") boolean offline,
        @DefaultValue("/usr/lib/debug") List<Path> localFolders,
        @DefaultValue Upstreams upstreams,
        @DefaultValue Cache cache,
        @DefaultValue Uploads uploads) {

    FetchProperties {
        localFolders = List.copyOf(localFolders);
        if (cache.maxSize().compareTo(upstreams.maxFileSize()) < 0) {
            throw new IllegalArgumentException("offsetd.cache.max-size is " + cache.maxSize()
                    + "; expected at least offsetd.upstreams.max-file-size, which is " + upstreams.maxFileSize());
        }
    }

    /** The disk cache's folder. */
    Path cacheFolder() {
        return data().resolve("cache");
    }

    /** Where uploaded files are kept; empty if they are not. */
    Optional<Path> uploadsFolder() {
        return uploads.keep() ? Optional.of(data().resolve("uploads/.build-id")) : Optional.empty();
    }

    private Path data() {
        return dataDir == null ? Path.of(System.getProperty("user.home"), ".offsetd") : dataDir;
    }

    /**
     * Uploaded files.
     *
     * @param keep whether they stay once they have been read
     */
    record Uploads(@DefaultValue("false") boolean keep) {}

    /**
     * How upstreams are asked.
     *
     * @param urls base URLs, in the order in which to ask; absent: {@code DEBUGINFOD_URLS}, or the public federation
     * @param servers the same with a policy for each; they come before the others
     * @param connectTimeout until a connection stands
     * @param headersTimeout until the response's headers are complete, connecting included
     * @param stallTimeout without a single byte
     * @param totalTimeout for one file
     * @param maxFileSize of one file, decompressed. Largest seen: 3 GB (webkitgtk)
     * @param maxConcurrentPerHost requests under way to one host
     * @param contact where an upstream's operator can reach ours, an address or a URL; sent in the User-Agent
     * @param breaker when to leave an upstream in peace that does not work
     * @param maxRetryAfter longest pause that an upstream may ask for
     * @param proxy URL of an HTTP proxy, with or without credentials
     * @param caFile certificates in PEM that are trusted besides the platform's
     * @param allowedNetworks where an upstream may redirect to besides the public internet, in CIDR notation
     */
    record Upstreams(
            @Nullable List<String> urls,
            @DefaultValue List<Server> servers,
            @DefaultValue("5s") Duration connectTimeout,
            @DefaultValue("5s") Duration headersTimeout,
            @DefaultValue("30s") Duration stallTimeout,
            @DefaultValue("10m") Duration totalTimeout,
            @DefaultValue("4GB") DataSize maxFileSize,
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
            // Header values are ASCII, and brackets would end the comment that holds it (RFC 9110 section 5.6.5).
            if (contact != null && !contact.matches("[\\x21-\\x7e&&[^()\\\\]]+")) {
                throw new IllegalArgumentException(
                        "offsetd.upstreams.contact is no plain address or URL; expected ASCII without spaces or brackets");
            }
        }

        Timeouts timeouts() {
            return new Timeouts(connectTimeout, headersTimeout, stallTimeout, totalTimeout);
        }
    }

    /**
     * One upstream with a policy of its own. What is absent is as for all.
     *
     * @param url its base URL
     * @param enabled whether it is asked at all
     * @param kind what its 404 means
     * @param notFound time until it is asked again for a build that it did not have, by misses in a row
     * @param direct whether to connect it directly even if there is a proxy
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
            notFound = List.copyOf(notFound);
            notFound.forEach(time -> requirePositive(time, "servers[].not-found"));
            Stream.of(connectTimeout, headersTimeout, stallTimeout, totalTimeout)
                    .filter(Objects::nonNull)
                    .forEach(time -> requirePositive(time, "servers[]: a timeout"));
        }

        /** Its own timeouts, or else these. */
        Timeouts timeouts(Timeouts others) {
            return new Timeouts(
                    Objects.requireNonNullElse(connectTimeout, others.connect()),
                    Objects.requireNonNullElse(headersTimeout, others.headers()),
                    Objects.requireNonNullElse(stallTimeout, others.stall()),
                    Objects.requireNonNullElse(totalTimeout, others.total()));
        }
    }

    /**
     * When to leave an upstream in peace that does not work.
     *
     * @param failures so many in a row open the breaker
     * @param openFor so long nothing is asked; then a single request shows whether it works again
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
                    "offsetd.upstreams." + name + " is " + value.toMillis() + " ms; expected more than 0");
        }
    }

    private static void requirePositive(int value, String name) {
        if (value <= 0) {
            throw new IllegalArgumentException("offsetd.upstreams." + name + " is " + value + "; expected more than 0");
        }
    }

    /**
     * The disk cache.
     *
     * @param maxSize of all its files; above it the ones not used for longest are removed
     */
    record Cache(@DefaultValue("10GB") DataSize maxSize) {}
}
