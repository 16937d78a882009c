package dev.offsetd.server.debuginfod;

import dev.offsetd.server.web.DurationText;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Debuginfod's web API.
 *
 * @param enabled whether it is served
 * @param waitTimeout how long a request waits for a file that upstreams are asked for. Debuginfod's clients give up after 90 s without
 *     data
 * @param missTime how long a file that no source has is not asked for again
 * @param maxConcurrent files that upstreams are asked for at a time; further requests are refused
 * @param maxSourceSize size of one source file
 */
@ConfigurationProperties("offsetd.debuginfod")
record DebuginfodProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("80s") Duration waitTimeout,
        @DefaultValue("10m") Duration missTime,
        @DefaultValue("64") int maxConcurrent,
        @DefaultValue("64MB") DataSize maxSourceSize) {

    DebuginfodProperties {
        if (!waitTimeout.isPositive() || !missTime.isPositive() || maxConcurrent <= 0 || maxSourceSize.toBytes() <= 0) {
            throw new IllegalArgumentException("offsetd.debuginfod: wait-timeout " + DurationText.of(waitTimeout)
                    + ", miss-time " + DurationText.of(missTime)
                    + ", max-concurrent " + maxConcurrent + ", max-source-size " + maxSourceSize
                    + "; expected more than 0");
        }
    }
}
