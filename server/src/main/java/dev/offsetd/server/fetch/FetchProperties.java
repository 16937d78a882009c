package dev.offsetd.server.fetch;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
 */
@ConfigurationProperties("offsetd")
record FetchProperties(
        @Nullable Path dataDir,
        @DefaultValue("false") boolean offline,
        @DefaultValue("/usr/lib/debug") List<Path> localFolders,
        @DefaultValue Upstreams upstreams,
        @DefaultValue Cache cache) {

    FetchProperties {
        localFolders = List.copyOf(localFolders);
        if (cache.maxSize().compareTo(upstreams.maxFileSize()) < 0) {
            throw new IllegalArgumentException("offsetd.cache.max-size is " + cache.maxSize()
                    + "; expected at least offsetd.upstreams.max-file-size, which is " + upstreams.maxFileSize());
        }
    }

    /** The disk cache's folder. */
    Path cacheFolder() {
        Path data = dataDir == null ? Path.of(System.getProperty("user.home"), ".offsetd") : dataDir;
        return data.resolve("cache");
    }

    /**
     * How upstreams are asked.
     *
     * @param urls base URLs, in the order in which to ask; absent: {@code DEBUGINFOD_URLS}, or the public federation
     * @param connectTimeout until a connection stands
     * @param headersTimeout until the response's headers are complete, connecting included
     * @param stallTimeout without a single byte
     * @param totalTimeout for one file
     * @param maxFileSize of one file, decompressed. Largest seen: 3 GB (webkitgtk)
     * @param maxConcurrentPerHost requests under way to one host
     * @param contact where an upstream's operator can reach ours, an address or a URL; sent in the User-Agent
     */
    record Upstreams(
            @Nullable List<String> urls,
            @DefaultValue("5s") Duration connectTimeout,
            @DefaultValue("5s") Duration headersTimeout,
            @DefaultValue("30s") Duration stallTimeout,
            @DefaultValue("10m") Duration totalTimeout,
            @DefaultValue("4GB") DataSize maxFileSize,
            @DefaultValue("4") int maxConcurrentPerHost,
            @Nullable String contact) {

        Upstreams {
            requirePositive(connectTimeout, "connect-timeout");
            requirePositive(headersTimeout, "headers-timeout");
            requirePositive(stallTimeout, "stall-timeout");
            requirePositive(totalTimeout, "total-timeout");
            if (maxFileSize.toBytes() <= 0) {
                throw new IllegalArgumentException(
                        "offsetd.upstreams.max-file-size is " + maxFileSize + "; expected more than 0");
            }
            if (maxConcurrentPerHost <= 0) {
                throw new IllegalArgumentException("offsetd.upstreams.max-concurrent-per-host is "
                        + maxConcurrentPerHost + "; expected more than 0");
            }
            // Header values are ASCII, and brackets would end the comment that holds it (RFC 9110 section 5.6.5).
            if (contact != null && !contact.matches("[\\x21-\\x7e&&[^()\\\\]]+")) {
                throw new IllegalArgumentException(
                        "offsetd.upstreams.contact is no plain address or URL; expected ASCII without spaces or brackets");
            }
        }

        private static void requirePositive(Duration value, String name) {
            if (!value.isPositive()) {
                throw new IllegalArgumentException(
                        "offsetd.upstreams." + name + " is " + value.toMillis() + " ms; expected more than 0");
            }
        }
    }

    /**
     * The disk cache.
     *
     * @param maxSize of all its files; above it the ones not used for longest are removed
     */
    record Cache(@DefaultValue("10GB") DataSize maxSize) {}
}
