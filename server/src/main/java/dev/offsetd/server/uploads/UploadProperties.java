package dev.offsetd.server.uploads;

import dev.offsetd.server.web.DurationText;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Limits of uploads.
 *
 * @param maxSize size of one file
 * @param maxConcurrent places for concurrent uploads and imports, half of them for one caller; further ones are rejected
 * @param totalTimeout time for one body
 * @param keep whether the uploaded files that answer are kept
 * @param waitTimeout time that a received file waits for its turn to be read
 */
@ConfigurationProperties("offsetd.uploads")
record UploadProperties(
        @DefaultValue("4GB") DataSize maxSize,
        @DefaultValue("8") int maxConcurrent,
        @DefaultValue("10m") Duration totalTimeout,
        @DefaultValue("false") boolean keep,
        @DefaultValue("30s") Duration waitTimeout) {

    UploadProperties {
        if (maxSize.toBytes() <= 0 || maxConcurrent <= 0 || !totalTimeout.isPositive() || !waitTimeout.isPositive()) {
            throw new IllegalArgumentException("offsetd.uploads: max-size " + maxSize + ", max-concurrent "
                    + maxConcurrent + ", total-timeout " + DurationText.of(totalTimeout) + ", wait-timeout "
                    + DurationText.of(waitTimeout)
                    + "; expected more than 0");
        }
    }
}
