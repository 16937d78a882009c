package dev.offsetd.server.exports;

import dev.offsetd.server.web.DurationText;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of exports.
 *
 * @param dataDir folder for all files of the server
 * @param publicUrl base URL of this server for its clients; if absent, that of the request
 */
@ConfigurationProperties("offsetd")
record ExportProperties(
        Path dataDir,
        @Nullable URI publicUrl,
        @DefaultValue ExportLimits exports,
        @DefaultValue Volatility volatility) {

    ExportProperties {
        if (publicUrl != null) {
            requireWeb("offsetd.public-url", publicUrl);
        }
    }

    Path folder() {
        return dataDir.resolve("exports");
    }

    private static void requireWeb(String name, URI url) {
        boolean web = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
        if (!web || url.getHost() == null || url.getRawQuery() != null || url.getRawFragment() != null) {
            throw new IllegalArgumentException(
                    name + " is " + url + "; expected an http or https URL without query or fragment");
        }
    }

    /**
     * Rendering and storage of exports.
     *
     * @param maxSize size of all rendered files; above it, the least recently used files are evicted
     * @param maxConcurrent exports that are rendered in parallel
     * @param maxWaiting exports that wait for their turn
     * @param waitTimeout longest time that a client waits for a rendered file
     */
    record ExportLimits(
            @DefaultValue("2GB") DataSize maxSize,
            @DefaultValue("1") int maxConcurrent,
            @DefaultValue("32") int maxWaiting,
            @DefaultValue("60s") Duration waitTimeout) {

        ExportLimits {
            if (maxConcurrent <= 0 || maxWaiting < 0 || maxSize.toBytes() <= 0 || !waitTimeout.isPositive()) {
                throw new IllegalArgumentException("offsetd.exports has max-size " + maxSize + ", max-concurrent "
                        + maxConcurrent + ", max-waiting " + maxWaiting + " and wait-timeout "
                        + DurationText.of(waitTimeout)
                        + "; expected more than 0");
            }
        }
    }

    /**
     * The list of kernels for volatility3.
     *
     * @param additional URLs of other lists that it refers to
     */
    record Volatility(@DefaultValue List<URI> additional) {

        Volatility {
            additional = List.copyOf(additional);
            additional.forEach(url -> requireWeb("offsetd.volatility.additional", url));
        }
    }
}
