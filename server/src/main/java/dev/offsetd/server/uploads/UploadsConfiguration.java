package dev.offsetd.server.uploads;

import dev.offsetd.server.access.Shares;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class UploadsConfiguration {

    /** Places for bodies that are written to the disk. */
    @Bean
    Shares uploadShares(UploadProperties properties) {
        return new Shares("uploads", properties.maxConcurrent());
    }
}
